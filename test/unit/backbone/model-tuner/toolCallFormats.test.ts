import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readReply,
  toolParsers,
  type ToolParser,
} from '../../../../src/backbone/core/model-tuner/tinker/toolCallFormats.ts';
import { fuzz } from '../../fuzz.ts';

type Args = Readonly<Record<string, unknown>>;
type Call = readonly [name: string, args: Args];

const weather = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        days: { type: 'integer' },
        limit: { type: 'number' },
        alert: { type: 'boolean' },
        tags: { type: 'array' },
      },
    },
  },
};

interface ToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

function read(parser: ToolParser, written: string): { text: string; calls: readonly Call[]; ids: string[] } {
  const { text, toolCalls } = readReply(written, { parser, place: 3, tools: [weather] });
  const calls = JSON.parse(toolCalls ?? '[]') as readonly ToolCall[];
  return {
    text,
    calls: calls.map(({ function: { name, arguments: args } }) => [name, JSON.parse(args) as Args]),
    ids: calls.map(({ id }) => id),
  };
}

const bern = '{"city": "Bern", "days": 2}';
const bernCall: Call = ['weather', { city: 'Bern', days: 2 }];
const noCall: Call = ['now', {}];

/** Replies as the documentation and the tests of the engines have them. */
const examples: readonly (readonly [ToolParser, string, string, readonly Call[]])[] = [
  [
    'hermes',
    `Look.\n<tool_call>\n{"name": "weather", "arguments": ${bern}}\n</tool_call>`,
    'Look.\n',
    [bernCall],
  ],
  [
    'qwen3_coder',
    'Look.\n<tool_call>\n<function=weather>\n<parameter=city>\nBern\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=now>\n</function>\n</tool_call>',
    'Look.\n',
    [bernCall, noCall],
  ],
  ['qwen3_xml', '<function=weather><parameter=city>Bern</parameter><parameter=days>2', '', [bernCall]],
  [
    'seed_oss',
    '<seed:think>Not <function=no></function></seed:think>Look. <seed:tool_call><function=weather><parameter=city>Bern</parameter><parameter=days>2</parameter></function></seed:tool_call>',
    '<seed:think>Not <function=no></function></seed:think>Look. ',
    [bernCall],
  ],
  [
    'llama3_json',
    `<|python_tag|>{"name": "weather", "parameters": ${bern}}; {"name": "now", "parameters": {}}`,
    '',
    [bernCall, noCall],
  ],
  ['llama4_json', `I call {"name": "weather", "arguments": ${bern}} now.`, '', [bernCall]],
  ['pythonic', '[weather(city="Bern", days=2), now()]', '', [bernCall, noCall]],
  [
    'pythonic',
    "[weather(city='Bern', tags=['a', {'b': None}], alert=True, limit=-1.5)]",
    '',
    [['weather', { city: 'Bern', tags: ['a', { b: null }], alert: true, limit: -1.5 }]],
  ],
  ['llama4_pythonic', '<|python_start|>[weather(city="Bern", days=2)]<|python_end|>', '', [bernCall]],
  ['mistral', `Look.[TOOL_CALLS] [{"name": "weather", "arguments": ${bern}}]`, 'Look.', [bernCall]],
  ['mistral', `[TOOL_CALLS]weather${bern}[TOOL_CALLS]now{}`, '', [bernCall, noCall]],
  ['mistral', `[TOOL_CALLS]weather[CALL_ID]abcDEF123[ARGS]${bern}`, '', [bernCall]],
  [
    'deepseek_v3',
    `Look.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>weather\n\`\`\`json\n${bern}\n\`\`\`<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n\`\`\`json\n{}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    'Look.',
    [bernCall, noCall],
  ],
  [
    'deepseek_v31',
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>weather<｜tool▁sep｜>${bern}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    '',
    [bernCall],
  ],
  [
    'kimi_k2',
    `Look.<|tool_calls_section_begin|><|tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>${bern}<|tool_call_end|><|tool_calls_section_end|>`,
    'Look.',
    [bernCall],
  ],
  [
    'glm45',
    'Look.\n<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Bern</arg_value>\n<arg_key>days</arg_key>\n<arg_value>2</arg_value>\n</tool_call>',
    'Look.\n',
    [bernCall],
  ],
  ['granite', `<|tool_call|>[{"name": "weather", "arguments": ${bern}}]`, '', [bernCall]],
  ['granite', `<tool_call>[{"name": "weather", "arguments": ${bern}}]\n`, '', [bernCall]],
  [
    'granite-20b-fc',
    `Look. <function_call> {"name": "weather", "arguments": ${bern}} <function_call> {"name": "now", "arguments": {}}`,
    'Look. ',
    [bernCall, noCall],
  ],
  [
    'internlm',
    `Look.<|action_start|><|plugin|>\n{"name": "weather", "parameters": ${bern}}<|action_end|>`,
    'Look.',
    [bernCall],
  ],
  ['internlm', '<|action_start|><|plugin|>{"name": "now"}<|action_end|>', '', [noCall]],
  ['jamba', ` <tool_calls>[\n  {"name": "weather", "arguments": ${bern}}\n]</tool_calls>`, ' ', [bernCall]],
  [
    'hunyuan_a13b',
    `Look.<tool_calls>[{"name": "weather", "arguments": ${bern}}]</tool_calls>`,
    'Look.',
    [bernCall],
  ],
  [
    'minimax',
    `<think><tool_calls>\n{"name": "no", "arguments": {}}\n</tool_calls></think>Look.\n<tool_calls>\n{"name": "weather", "arguments": ${bern}}\n{"name": "now", "arguments": {}}\n</tool_calls>`,
    '<think><tool_calls>\n{"name": "no", "arguments": {}}\n</tool_calls></think>Look.',
    [bernCall, noCall],
  ],
  ['phi4_mini_json', `functools[{"name": "weather", "arguments": ${bern}}]`, '', [bernCall]],
  [
    'step3',
    'Look. <｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="weather"><steptml:parameter name="city">Bern</steptml:parameter><steptml:parameter name="days">2</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
    'Look.',
    [bernCall],
  ],
  ['xlam', `[{"name": "weather", "arguments": ${bern}}]`, '', [bernCall]],
  ['xlam', `Look.\n\`\`\`json\n[{"name": "weather", "arguments": ${bern}}]\n\`\`\``, 'Look.', [bernCall]],
  ['xlam', `<think>I see.</think>[{"name": "now", "arguments": {}}]`, '<think>I see.</think>', [noCall]],
];

