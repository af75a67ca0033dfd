import type { CodeSite } from '../classes.ts';
import { faultOf, functionForms } from './functionForm.ts';
import { scanPython } from './scanPython.ts';
import { scanTypeScript } from './scanTypeScript.ts';
import { lineOf, scanWorkflows, type FoundWorkflow } from './workflowScan.ts';

/**
 * What of a text a config can name as its workflow. In JavaScript and TypeScript: the classes that {@link scanWorkflows}
 * finds, then the exported functions that have the parameters of one, where the text imports anything of the SDK. In
 * Python: the classes that extend the `Workflow` of `ajet`, directly or through a class of the same text.
 */
export function scanUserWorkflows(text: string, language: CodeSite['language']): FoundWorkflow[] {
  return language === 'python' ? pythonWorkflows(text) : [...scanWorkflows(text), ...workflowFunctions(text)];
}

/** The package goes by its earlier name as well. */
const pythonBase = /^(?:ajet|astuner)(?:\.workflow)?$/;

function pythonWorkflows(text: string): FoundWorkflow[] {
  if (!/\b(?:ajet|astuner)\b/.test(text) || !/\bWorkflow\b/.test(text)) return [];
  const { declarations, names, hidden } = scanPython(text);
  const isBase = (base: string): boolean => {
    const [first = '', ...rest] = base.split('.');
    const binding = names.get(first) ?? hidden.get(first);
    if (binding?.kind !== 'imported') return false;
    const parts = [...(binding.name === undefined ? [] : [binding.name]), ...rest];
    return parts.at(-1) === 'Workflow' && pythonBase.test([binding.module, ...parts.slice(0, -1)].join('.'));
  };
  const found = new Set<string>();
  // A class comes after those of its text that it extends.
  for (const { kind, name, bases } of declarations) {
    if (kind === 'class' && bases.some((base) => isBase(base) || found.has(base))) found.add(name);
  }
  return declarations
    .filter(({ kind, name }) => kind === 'class' && found.has(name))
    .map(({ name, offset }) => ({ name, offset, line: lineOf(text, offset) }));
}

function workflowFunctions(text: string): FoundWorkflow[] {
  if (!/(["'])agentjet\1/.test(text) || !text.includes('task') || !text.includes('model')) return [];
  const found = [...scanTypeScript(text).names.values()].flatMap((binding) => {
    if (binding.kind !== 'declared' || binding.declaration.kind !== 'function') return [];
    const { name, offset, parameters } = binding.declaration;
    return faultOf(parameters, functionForms.workflow) === undefined ? [{ name, offset }] : [];
  });
  return found.map(({ name, offset }) => ({ name, offset, line: lineOf(text, offset) }));
}
