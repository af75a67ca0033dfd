/** What a parsed template is made of; the library keeps these types to itself. */
import { Environment, type Interpreter } from '@huggingface/jinja';

export type Statement = NonNullable<Parameters<Interpreter['evaluate']>[0]>;
export type Value = ReturnType<Interpreter['evaluate']>;

export interface Named extends Statement {
  readonly value: string;
}
export interface Call extends Statement {
  readonly callee: Statement;
  readonly args: readonly Statement[];
}
export interface Member extends Statement {
  readonly object: Statement;
  readonly property: Statement;
  readonly computed: boolean;
}
export interface Filter extends Statement {
  readonly operand: Statement;
  readonly filter: Statement;
}
export interface Binary extends Statement {
  readonly operator: { readonly value: string };
  readonly left: Statement;
  readonly right: Statement;
}
export interface Assignment extends Statement {
  readonly assignee: Statement;
}
export interface Macro extends Statement {
  readonly name: Named;
}
export interface Loop extends Statement {
  readonly loopvar: Statement;
  readonly iterable: Statement;
  readonly body: readonly Statement[];
  readonly defaultBlock: readonly Statement[];
}

export const isCall = (node: Statement): node is Call => node.type === 'CallExpression';
export const isMember = (node: Statement): node is Member => node.type === 'MemberExpression';
export const isFilter = (node: Statement): node is Filter => node.type === 'FilterExpression';
export const isNamed = (node: Statement): node is Named => node.type === 'Identifier';
export const isBinary = (node: Statement): node is Binary => node.type === 'BinaryExpression';
export const isAssignment = (node: Statement): node is Assignment => node.type === 'Set';
export const isMacro = (node: Statement): node is Macro => node.type === 'Macro';
export const isLoop = (node: Statement): node is Loop => node.type === 'For';

/** Every node in a part of a template, the part itself first. */
export function* nodesIn(part: unknown): Generator<Statement> {
  if (part instanceof Map) for (const entry of part) yield* nodesIn(entry);
  else if (Array.isArray(part)) for (const each of part) yield* nodesIn(each);
  else if (typeof part === 'object' && part !== null) {
    if ('type' in part && typeof part.type === 'string') yield part as Statement;
    for (const field of Object.values(part)) yield* nodesIn(field);
  }
}

/** The library makes its values only where it declares variables. */
export function asValue(value: unknown): Value {
  return new Environment().set('value', value);
}

/** As the environment's own `lookupVariable`, which throws on its way to a name that is not there. */
export function lookUp(environment: Environment, name: string): Value | undefined {
  for (let scope: Environment | undefined = environment; scope !== undefined; scope = scope.parent) {
    const value = scope.variables.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** What a statement adds to a text. */
export function textOf(value: Value): string {
  return value.type === 'NullValue' || value.type === 'UndefinedValue' ? '' : value.toString();
}