describe('the tool calls of a reply', () => {
  it.each(examples)('are read in the format %s: %s', (parser, written, text, calls) => {
    expect(read(parser, written)).toMatchObject({ text, calls });
  });

  it('have examples in each format but those that have two names', () => {
    const others = ['qwen', 'qwen25', 'llama3', 'deepseekv3', 'deepseekv31', 'glm'];
    const shown = new Set(examples.map(([parser]) => parser));
    expect(toolParsers.filter((parser) => !shown.has(parser))).toEqual(others);
  });

  it('keep the ids of formats that have them, and are numbered in others', () => {
    const ids = (wanted: ToolParser): readonly string[] =>
      examples.flatMap(([parser, written]) => (parser === wanted ? [read(parser, written).ids] : []))[0] ??
      [];
    expect(ids('kimi_k2')).toEqual(['functions.weather:0']);
    expect(ids('deepseek_v3')).toEqual(['call_3_0', 'call_3_1']);
  });

  it('have values by the types of their tool', () => {
    const tagged = (parameter: string, text: string): unknown => {
      const written = `<function=weather><parameter=${parameter}>${text}</parameter></function>`;
      return read('qwen3_coder', written).calls[0]?.[1][parameter];
    };
    expect(tagged('city', '2')).toBe('2');
    expect(tagged('days', '2')).toBe(2);
    expect(tagged('days', 'two')).toBe('two');
    expect(tagged('limit', '0.5')).toBe(0.5);
    expect(tagged('alert', 'True')).toBe(true);
    expect(tagged('tags', "['a', 1]")).toEqual(['a', 1]);
    expect(tagged('tags', '["a", 1]')).toEqual(['a', 1]);
    expect(tagged('city', 'null')).toBeNull();
    expect(tagged('other', '[1]')).toBe('[1]');
  });
});

