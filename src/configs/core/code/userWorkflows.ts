import type { CodeSite } from './classes.ts';
import { faultOf, functionForms, pythonFunctionForms } from './functionForm.ts';
import type { Binding, Declaration, ModuleScan } from './moduleScan.ts';
import { scanPython } from './scanPython.ts';
import { scanTypeScript } from './scanTypeScript.ts';
import { parseScript, type ParsedText } from './syntaxTree.ts';
import { lineOf, scanWorkflows, type WorkflowDeclaration } from './workflowScan.ts';

/**
 * Finds what a config can name as its workflow in a text.
 * In JavaScript and TypeScript these are the classes that `scanWorkflows` finds. If the text imports the SDK, the
 * exported functions with the parameters of a workflow are included.
 * In Python these are the classes that extend `ajet`'s `Workflow`, also through a class of the same text, and
 * registered workflows of Trinity-RFT. If the text imports AgentScope's tuner, functions are included.
 */
export function scanUserWorkflows(text: string, language: CodeSite['language']): WorkflowDeclaration[] {
  if (language === 'python') return pythonWorkflows(text);
  const hasClasses = text.includes('extends');
  const hasFunctions = /(["'])agentjet\1/.test(text) && text.includes('task') && text.includes('model');
  if (!text.includes('agentjet') || !(hasClasses || hasFunctions)) return [];
  const parsed = parseScript(text);
  return [...scanWorkflows(text, parsed), ...(hasFunctions ? workflowFunctions(parsed) : [])];
}

/** `astuner` is the earlier name of the package. */
const pythonBase = /^(?:ajet|astuner)(?:\.workflow)?$/;

function pythonWorkflows(text: string): WorkflowDeclaration[] {
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
  // A class follows the classes that it extends.
  for (const { kind, name, bases } of declarations) {
    if (kind === 'class' && bases.some((base) => isBase(base) || found.has(base))) found.add(name);
  }
  return declarations.filter(({ kind, name }) => kind === 'class' && found.has(name));
}

/** Classes that are registered as workflows of Trinity-RFT. Others are named by a dotted path and look like any class. */
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

function workflowFunctions(parsed: ParsedText): WorkflowDeclaration[] {
  return [...scanTypeScript(parsed.text, parsed).names.values()].flatMap((binding) => {
    if (binding.kind !== 'declared' || binding.declaration.kind !== 'function') return [];
    const { name, offset, parameters } = binding.declaration;
    if (faultOf(parameters, functionForms.workflow) !== undefined) return [];
    return [{ name, offset, line: lineOf(parsed.text, offset) }];
  });
}
