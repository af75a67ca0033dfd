/**
 * The formats in which models write tool calls, by the names of vLLM's and SGLang's parsers. Each reads a whole reply as vLLM
 * does without streaming. A call whose arguments are not an object makes the reply text, because templates need objects.
 */
import { CodedError, type Location } from '../../../../base/core/errors.ts';
import { isRecord } from '../../../../base/core/isRecord.ts';
import { jsonAt, shallowJson } from '../../../../traces/core/shallowJson.ts';
import { writtenReply, type WrittenReply } from '../../../../traces/core/writtenReply.ts';
import {
  isDict,
  isList,
  parsePythonCalls,
  parsePythonLiteral,
  PythonLiteralError,
  type PythonValue,
} from '../../task-reader/tracing/pythonLiteral.ts';

/** @param place position of the message in its conversation, from which ids of calls are derived */
type Format = (written: string, place: number, tools: readonly unknown[]) => WrittenReply;

interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Undefined: the format has no ids. */
  readonly id?: string;
}

interface Reading {
  /** The text of the reply without its calls. */
  readonly text: string;
  /** Undefined: a call that is not valid. */
  readonly calls: readonly (ToolCall | undefined)[];
}

/** Returns the type of a parameter in the tools of the request, and undefined without one. */
type TypeOf = (tool: string, parameter: string) => string | undefined;

function format(read: (written: string, typeOf: TypeOf) => Reading | undefined): Format {
  return (written, place, tools) => {
    const none = { text: written, toolCalls: null };
    const { text, calls } = read(written, typesOf(tools)) ?? { text: written, calls: [] };
    if (calls.length === 0) return none;
    const toolCalls: object[] = [];
    for (const [at, call] of calls.entries()) {
      if (call === undefined || call.name === '') return none;
      const called = { name: call.name, arguments: JSON.stringify(call.arguments) };
      toolCalls.push({ id: call.id ?? `call_${place}_${at}`, type: 'function', function: called });
    }
    return { text, toolCalls: JSON.stringify(toolCalls) };
  };
}

/** A JSON list of calls between two marks. */
const jsonList = (begin: string, end: string): Format =>
  format((written) => {
    const at = written.indexOf(begin);
    if (at < 0) return undefined;
    const list = jsonAt(written, skipSpace(written, at + begin.length));
    if (list === undefined || !written.slice(list.end).trimStart().startsWith(end)) return undefined;
    return { text: written.slice(0, at), calls: callsOf(list.value) };
  });

/** Calls that each have two marks, after a mark for all. `call` has the groups `name` and `json`, and perhaps `id`. */
const markedCalls = (begin: string, call: RegExp): Format =>
  format((written) => {
    const at = written.indexOf(begin);
    if (at < 0) return undefined;
    const calls = [...written.slice(at).matchAll(call)].map(({ groups = {} }) =>
      callOf({ name: groups['name'], arguments: shallowJson(groups['json'] ?? '') }, groups['id']),
    );
    return { text: written.slice(0, at), calls };
  });

/** `<function=NAME><parameter=NAME>TEXT</parameter></function>`, where the last tags may be missing. */
const functionTags = (begin: string, thoughtEnd?: string): Format =>
  format((written, typeOf) => {
    const thought = thoughtEnd === undefined ? -1 : written.indexOf(thoughtEnd);
    const from = thought < 0 ? 0 : thought + (thoughtEnd?.length ?? 0);
    const calls = [...written.slice(from).matchAll(/<function=(.*?)(?:<\/function>|$)/gs)].map(
      ([, body = '']) => {
        const [name, rest] = splitOnce(body, '>');
        if (rest === undefined) return undefined;
        const parameters = rest.matchAll(/<parameter=(.*?)(?:<\/parameter>|(?=<parameter=)|$)/gs);
        const entries = Array.from(parameters, ([, parameter = '']) => splitOnce(parameter, '>'));
        if (entries.some(([, value]) => value === undefined)) return undefined;
        const values = entries.map(([key, value = '']) => [
          key,
          typedValue(value.replace(/^\n|\n$/g, ''), typeOf(name, key)),
        ]);
        return { name, arguments: Object.fromEntries(values) as ToolCall['arguments'] };
      },
    );
    const marks = [written.indexOf(begin, from), written.indexOf('<function=', from)];
    return {
      text: written.slice(
        0,
        marks.find((at) => at >= 0),
      ),
      calls,
    };
  });

