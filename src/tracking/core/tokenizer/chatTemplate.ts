import { Environment, parse, tokenize, Interpreter } from '@huggingface/jinja';
import { CodedError, type Location, messageOf } from '../../../base/core/errors.ts';
import type { ChatTemplate, RenderOptions } from '../tokenizer.ts';
import { strftime } from '../../../base/core/strftime.ts';

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
class PythonInterpreter extends Interpreter {
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

/** One Jinja text, or several by name, of which `tool_use` is taken for requests with tools and `default` otherwise. */
export type TemplateSource = string | ReadonlyMap<string, string>;

export interface TemplateContext {
  /** The model's name, for messages. */
  readonly name: string;
  /** The file of the template, for messages. */
  readonly file: string | null;
  /** `bos_token`, `eos_token` and the like, which templates name as variables. */
  readonly specialTokens: Readonly<Record<string, unknown>>;
  /** For `strftime_now`. */
  readonly now: () => Date;
}

/** Renders as transformers' `apply_chat_template`, blocks trimmed. Throws `tokenizer/broken-template`. */
export function createChatTemplate(source: TemplateSource, context: TemplateContext): ChatTemplate {
  const sources = typeof source === 'string' ? new Map([['default', source]]) : source;
  const programs = new Map([...sources].map(([name, text]) => [name, compile(text, context)]));
  const programFor = (tools: RenderOptions['tools']): Program => {
    const program = (tools && programs.get('tool_use')) ?? programs.get('default');
    if (program === undefined) throw failed('it has no variant named "default"', context);
    return program;
  };
  return {
    render: (messages, { tools, addGenerationPrompt }) => {
      const variables = { messages, tools: tools ?? null, add_generation_prompt: addGenerationPrompt };
      const program = programFor(tools);
      try {
        return new PythonInterpreter(environmentOf(context, variables)).run(program).toString();
      } catch (error) {
        throw failed(reason(error), context, error);
      }
    },
  };
}

type Program = ReturnType<typeof parse>;

function compile(text: string, context: TemplateContext): Program {
  try {
    return parse(tokenize(text, { lstrip_blocks: true, trim_blocks: true }));
  } catch (error) {
    throw new CodedError({
      code: 'tokenizer/broken-template',
      message: `The chat template of ${context.name} cannot be read: ${reason(error)}.`,
      ...location(context),
      hint: 'Fix the template or fetch the tokenizer again ("AgentJet: Fetch Tokenizer").',
      cause: error,
    });
  }
}

function environmentOf(context: TemplateContext, variables: Record<string, unknown>): Environment {
  const environment = new Environment();
  const all = { ...globals, ...functions(context), ...context.specialTokens, documents: null, ...variables };
  for (const [name, value] of Object.entries(all)) environment.set(name, value);
  return environment;
}

const globals = { true: true, false: false, none: null, True: true, False: false, None: null, range };

function functions({ now }: TemplateContext): Record<string, unknown> {
  return {
    strftime_now: (format: string) => strftime(now(), format),
    raise_exception: (message: string) => {
      throw new Error(message);
    },
  };
}

/** Python's `range`. */
function range(first: number, second?: number, step = 1): number[] {
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  return Array.from({ length: Math.max(0, Math.ceil((stop - start) / step)) }, (_, at) => start + at * step);
}

function failed(why: string, context: TemplateContext, cause?: unknown): CodedError {
  return new CodedError({
    code: 'tracking/template',
    message: `The chat template of ${context.name} rejects this conversation: ${why}.`,
    ...location(context),
    hint: 'Training uses this template, too. Change the messages so that the template accepts them.',
    cause,
  });
}

function location({ file }: TemplateContext): { location?: Location } {
  return file === null ? {} : { location: { file } };
}

function reason(error: unknown): string {
  return messageOf(error).trim().replace(/\.$/, '');
}
