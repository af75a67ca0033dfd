import type { CodeSite } from './classes.ts';
import { faultOf, functionForms, pythonFunctionForms } from './functionForm.ts';
import type { Binding, Declaration, ModuleScan } from './moduleScan.ts';
import { scanPython } from './scanPython.ts';
import { scanTypeScript } from './scanTypeScript.ts';
import { lineOf, type CodeLine } from './syntaxTree.ts';

/** A class or function that a config can name in `ajet.rollout.user_workflow`. */
export interface WorkflowDeclaration extends CodeLine {
  /** The name after `->`; `default` for an anonymous default export. */
  readonly name: string;
  /** The name that a config of Trinity-RFT uses. */
  readonly registered?: string;
}

/**
 * Finds the workflows in a source file that a config can name:
 *
 * - classes that extend the `Workflow` of the SDK or of `ajet`, directly or through another class of the file
 * - registered workflows of Trinity-RFT
 * - functions with the parameters of a workflow, if the file imports the SDK or AgentScope's tuner. In JavaScript and
 *   TypeScript they must be exported.
 */
export function scanUserWorkflows(text: string, language: CodeSite['language']): WorkflowDeclaration[] {
  const found = language === 'python' ? pythonWorkflows(text) : scriptWorkflows(text);
  return found.map(({ name, offset, registered }) => ({
    name,
    line: lineOf(text, offset),
    ...(registered !== undefined && { registered }),
  }));
}

function scriptWorkflows(text: string): readonly Declaration[] {
  const hasClasses = text.includes('extends');
  const hasFunctions = /(["'])agentjet\1/.test(text) && text.includes('task') && text.includes('model');
  if (!text.includes('agentjet') || !(hasClasses || hasFunctions)) return [];
  const scan = scanTypeScript(text);
  return [...workflowClasses(scan), ...(hasFunctions ? workflowFunctions(scan) : [])];
}

function pythonWorkflows(text: string): readonly Declaration[] {
  const hasClasses = /\b(?:ajet|astuner)\b/.test(text) && /\bWorkflow\b/.test(text);
  const hasFunctions = /\bagentscope\b/.test(text) && text.includes('task') && text.includes('model');
  const isTrinity = /\btrinity\b/.test(text) && /\bregister_module\b/.test(text);
  if (!hasClasses && !hasFunctions && !isTrinity) return [];
  const scan = scanPython(text);
  return [...workflowClasses(scan), ...trinityClasses(scan), ...tunerFunctions(scan)];
}

/** The modules with a `Workflow` to extend. `astuner` is the earlier name of `ajet`. */
const workflowModule = /^(?:agentjet|(?:ajet|astuner)(?:\.workflow)?)$/;

function workflowClasses({ names, hidden }: ModuleScan): readonly Declaration[] {
  const isBase = (base: string): boolean => {
    const [first = '', ...rest] = base.split('.');
    const binding = hidden.get(first) ?? names.get(first);
    if (binding?.kind !== 'imported') return false;
    const { module, name = 'default' } = binding;
    const parts = name === 'default' ? rest : [name, ...rest];
    return parts.at(-1) === 'Workflow' && workflowModule.test([module, ...parts.slice(0, -1)].join('.'));
  };
  // A class has the name that its own module uses for it.
  const classes = new Map<number, Declaration>();
  for (const [name, binding] of [...hidden, ...names]) {
    if (binding.kind !== 'declared' || binding.declaration.kind !== 'class') continue;
    const { offset } = binding.declaration;
    if ((classes.get(offset)?.name ?? 'default') === 'default')
      classes.set(offset, { ...binding.declaration, name });
  }
  const found = new Set<string>();
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const { name, bases } of classes.values()) {
      if (bases.some((base) => isBase(base) || found.has(base))) found.add(name);
    }
  }
  return [...classes.values()]
    .filter(({ name, isAbstract }) => found.has(name) && isAbstract !== true)
    .sort((a, b) => a.offset - b.offset);
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

function workflowFunctions({ names }: ModuleScan): readonly Declaration[] {
  return [...names.values()].flatMap((binding) => {
    if (binding.kind !== 'declared' || binding.declaration.kind !== 'function') return [];
    return faultOf(binding.declaration.parameters, functionForms.workflow) === undefined
      ? [binding.declaration]
      : [];
  });
}