/** `<tool_call>NAME` with pairs of tags for the arguments. Only parameters that are no texts are JSON. */
const argumentTags = format((written, typeOf) => {
  const calls = [...written.matchAll(/<tool_call>(.*?)<\/tool_call>/gs)].map(([, body = '']) => {
    const name = /^\s*(\S+?)\s*(?=\n|<arg_key>)/.exec(body)?.[1];
    if (name === undefined) return undefined;
    const pairs = body.matchAll(/<arg_key>(.*?)<\/arg_key>\s*<arg_value>(.*?)<\/arg_value>/gs);
    const entries = Array.from(pairs, ([, key = '', value = '']) => {
      const [parameter, text] = [key.trim(), value.trim()];
      const isText = typeOf(name, parameter) === 'string';
      return [parameter, isText ? text : parsedOr(text)];
    });
    return { name, arguments: Object.fromEntries(entries) as ToolCall['arguments'] };
  });
  return { text: written.slice(0, written.indexOf('<tool_call>')), calls };
});

const steps = format((written, typeOf) => {
  const [before, block, after] = between(written, '<｜tool_calls_begin｜>', '<｜tool_calls_end｜>') ?? [];
  if (before === undefined || block === undefined) return undefined;
  const calls = [
    ...block.matchAll(/<｜tool_call_begin｜>\s*function\s*<｜tool_sep｜>(.*?)<｜tool_call_end｜>/gs),
  ];
  return {
    text: `${before}${after}`.trim(),
    calls: calls.map(([, body = '']) => {
      const name = /<steptml:invoke name="([^"]+)">/.exec(body)?.[1];
      if (name === undefined) return undefined;
      const pairs = body.matchAll(/<steptml:parameter name="([^"]+)">([^<]*)<\/steptml:parameter>/g);
      const entries = Array.from(pairs, ([, key = '', value = '']) => [
        key,
        typedValue(value.trim(), typeOf(name, key)),
      ]);
      return { name, arguments: Object.fromEntries(entries) as ToolCall['arguments'] };
    }),
  };
});

