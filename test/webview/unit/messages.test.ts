import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MessageView } from '../../../src/traces/core/protocol/episodeRpc.ts';
import { webAddress } from '../../../src/traces/webview/message/webAddress.ts';
import { rasterOf, textPieces } from '../../../src/traces/webview/message/rasters.ts';
import { splitReasoning } from '../../../src/traces/webview/message/reasoning.ts';
import {
  parseToolCalls,
  splitToolResults,
  linkToolCalls,
} from '../../../src/traces/webview/message/toolCalls.ts';
import { prettyJson } from '../../../src/base/core/format.ts';

describe('reasoning', () => {
  test('is what stands between its marks, at the start', () => {
    expect(splitReasoning('<think>a</think>\n\nb')).toEqual({ reasoning: 'a', closed: true, rest: 'b' });
    expect(splitReasoning(' <thinking>\na\nb')).toEqual({ reasoning: 'a\nb', closed: false, rest: '' });
    expect(splitReasoning('a\n</think>\nb')).toEqual({ reasoning: 'a', closed: true, rest: 'b' });
    expect(splitReasoning('see <think>')).toBeUndefined();
  });
});

describe('an address', () => {
  test.each([
    ['https://example.org/a b', 'https://example.org/a%20b'],
    ['HTTP://EXAMPLE.org', 'http://example.org/'],
    ['javascript:alert(1)', undefined],
    ['java\nscript:alert(1)', undefined],
    ['//example.org', undefined],
    ['https:example.org', undefined],
    ['data:text/html,a', undefined],
    ['command:workbench.action.quit', undefined],
    ['vscode://file/etc/passwd', undefined],
    ['https://', undefined],
  ])('%j leads to %j', (address, web) => {
    expect(webAddress(address)).toBe(web);
  });
});

describe('base64', () => {
  const noise = Buffer.from(Array.from({ length: 900 }, (_, at) => (at * 7_919) % 251)).toString('base64');

  test('is told in a word', () => {
    expect(textPieces(`see data:image/png;base64,${noise} there`)).toEqual([
      { kind: 'text', text: 'see ' },
      { kind: 'data', type: 'image/png', bytes: 900 },
      { kind: 'text', text: ' there' },
    ]);
    expect(textPieces(`{"image":"${noise}"}`)[1]).toEqual({ kind: 'data', type: '', bytes: 900 });
  });

  test('is not what a model repeats', () => {
    const mad = 'ha'.repeat(5_000);
    expect(textPieces(mad)).toEqual([{ kind: 'text', text: mad }]);
  });

  test('shows pixels only', () => {
    expect(rasterOf('data:image/png;base64,AAAA')).toEqual({ type: 'image/png', base64: 'AAAA' });
    for (const other of [
      'data:image/svg+xml;base64,AAAA',
      'data:text/html;base64,AAAA',
      'data:image/png,a',
      'https://a/b.png',
    ])
      expect(rasterOf(other)).toBeUndefined();
  });
});

test('JSON is indented as JSON.stringify would, with every number as it was', () => {
  const compact = fc.json().map((json) => JSON.stringify(JSON.parse(json)));
  fc.assert(
    fc.property(compact, (json) => prettyJson(json) === JSON.stringify(JSON.parse(json), undefined, 2)),
  );
  expect(prettyJson('{"a":1.0,"a":12345678901234567890,"b":[]}')).toBe(
    '{\n  "a": 1.0,\n  "a": 12345678901234567890,\n  "b": []\n}',
  );
  expect(prettyJson('{"a":')).toBe('{"a":');
});

describe('tool calls', () => {
  const message = (index: number, fields: Partial<MessageView>): MessageView => {
    const { text = '' } = fields;
    const counts = { firstToken: 0, tokens: 0, trainableTokens: 0 };
    const plain = { author: 'env', truncated: false, toolCalls: null, toolCallId: null } as const;
    return { index, role: 'user', text, length: text.length, ...plain, ...counts, ...fields };
  };
  const calls = (...ids: string[]) =>
    JSON.stringify(ids.map((id) => ({ id, function: { name: `tool-${id}`, arguments: { a: 1 } } })));

  test('are answered by id, whatever the order, or by order where results were joined', () => {
    const { answers, callers: askers } = linkToolCalls([
      message(0, { role: 'assistant', toolCalls: calls('x', 'y', 'z') }),
      message(1, { role: 'tool', toolCallId: 'y', text: 'why' }),
      message(2, { role: 'tool', toolCallId: 'x', text: 'ex' }),
      message(3, { role: 'assistant', toolCalls: calls('p', 'q') }),
      message(4, { role: 'tool', text: 'one\n</tool_response>\n<tool_response>\ntwo\n' }),
      message(5, { role: 'assistant', toolCalls: calls('x') }),
    ]);
    expect(answers.get(0)).toEqual([{ message: 2, text: 'ex' }, { message: 1, text: 'why' }, undefined]);
    expect(answers.get(3)).toEqual([
      { message: 4, text: 'one' },
      { message: 4, text: 'two' },
    ]);
    expect(answers.get(5)).toEqual([undefined]);
    expect(askers.get(4)).toEqual([
      { message: 3, name: 'tool-p' },
      { message: 3, name: 'tool-q' },
    ]);
  });

  test('that are none are no calls', () => {
    for (const json of ['', '{}', '[1]', '[{"function":{}}]', 'null'])
      expect(parseToolCalls(json)).toBeUndefined();
    expect(parseToolCalls('[{"function":{"name":"a","arguments":"{"}}]')).toEqual([
      { id: null, name: 'a', given: '{', pretty: null },
    ]);
    expect(splitToolResults('plain\n')).toEqual(['plain\n']);
  });
});
