/** Checks functions that serve as workflows and judges by the names of their parameters, as `agentscope.tuner` does. */
import { childrenOf, partsOf, type SyntaxNode } from './syntaxTree.ts';

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

export const pythonFunctionForms = {
  workflow: { ...functionForms.workflow, optional: optionalInPython },
  judge: { ...functionForms.judge, optional: optionalInPython },
} as const satisfies Readonly<Record<string, FunctionForm>>;

export interface Parameters {
  /** One by one, or as one object that the function destructures. */
  readonly form: 'each' | 'object';
  /**
   * In order, without leading underscores and in TypeScript's spelling. A rest parameter keeps its dots. A parameter
   * that is destructured within a list has no name: its pattern is here as it is written.
   */
  readonly names: readonly string[];
}

/** Reads the parameters of a function from the `ParamList` of its syntax tree. */
export function parametersOf(list: SyntaxNode, text: string): Parameters {
  const parameters = partsOf(list).filter((part) => part.every(({ name }) => name !== 'this'));
  const [only] = parameters.length === 1 ? (parameters[0] ?? []) : [];
  const isObject = only?.name === 'ObjectPattern';
  const parts = isObject ? only.getChildren('PatternProperty').map(childrenOf) : parameters;
  return { form: isObject ? 'object' : 'each', names: parts.map((part) => nameOf(part, text)) };
}

const targets = /^(?:VariableDefinition|PropertyName|(?:Object|Array)Pattern)$/;

function nameOf(parameter: readonly SyntaxNode[], text: string): string {
  const target = parameter.find(({ name }) => targets.test(name)) ?? parameter[0];
  if (target === undefined) return '';
  const written = text.slice(target.from, target.to).replace(/^_+(?=.)/, '');
  const name = written === 'auxiliary_models' ? 'auxiliaryModels' : written;
  return parameter[0]?.name === 'Spread' ? `...${name}` : name;
}

/** Returns the fault of the parameters as the end of a sentence that begins with the function. */
export function faultOf(names: readonly string[], { essential, optional }: FunctionForm): string | undefined {
  const rest = names.find((one) => /^(?:\.\.\.|\*)/.test(one));
  if (rest !== undefined) return `has the rest parameter \`${rest}\`, but arguments are passed by name`;
  const missing = essential.filter((one) => !names.includes(one));
  const unknown = names.filter((one) => ![...essential, ...optional].includes(one));
  const faults = [
    ...(missing.length > 0 ? [`does not have the parameter${plural(missing)} ${listed(missing)}`] : []),
    ...(unknown.length > 0
      ? [`has the parameter${plural(unknown)} ${listed(unknown)}, for which there is no argument`]
      : []),
  ];
  return faults.length > 0 ? faults.join(' and ') : undefined;
}

export function hintOfForm({ what, essential, optional }: FunctionForm): string {
  return `A ${what} function receives its arguments by parameter name: ${listed(essential)}. It can also have ${listed(optional)}.`;
}

function plural(names: readonly string[]): string {
  return names.length === 1 ? '' : 's';
}

function listed(names: readonly string[]): string {
  return names.map((one) => `\`${one}\``).join(', ');
}
