import { Environment, Interpreter } from '@huggingface/jinja';

/** The library does not export the types of its syntax tree. */
type Statement = NonNullable<Parameters<Interpreter['evaluate']>[0]>;
type Value = ReturnType<Interpreter['evaluate']>;

interface Named extends Statement {
  readonly value: string;
}
interface Call extends Statement {
  readonly callee: Statement;
  readonly args: readonly Statement[];
}
interface Member extends Statement {
  readonly object: Statement;
  readonly property: Statement;
  readonly computed: boolean;
}
interface Filter extends Statement {
  readonly operand: Statement;
  readonly filter: Statement;
}

const isCall = (node: Statement): node is Call => node.type === 'CallExpression';
const isMember = (node: Statement): node is Member => node.type === 'MemberExpression';
const isFilter = (node: Statement): node is Filter => node.type === 'FilterExpression';
const isNamed = (node: Statement): node is Named => node.type === 'Identifier';

/** A call that strips a text. */
interface Stripping {
  readonly text: Statement;
  readonly ends: Ends;
  readonly args: readonly Statement[];
}

interface Ends {
  readonly left: boolean;
  readonly right: boolean;
}

const methods: ReadonlyMap<string, Ends> = new Map([
  ['strip', { left: true, right: true }],
  ['lstrip', { left: true, right: false }],
  ['rstrip', { left: false, right: true }],
]);

/** The white space of Python. That of JavaScript misses six of these characters and has U+FEFF. */
const whiteSpace =
  '\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

/**
 * Strips texts as Python does: of the given characters, else of Python's white space. The library ignores the given
 * characters and strips JavaScript's white space, so `lstrip('\n')` in a template would cut the first space of a reply.
 */
export class PythonInterpreter extends Interpreter {
  override evaluate(statement: Statement | undefined, environment: Environment): Value {
    const stripping = statement && (strippingCall(statement) ?? trimFilter(statement));
    if (stripping === undefined) return super.evaluate(statement, environment);
    const text = this.evaluate(stripping.text, environment);
    if (typeof text.value !== 'string') return super.evaluate(statement, environment);
    const characters = stripping.args.map((arg) => this.evaluate(arg, environment).value)[0];
    const set = typeof characters === 'string' ? characters : whiteSpace;
    // The library creates its values only where it declares variables.
    return new Environment().set('value', strip(text.value, set, stripping.ends));
  }
}

/** `text.strip(…)` */
function strippingCall(statement: Statement): Stripping | undefined {
  if (!isCall(statement) || !isMember(statement.callee)) return undefined;
  const { object, property, computed } = statement.callee;
  const ends = !computed && isNamed(property) ? methods.get(property.value) : undefined;
  return ends && { text: object, ends, args: statement.args };
}

/** `text | trim`, with arguments or without. */
function trimFilter(statement: Statement): Stripping | undefined {
  if (!isFilter(statement)) return undefined;
  const { operand, filter } = statement;
  const [name, args] = isCall(filter) ? [filter.callee, filter.args] : [filter, []];
  return isNamed(name) && name.value === 'trim'
    ? { text: operand, ends: { left: true, right: true }, args }
    : undefined;
}

function strip(text: string, set: string, { left, right }: Ends): string {
  const characters = Array.from(text);
  let start = 0;
  let end = characters.length;
  while (left && start < end && set.includes(characters[start] ?? '')) start++;
  while (right && start < end && set.includes(characters[end - 1] ?? '')) end--;
  return characters.slice(start, end).join('');
}
