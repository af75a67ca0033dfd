import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  memberText,
  rememberText,
  writeRequest,
} from '../../../../src/backbone/core/model-tuner/messagesText.ts';
import type { ChatRequest } from '../../../../src/backbone/core/model-tuner/model.ts';
import { fuzz } from '../../fuzz.ts';

const name = fc.constantFrom('messages', 'model', 'a', '', '\\', '"messages":', 'messages ');
const space = fc.constantFrom(undefined, 1, '\t', '  ');

describe('the text of a field', () => {
  it('is that of its value, whatever stands beside and within it', () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    const tricky = fc.constantFrom('\\', '"', '\\"', '{"messages":[1]}', '],}', 'é😀', '\n', '\ud800');
    const field = fc.oneof(value, tricky, fc.array(tricky), fc.dictionary(tricky, fc.array(tricky)));
    fc.assert(
      fc.property(fc.dictionary(name, field), space, (fields, indent) => {
        const json = JSON.stringify(fields, undefined, indent);
        const text = memberText(json, 'messages');
        if (Object.keys(fields).some((key) => JSON.stringify(key).includes('\\'))) {
          expect(
            text === undefined || JSON.stringify(JSON.parse(text)) === JSON.stringify(fields['messages']),
          ).toBe(true);
        } else {
          expect(text === undefined ? undefined : JSON.parse(text)).toEqual(
            'messages' in fields ? JSON.parse(JSON.stringify(fields['messages'])) : undefined,
          );
        }
      }),
      fuzz(62, 10_000),
    );
  });

  it('is the last of several, as it is parsed, and none where names are escaped', () => {
    expect(memberText('{"messages":[1],"messages" : [2] }', 'messages')).toBe('[2]');
    expect(memberText('{"messages":[1],"mess\\u0061ges":[2]}', 'messages')).toBeUndefined();
    expect(memberText('{}', 'messages')).toBeUndefined();
  });
});

describe('a request', () => {
  it('goes on with its messages as they came, where they are long, and with all else as it is now', () => {
    const content = 'word '.repeat(2_000);
    const body = `{"model":"m","messages":[ {"role":"user","content":${JSON.stringify(content)}} ],"n":1}`;
    const parsed = JSON.parse(body) as ChatRequest;
    rememberText(parsed, body);
    const { messages } = parsed;
    const text = writeRequest({ model: 'other', messages, seed: 3 });
    expect(JSON.parse(text)).toEqual({ model: 'other', messages, seed: 3 });
    expect(text).toContain('[ {"role"');
    expect(JSON.parse(writeRequest({ model: 'm', messages: [...messages] }))).toEqual({
      model: 'm',
      messages,
    });
  });
});
