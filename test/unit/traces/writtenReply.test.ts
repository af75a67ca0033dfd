import { expect, it } from 'vitest';
import { writtenReply } from '../../../src/traces/core/writtenReply.ts';

const call = (name: string, args: string): string =>
  `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`;

interface Call {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Names and arguments of calls, as AgentJet would give them to the workflow. */
function read(written: string): { readonly text: string; readonly calls: readonly string[] } {
  const { text, toolCalls } = writtenReply(written, 3);
  const calls = JSON.parse(toolCalls ?? '[]') as readonly Call[];
  return { text, calls: calls.map(({ id, function: called }) => `${id} ${called.name} ${called.arguments}`) };
}

it.each([
  ['a text', 'Hello.', 'Hello.', []],
  ['a call alone', call('add', '{"a": 1}'), '', ['call_3_0 add {"a":1}']],
  [
    'calls behind a text, with what is between and after them left out',
    `I look.\n${call('add', '{}')} and ${call('sub', '{"b": [1]}')} done`,
    'I look.\n',
    ['call_3_0 add {}', 'call_3_1 sub {"b":[1]}'],
  ],
  [
    'a whole call, and one that was cut off after its JSON',
    `${call('add', '{}')}<tool_call>{"name": "sub", "arguments": {}}`,
    '',
    ['call_3_0 add {}', 'call_3_1 sub {}'],
  ],
])('%s', (_, written, text, calls) => {
  expect(read(written)).toEqual({ text, calls });
});

it.each([
  ['no JSON', '<tool_call>add(1)</tool_call>'],
  ['arguments that are no object', call('add', '"1"')],
  ['no arguments', '<tool_call>{"name": "add"}</tool_call>'],
  ['one good and one bad', call('add', '{}') + call('sub', '[1]')],
  ['one good and one cut off within', `${call('add', '{}')}<tool_call>{"name": "su`],
  ['none that ends', '<tool_call>{"name": "add", "arguments": {}}'],
])('is all text with %s', (_, written) => {
  expect(read(written)).toEqual({ text: written, calls: [] });
});
