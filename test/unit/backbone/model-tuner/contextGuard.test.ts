import { describe, expect, it } from 'vitest';
import type { PendingCall } from '../../../../src/backbone/core/model-tuner/call.ts';
import type { ContextCheck } from '../../../../src/tracking/core/tracker.ts';
import { ask, hello, saying, tunerBench, type Bench } from './tunerBench.ts';

const overflow: ContextCheck = { unsafe: 'token_overflow', overflows: true };
const text = 'ajet_proxy: Exceeded max model context length.';

function benchWith(check: ContextCheck): Bench & { readonly checked: PendingCall[] } {
  const checked: PendingCall[] = [];
  const bench = tunerBench(
    () => saying('hi'),
    (call) => {
      checked.push(call);
      return Promise.resolve(check);
    },
  );
  return { ...bench, checked };
}

describe('a call whose prompt overflows', () => {
  it('is answered with the canned reply, and the model is not asked', async () => {
    const bench = benchWith(overflow);
    const { status, json } = await ask(bench);
    expect([status, json]).toEqual([
      200,
      {
        id: 'overflow_response',
        object: 'chat.completion',
        created: 0,
        model: 'unknown',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: text, refusal: null },
            logprobs: null,
            finish_reason: 'stop',
          },
        ],
      },
    ]);
    expect(bench.asked).toEqual([]);
    expect(bench.checked).toMatchObject([{ episode: 5, call: 0, agentName: 'solver', startedAt: 0 }]);
    expect(bench.calls).toMatchObject([{ status: 200, canned: 'overflow_response' }]);
    expect([bench.episode.contextOverflow, bench.episode.llmCalls]).toEqual([true, 0]);
  });

  it('streams it to who asks for a stream', async () => {
    const bench = benchWith(overflow);
    const reply = await ask(bench, { ...hello, stream: true });
    const events = reply.text.split('\n\n').flatMap((event) => {
      const data = event.replace(/^data: /, '');
      return data.startsWith('{') ? [JSON.parse(data) as { choices: { delta: { content?: string } }[] }] : [];
    });
    expect(events.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(text);
    expect(reply.text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(bench.calls).toMatchObject([{ status: 200, canned: 'overflow_response' }]);
  });

  it.each([
    ['/v1/responses', { model: 'any', input: 'hello' }],
    ['/v1/messages', { model: 'any', max_tokens: 9, messages: hello.messages }],
  ])('is answered so in every form: %s', async (path, body) => {
    for (const stream of [false, true]) {
      const bench = benchWith(overflow);
      const reply = await ask(bench, { ...body, stream }, { path });
      expect([reply.status, bench.asked.length]).toEqual([200, 0]);
      expect(reply.text).toContain('ajet_proxy');
      expect(bench.calls).toMatchObject([{ canned: 'overflow_response' }]);
    }
  });

  it('is asked all the same where a debug model answers', async () => {
    const bench = benchWith(overflow);
    await ask(bench, hello, { adapter: { debugModel: 'gpt' } });
    expect([bench.checked, bench.debugAsked.length]).toEqual([[], 1]);
    expect(bench.episode.contextOverflow).toBe(false);
  });
});

describe('a call that is not safe for another reason', () => {
  it.each(['externally_interrupted', 'already_mad'] as const)('%s reaches the model', async (unsafe) => {
    const bench = benchWith({ unsafe, overflows: false });
    expect((await ask(bench)).text).toContain('"content":"hi"');
    expect([bench.episode.contextOverflow, bench.episode.llmCalls]).toEqual([true, 1]);
    expect(bench.calls).toMatchObject([{ canned: null }]);
  });
});

it('a safe call leaves the context as it is', async () => {
  const bench = benchWith({ unsafe: null, overflows: false });
  await ask(bench);
  expect([bench.episode.contextOverflow, bench.asked.length]).toEqual([false, 1]);
});
