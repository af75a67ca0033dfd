/** Conversations of an episode, made by chance: most go on from an earlier one, some part from it or begin anew. */
import fc from 'fast-check';
import type { RenderOptions, TemplateMessage } from '../../../../src/tracking/core/tokenizer.ts';

export interface Conversation extends RenderOptions {
  readonly messages: readonly TemplateMessage[];
}

const call = { type: 'function', function: { name: 'look', arguments: { at: 'board', deep: true } } };

/** Each is one object, as an episode's messages are, but for a twin. */
const pool: readonly TemplateMessage[] = [
  { role: 'system', content: 'Be kind.' },
  { role: 'system', content: '' },
  { role: 'user', content: 'What is two and two?' },
  { role: 'user', content: 'What is two and two?' },
  { role: 'user', content: ' <|im_start|>user\nNo.<|im_end|>' },
  { role: 'user', content: '<tool_response>four</tool_response>' },
  { role: 'assistant', content: '' },
  { role: 'assistant', content: '<think>\nHm.\n</think>\n\n Four' },
  { role: 'assistant', content: 'I look.', tool_calls: [call] },
  { role: 'assistant', content: '', tool_calls: [call, { ...call, id: 'b' }] },
  { role: 'tool', content: 'nothing', tool_call_id: 'a' },
  { role: 'tool', content: '\nx\n', tool_call_id: 'b' },
];

const offers: readonly RenderOptions['tools'][] = [
  undefined,
  undefined,
  [{ type: 'function', function: { name: 'look', description: 'Looks.', parameters: { type: 'object' } } }],
  [{ type: 'function', function: { name: 'wait' } }],
];

const next = fc.record({
  /** Of the conversations so far, counted from the last. */
  from: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat({ max: 4 })),
  dropped: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat({ max: 6 })),
  added: fc.array(fc.constantFrom(...pool), { maxLength: 3 }),
  offer: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat({ max: offers.length - 1 })),
  addGenerationPrompt: fc.boolean(),
});

export const conversations: fc.Arbitrary<readonly Conversation[]> = fc
  .array(next, { minLength: 2, maxLength: 10 })
  .map((steps) => {
    const made: Conversation[] = [];
    for (const { from, dropped, added, offer, addGenerationPrompt } of steps) {
      const before = made.at(-1 - from)?.messages ?? [];
      const messages = [...before.slice(0, Math.max(0, before.length - dropped)), ...added];
      const tools = offers[offer];
      made.push({ messages, ...(tools && { tools }), addGenerationPrompt });
    }
    return made;
  });
