import type { CodeSite } from '../classes.ts';
import { faultOf, functionForms, pythonFunctionForms } from './functionForm.ts';
import type { Binding, Declaration, ModuleScan } from './moduleScan.ts';
import { scanPython } from './scanPython.ts';
import { scanTypeScript } from './scanTypeScript.ts';
import { lineOf, scanWorkflows, type FoundWorkflow } from './workflowScan.ts';

/**
 * What of a text a config can name as its workflow. In JavaScript and TypeScript: the classes that {@link scanWorkflows}
 * finds, then the exported functions that have the parameters of one, where the text imports anything of the SDK. In
 * Python: the classes that extend the `Workflow` of `ajet`, directly or through a class of the same text, those that are
 * registered as workflows of Trinity-RFT, and functions where the text imports anything of AgentScope's tuner.
 */
export function scanUserWorkflows(text: string, language: CodeSite['language']): FoundWorkflow[] {
  return language === 'python' ? pythonWorkflows(text) : [...scanWorkflows(text), ...workflowFunctions(text)];
}

/** The package goes by its earlier name as well. */
const pythonBase = /^(?:ajet|astuner)(?:\.workflow)?$/;

function pythonWorkflows(text: string): FoundWorkflow[] {
  const hasClasses = /\b(?:ajet|astuner)\b/.test(text) && /\bWorkflow\b/.test(text);
  const hasFunctions = /\bagentscope\b/.test(text) && text.includes('task') && text.includes('model');
  const isTrinity = /\btrinity\b/.test(text) && /\bregister_module\b/.test(text);
  if (!hasClasses && !hasFunctions && !isTrinity) return [];
  const scan = scanPython(text);
  const found = [...workflowClasses(scan), ...trinityClasses(scan), ...tunerFunctions(scan)];
  return found.map(({ name, offset, registered }) => ({
    name,
    offset,
    line: lineOf(text, offset),
    ...(registered !== undefined && { registered }),
  }));
}

function workflowClasses({ declarations, names, hidden }: ModuleScan): readonly Declaration[] {
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
  return declarations.filter(({ kind, name }) => kind === 'class' && found.has(name));
}

/** Classes that are registered as workflows of Trinity-RFT: others go by their dotted path, and look like any class. */
function trinityClasses({ declarations, names }: ModuleScan): readonly Declaration[] {
  const isTrinity = (binding: Binding): boolean =>
    binding.kind === 'imported' && /^trinity\b/.test(binding.module);
  if (![...names.values()].some(isTrinity)) return [];
  return declarations.filter(
    ({ kind, registered, bases }) =>
      kind === 'class' && registered !== undefined && bases.some((base) => /Workflow\w*$/.test(base)),
  );
}

function tunerFunctions({ declarations, names }: ModuleScan): readonly Declaration[] {
  const isTuner = (binding: Binding): boolean =>
    binding.kind === 'imported' && /^agentscope\.tuner?\b/.test([binding.module, binding.name].join('.'));
  if (![...names.values()].some(isTuner)) return [];
  return declarations.filter(
    ({ kind, parameters }) =>
      kind === 'function' && faultOf(parameters, pythonFunctionForms.workflow) === undefined,
  );
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