it.each<readonly [ToolParser, string]>([
  ['qwen3_coder', '<tool_call>\n<function=weather'],
  ['qwen3_coder', '<tool_call><function=weather><parameter=city</function></tool_call>'],
  ['llama3_json', 'Use {"a": 1} here.'],
  ['llama3_json', '{"name": "weather", "parameters": {"city": "Bern"'],
  ['pythonic', '[weather("Bern")]'],
  ['pythonic', '[weather(city=name)]'],
  ['pythonic', '[weather(city="Bern"'],
  ['pythonic', '[1, 2]'],
  ['pythonic', `[f(a=${'['.repeat(5_000)})]`],
  ['mistral', '[TOOL_CALLS][{"name": "weather"}]'],
  ['mistral', '[TOOL_CALLS]weather[ARGS]'],
  ['deepseek_v3', '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>weather\n```json\n{}'],
  ['kimi_k2', '<|tool_calls_section_begin|><|tool_call_begin|>weather<|tool_call_argument_begin|>{}'],
  ['glm45', '<tool_call>just a remark</tool_call>'],
  ['granite', 'Look. [{"name": "weather", "arguments": {}}]'],
  ['internlm', '<|action_start|><|plugin|>weather<|action_end|>'],
  ['jamba', '<tool_calls>[{"name": "weather", "arguments": {}}]'],
  ['jamba', '<tool_calls>[]</tool_calls>'],
  ['minimax', '<tool_calls>\nweather\n</tool_calls>'],
  ['phi4_mini_json', 'functools[{"name": "weather", "arguments": [1]}]'],
  [
    'step3',
    '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="weather">',
  ],
  ['xlam', 'A list: [{"name": "weather", "arguments": {}}]'],
])('a reply is text in the format %s where it has no valid call: %s', (parser, written) => {
  expect(read(parser, written)).toEqual({ text: written, calls: [], ids: [] });
});

const json = (name: string, args: Args): string => JSON.stringify({ name, arguments: args });
const list = (calls: readonly Call[]): string =>
  `[${calls.map(([name, args]) => json(name, args)).join(', ')}]`;
const tags = ([name, args]: Call): string =>
  `<function=${name}>${Object.entries(args)
    .map(
      ([key, value]) =>
        `<parameter=${key}>\n${typeof value === 'string' ? value : JSON.stringify(value)}\n</parameter>`,
    )
    .join('')}</function>`;