/** `[TOOL_CALLS]` before a list of calls, or before the name of each call. */
const mistral = format((written) => {
  const [text = '', ...parts] = written.split('[TOOL_CALLS]');
  const [first = ''] = parts;
  if (first.trimStart().startsWith('[{')) {
    return { text, calls: callsOf(jsonAt(first, skipSpace(first, 0))?.value) };
  }
  const calls = parts.map((part) => {
    const at = part.indexOf('{');
    // Later tokenizers write marks between the name and the arguments.
    const name = /^\s*([\w-]+)\s*(?:\[\w+\][^[]*)*$/.exec(part.slice(0, Math.max(at, 0)))?.[1];
    return callOf({ name, arguments: jsonAt(part, at)?.value });
  });
  return { text, calls };
});

/** JSON objects with semicolons between them, wherever the first one begins. */
const llamaJson = format((written) => {
  const calls: (ToolCall | undefined)[] = [];
  for (let at = written.indexOf('{'); at >= 0;) {
    const found = jsonAt(written, at);
    calls.push(callOf(found?.value));
    const next = found && /^\s*;\s*(?=\{)/.exec(written.slice(found.end));
    at = found && next ? found.end + next[0].length : -1;
  }
  return { text: '', calls };
});

const granite = format((written) => {
  const list = written.trim().replace(/^(?:<\|tool_call\|>|<tool_call>)\s*/, '');
  return list.startsWith('[') ? { text: '', calls: callsOf(shallowJson(list)) } : undefined;
});

const graniteFunctions = format((written) => {
  const [text = '', ...parts] = written.split('<function_call>');
  return { text, calls: parts.map((part) => callOf(jsonAt(part, skipSpace(part, 0))?.value)) };
});

const internlm = format((written) => {
  const [text, action] = splitOnce(written, '<|action_start|><|plugin|>');
  if (action === undefined) return undefined;
  const json = splitOnce(action, '<|action_end|>')[0];
  const value = shallowJson(json.slice(Math.max(0, json.indexOf('{'))));
  if (!isRecord(value)) return undefined;
  return { text, calls: [callOf({ ...value, arguments: value['parameters'] ?? value['arguments'] ?? {} })] };
});

/** A JSON object in each line between the tags. Calls within a thought do not count. */
const minimax = format((written) => {
  const thoughts = /<think>.*?<\/think>/gs;
  const answer = written.replace(thoughts, (thought) => ' '.repeat(thought.length));
  const at = answer.indexOf('<tool_calls>');
  if (at < 0) return undefined;
  const blocks = [...answer.matchAll(/<tool_calls>(.*?)(?:<\/tool_calls>|$)/gs)];
  const lines = blocks.flatMap(([, block = '']) => block.split('\n').filter((line) => line.trim() !== ''));
  return { text: written.slice(0, at).trim(), calls: lines.map((line) => callOf(shallowJson(line))) };
});

/** A JSON list: the whole reply, all after a thought, or in a block of code or tags. */
const xlam = format((written) => {
  const [thought, answer] = written.includes('</think>') ? splitOnce(written, '</think>') : ['', written];
  const blocks = [
    /^()(.*)$/s,
    /^(.*?)```(?:json)?\s*(.*?)```/s,
    /^(.*?)\[TOOL_CALLS\](.*?)(?:\n|$)/s,
    /^(.*?)<tool_call>(.*?)<\/tool_call>/s,
  ];
  for (const block of blocks) {
    const [, before = '', json = ''] = block.exec(answer ?? '') ?? [];
    const list = shallowJson(json);
    const text = thought === '' ? before : `${thought}</think>${before}`;
    if (Array.isArray(list)) return { text: text.trim(), calls: callsOf(list) };
  }
  return undefined;
});

const pythonic = (prepared: (written: string) => string): Format =>
  format((written) => {
    const code = prepared(written);
    if (!code.startsWith('[')) return undefined;
    return withoutLiteralErrors(() => ({
      text: '',
      calls: parsePythonCalls(code).map(({ name, arguments: given }) => ({
        name,
        arguments: Object.fromEntries([...given].map(([key, value]) => [key, plain(value)])),
      })),
    }));
  });

const deepseek31 = markedCalls(
  '<｜tool▁calls▁begin｜>',
  /<｜tool▁call▁begin｜>(?<name>.*?)<｜tool▁sep｜>(?<json>.*?)<｜tool▁call▁end｜>/gs,
);
const deepseek3 = markedCalls(
  '<｜tool▁calls▁begin｜>',
  /<｜tool▁call▁begin｜>[^<]*<｜tool▁sep｜>(?<name>[^\n]*)\n```json\n(?<json>.*?)\n```<｜tool▁call▁end｜>/gs,
);

const formats = {
  hermes: writtenReply,
  qwen: writtenReply,
  qwen25: writtenReply,
  qwen3_coder: functionTags('<tool_call>'),
  qwen3_xml: functionTags('<tool_call>'),
  seed_oss: functionTags('<seed:tool_call>', '</seed:think>'),
  llama3: llamaJson,
  llama3_json: llamaJson,
  llama4_json: llamaJson,
  pythonic: pythonic((written) => written),
  llama4_pythonic: pythonic((written) =>
    written.startsWith('<|python_start|>') ? written.replaceAll(/<\|python_(?:start|end)\|>/g, '') : written,
  ),
  mistral,
  deepseek_v3: deepseek3,
  deepseekv3: deepseek3,
  deepseek_v31: deepseek31,
  deepseekv31: deepseek31,
  kimi_k2: markedCalls(
    '<|tool_calls_section_begin|>',
    /<\|tool_call_begin\|>\s*(?<id>(?:[^<]*\.)?(?<name>[^<.]+?):\d+)\s*<\|tool_call_argument_begin\|>(?<json>.*?)<\|tool_call_end\|>/gs,
  ),
  glm: argumentTags,
  glm45: argumentTags,
  granite,
  'granite-20b-fc': graniteFunctions,
  internlm,
  jamba: jsonList('<tool_calls>', '</tool_calls>'),
  hunyuan_a13b: jsonList('<tool_calls>', '</tool_calls>'),
  minimax,
  phi4_mini_json: jsonList('functools', ''),
  step3: steps,
  xlam,
} satisfies Readonly<Record<string, Format>>;

export type ToolParser = keyof typeof formats;

export const toolParsers = Object.keys(formats) as readonly ToolParser[];

/** Returns the parser that a config names, by default the one of Hermes and Qwen. Throws `model/tool-parser`. */
export function toolParserOf(
  named: { readonly name: string; readonly namedAt: Location } | undefined,
): ToolParser {
  const { name, namedAt } = named ?? { name: 'hermes' };
  const found = toolParsers.find((parser) => parser === name);
  if (found !== undefined) return found;
  throw new CodedError({
    code: 'model/tool-parser',
    message: `AgentJet cannot read the tool calls of the parser ${JSON.stringify(name)}.`,
    location: namedAt,
    hint: `Choose from ${toolParsers.join(', ')}. Without a name, the format of Hermes and Qwen is read.`,
  });
}

/** Reads the tool calls of a reply. A reply without valid calls is text. Never throws. */
export function readReply(
  written: string,
  { parser, place, tools }: { parser: ToolParser; place: number; tools: readonly unknown[] | undefined },
): WrittenReply {
  return formats[parser](written, place, tools ?? []);
}

function callsOf(list: unknown): (ToolCall | undefined)[] {
  return Array.isArray(list) ? list.map((call) => callOf(call)) : [undefined];
}

function callOf(value: unknown, id?: string): ToolCall | undefined {
  if (!isRecord(value)) return undefined;
  const { name } = value;
  const given = value['arguments'] ?? value['parameters'];
  if (typeof name !== 'string' || !isRecord(given)) return undefined;
  return { name, arguments: given, ...(id !== undefined && { id }) };
}

function typesOf(tools: readonly unknown[]): TypeOf {
  return (tool, parameter) => {
    const found = tools.find(
      (each) => isRecord(each) && isRecord(each['function']) && each['function']['name'] === tool,
    );
    const properties = recordAt(recordAt(recordAt(found, 'function'), 'parameters'), 'properties');
    const type = recordAt(properties, parameter)?.['type'];
    return typeof type === 'string' ? type : undefined;
  };
}

function recordAt(value: unknown, key: string): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined;
  const found = value[key];
  return isRecord(found) ? found : undefined;
}

/** Returns the value of a text by the type of its parameter. A text that has another form stays a text. */
function typedValue(text: string, type: string | undefined): unknown {
  if (text.toLowerCase() === 'null') return null;
  switch (type) {
    case 'integer':
      return /^\s*[-+]?\d+\s*$/.test(text) ? Number(text) : text;
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    case 'boolean':
      return text.toLowerCase() === 'true';
    case 'object':
    case 'array':
      return parsedOr(text);
    default:
      return text;
  }
}

/** Returns the value of JSON or of a Python literal, and other texts as they are. */
function parsedOr(text: string): unknown {
  if (text === 'null') return null;
  const json = shallowJson(text);
  if (json !== undefined) return json;
  const literal = withoutLiteralErrors(() => plain(parsePythonLiteral(text)));
  return literal === undefined ? text : literal;
}

/** Returns undefined for a text that is not the Python code of a value. */
function withoutLiteralErrors<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof PythonLiteralError) return undefined;
    throw error;
  }
}

/** Returns a Python value as JSON has it. Throws a PythonLiteralError for values that it does not have. */
function plain(value: PythonValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (isList(value)) return value.map(plain);
  if (isDict(value)) return Object.fromEntries([...value.entries].map(([key, each]) => [key, plain(each)]));
  if (typeof value === 'object' && value !== null)
    throw new PythonLiteralError(`no JSON for a ${value.kind}`);
  return value;
}

/** Returns the texts before and after the first mark. The second one is undefined without a mark. */
function splitOnce(text: string, mark: string): readonly [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + mark.length)];
}

function between(text: string, begin: string, end: string): readonly [string, string, string] | undefined {
  const [before, rest] = splitOnce(text, begin);
  const [block, after] = splitOnce(rest ?? '', end);
  return after === undefined ? undefined : [before, block, after];
}

function skipSpace(text: string, at: number): number {
  return text.length - text.slice(at).trimStart().length;
}
