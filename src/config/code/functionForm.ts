/** The function form of workflows and judges, as `agentscope.tuner` checks it: by the names of parameters alone. */
import { insideBrackets, splitAtCommas, type Brackets } from './brackets.ts';

export interface FunctionForm {
  readonly what: 'workflow' | 'judge';
  readonly essential: readonly string[];
  readonly optional: readonly string[];
}

export const functionForms = {
  workflow: { what: 'workflow', essential: ['task', 'model'], optional: ['auxiliaryModels', 'logger'] },
  judge: { what: 'judge', essential: ['task', 'response'], optional: ['auxiliaryModels', 'logger'] },
} as const satisfies Readonly<Record<string, FunctionForm>>;

const optionalInPython = ['auxiliary_models', 'logger'];

/** As Python spells them. */
export const pythonFunctionForms = {
  workflow: { ...functionForms.workflow, optional: optionalInPython },
  judge: { ...functionForms.judge, optional: optionalInPython },
} as const satisfies Readonly<Record<string, FunctionForm>>;

/** How a function takes its arguments. */
export interface Parameters {
  /** One by one, or as one object that it takes apart. */
  readonly given: 'each' | 'object';
  /**
   * In order. A leading underscore, which says that one is not used, is no part of a name, and Python's spelling is
   * understood. What takes the rest keeps its dots.
   */
  readonly names: readonly string[];
}

const name = '[\\p{ID_Start}$_][\\p{ID_Continue}$]*';
const leadingName = new RegExp(`^(\\.\\.\\.)?_*(${name})`, 'u');

/**
 * @param list what stands between the parentheses, in masked code
 * @param kind `with-angles`: it has TypeScript's types
 */
export function readParameters(list: string, kind: Brackets): Parameters {
  const written = splitAtCommas(list, kind).filter((one) => !/^this\s*:/.test(one));
  const [first = ''] = written;
  const isObject = written.length === 1 && first.startsWith('{');
  const parts = isObject ? splitAtCommas(insideBrackets(first, 0, kind) ?? '', kind) : written;
  return { given: isObject ? 'object' : 'each', names: parts.map(nameOf) };
}

/** What is taken apart within a list has no name: it stands as it is written. */
function nameOf(parameter: string): string {
  const [, dots = '', own] = leadingName.exec(parameter) ?? [];
  if (own === undefined) return parameter.slice(0, (insideBrackets(parameter, 0)?.length ?? 0) + 2);
  return `${dots}${own === 'auxiliary_models' ? 'auxiliaryModels' : own}`;
}

/** What is wrong with the parameters, as the end of a sentence that begins with the function; undefined: nothing. */
export function faultOf(names: readonly string[], { essential, optional }: FunctionForm): string | undefined {
  const rest = names.find((one) => /^(?:\.\.\.|\*)/.test(one));
  if (rest !== undefined)
    return `takes the rest of its arguments as \`${rest}\`, which has no name to give them by`;
  const missing = essential.filter((one) => !names.includes(one));
  const unknown = names.filter((one) => ![...essential, ...optional].includes(one));
  const faults = [
    ...(missing.length > 0 ? [`lacks the parameter${plural(missing)} ${listed(missing)}`] : []),
    ...(unknown.length > 0
      ? [`has the parameter${plural(unknown)} ${listed(unknown)}, which nothing is given for`]
      : []),
  ];
  return faults.length > 0 ? faults.join(' and ') : undefined;
}

/** What its parameters may be called. */
export function hintOfForm({ what, essential, optional }: FunctionForm): string {
  return `A ${what} function is given its arguments by the names of its parameters: ${listed(essential)}, and if it wants ${listed(optional)}.`;
}

function plural(names: readonly string[]): string {
  return names.length === 1 ? '' : 's';
}

function listed(names: readonly string[]): string {
  return names.map((one) => `\`${one}\``).join(', ');
}