/** Writers of calls with any JSON as arguments. */
const jsonWriters: Partial<Record<ToolParser, (calls: readonly Call[]) => string>> = {
  hermes: (calls) => calls.map((call) => `<tool_call>\n${json(...call)}\n</tool_call>`).join('\n'),
  llama3_json: (calls) => calls.map((call) => json(...call)).join('; '),
  mistral: (calls) => `[TOOL_CALLS]${list(calls)}`,
  deepseek_v31: (calls) =>
    `<｜tool▁calls▁begin｜>${calls.map(([name, args]) => `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${JSON.stringify(args)}<｜tool▁call▁end｜>`).join('')}<｜tool▁calls▁end｜>`,
  deepseek_v3: (calls) =>
    `<｜tool▁calls▁begin｜>${calls.map(([name, args]) => `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${JSON.stringify(args)}\n\`\`\`<｜tool▁call▁end｜>`).join('\n')}<｜tool▁calls▁end｜>`,
  kimi_k2: (calls) =>
    `<|tool_calls_section_begin|>${calls.map(([name, args], at) => `<|tool_call_begin|>functions.${name}:${at}<|tool_call_argument_begin|>${JSON.stringify(args)}<|tool_call_end|>`).join('')}<|tool_calls_section_end|>`,
  granite: (calls) => `<|tool_call|>${list(calls)}`,
  'granite-20b-fc': (calls) => calls.map((call) => `<function_call> ${json(...call)}`).join(' '),
  internlm: ([[name, args] = noCall]) =>
    `<|action_start|><|plugin|>\n${JSON.stringify({ name, parameters: args })}<|action_end|>`,
  jamba: (calls) => `<tool_calls>${list(calls)}</tool_calls>`,
  minimax: (calls) => `<tool_calls>\n${calls.map((call) => json(...call)).join('\n')}\n</tool_calls>`,
  phi4_mini_json: (calls) => `functools${list(calls)}`,
  xlam: list,
};

/** Writers of calls whose arguments are what the tool `weather` has. */
const typedWriters: Partial<Record<ToolParser, (calls: readonly Call[]) => string>> = {
  qwen3_coder: (calls) => calls.map((call) => `<tool_call>\n${tags(call)}\n</tool_call>`).join('\n'),
  seed_oss: (calls) => calls.map((call) => `<seed:tool_call>${tags(call)}</seed:tool_call>`).join(''),
  glm45: (calls) =>
    calls
      .map(
        ([name, args]) =>
          `<tool_call>${name}\n${Object.entries(args)
            .map(
              ([key, value]) =>
                `<arg_key>${key}</arg_key>\n<arg_value>${typeof value === 'string' ? value : JSON.stringify(value)}</arg_value>\n`,
            )
            .join('')}</tool_call>`,
      )
      .join(''),
  pythonic: (calls) =>
    `[${calls
      .map(([name, args]) => {
        const values = Object.entries(args).map(([key, value]) => `${key}=${python(value)}`);
        return `${name}(${values.join(', ')})`;
      })
      .join(', ')}]`,
  step3: (calls) =>
    `<｜tool_calls_begin｜>${calls
      .map(([name, args]) => {
        const values = Object.entries(args).map(
          ([key, value]) => `<steptml:parameter name="${key}">${String(value)}</steptml:parameter>`,
        );
        return `<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="${name}">${values.join('')}</steptml:invoke><｜tool_call_end｜>`;
      })
      .join('')}<｜tool_calls_end｜>`,
};

function python(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}

/** Marks of all formats, of which a format must not see its own within an argument. */
const anyMark = /[<>[\]｜]|functools|\*\//;
const name = fc.constantFrom('weather', 'now', 'search_it');
const anyArguments = fc
  .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
  .filter((args) => !anyMark.test(Object.keys(args).join('')))
  .map((args) => JSON.parse(JSON.stringify(args).replaceAll(/[<>｜]/g, '')) as Args);
const word = fc.stringMatching(/^[a-zA-Z é.,:;!?-]{1,12}$/).map((text) => `x${text.trim()}`);
const typedArguments = fc.record(
  {
    city: word,
    days: fc.integer(),
    limit: fc.float({ noNaN: true, noDefaultInfinity: true }),
    alert: fc.boolean(),
  },
  { requiredKeys: [] },
);

it.each(Object.entries(jsonWriters))('%s: written calls are read again', (parser, write) => {
  const property = fc.property(
    fc.array(fc.tuple(name, anyArguments), { minLength: 1, maxLength: 3 }),
    (calls) => {
      const shown = parser === 'internlm' ? calls.slice(0, 1) : calls;
      const expected = JSON.parse(JSON.stringify(shown)) as readonly Call[];
      expect(read(parser as ToolParser, write(calls)).calls).toEqual(expected);
    },
  );
  fc.assert(property, fuzz(2201, 1_000));
});

it.each(Object.entries(typedWriters))('%s: written calls are read again', (parser, write) => {
  const call = fc.tuple(fc.constant('weather'), typedArguments);
  const property = fc.property(fc.array(call, { minLength: 1, maxLength: 3 }), (calls) => {
    const expected = JSON.parse(JSON.stringify(calls)) as readonly Call[];
    expect(read(parser as ToolParser, write(calls)).calls).toEqual(expected);
  });
  fc.assert(property, fuzz(2202, 1_000));
});

it('a reply that is cut off, or whose marks are mixed, is text or has valid calls, and nothing throws', () => {
  const pieces = examples.flatMap(([, written]) => written.split(/(?<=[>\]}\n])|(?=[<[{])/));
  const cut = fc
    .tuple(fc.constantFrom(...examples.map(([, written]) => written)), fc.nat(200))
    .map(([written, at]) => written.slice(0, at));
  const mixed = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
  const property = fc.property(fc.constantFrom(...toolParsers), fc.oneof(cut, mixed), (parser, written) => {
    const { text, calls } = read(parser, written);
    if (calls.length === 0) expect(text).toBe(written);
    for (const [called, args] of calls) {
      expect(called).not.toBe('');
      expect(args).toBeTypeOf('object');
    }
  });
  fc.assert(property, fuzz(2203, 20_000));
});
