import { describe, expect, it } from 'vitest';
import type { TrackerOptions } from '../../../src/tracking/core/tracker.ts';
import { answer, assistant, Episode, system, user } from './episode.ts';
import { chatMl, tinyText } from './tinyText.ts';

const next = { role: 'user', content: 'and three' };
const history = [system, user, assistant('it is 2'), next];
const prompt = chatMl(history, { addGenerationPrompt: true });

/** An episode with one call, whose engine told that it was given these tokens. */
function told(written: string | readonly string[], options: Partial<TrackerOptions> = {}, exact = true) {
  const episode = new Episode({ ...options, text: tinyText(undefined, exact) });
  const promptIds = [written].flat().flatMap((piece) => episode.text.tokenizer.encode(piece));
  const tracked = episode.call(history, answer('3', { promptIds }));
  const texts = tracked.messages.map((at) => episode.text.tokenizer.textOf(episode.at(at).tokenIds).join(''));
  const { timelines, tracking } = episode.end();
  expect(timelines[0]?.messages.slice(0, -1)).toEqual(tracked.messages);
  return { texts, problems: tracking.problems, tracked };
}

const own = history.map((message) => chatMl([message], { addGenerationPrompt: false }));
const changed = prompt.replace('it is 2', '2');
const [, , reply = ''] = own;

describe('the prompt that the engine was given', () => {
  it.each([
    ['is the tracked one', prompt],
    ['has no header of a reply', chatMl(history, { addGenerationPrompt: false })],
  ])('%s', (_, written) => {
    expect(told(written)).toMatchObject({ texts: own, problems: [] });
  });

  it('tells nothing where the tokenizer is not the model’s', () => {
    expect(told(changed, {}, false)).toMatchObject({ texts: own, problems: [] });
  });

  it('has the same text with other tokens, which are told and not taken', () => {
    const { texts, problems } = told(prompt.split(/(?<=it)(?= is)|(?<= i)(?=s 2)/));
    expect(texts).toEqual(own);
    expect(problems).toMatchObject([
      {
        code: 'prompt-drift',
        severity: 'warning',
        message: expect.stringMatching(
          /^In call 0, message 2 \(assistant\) has the same text with other tokens .* from its token 4 on \(\d+, tracked \d+\)/,
        ) as string,
      },
    ]);
  });

  it('has another text, of which tokens are made', () => {
    const { texts, problems, tracked } = told(changed);
    expect(texts).toEqual(own.with(2, reply.replace('it is 2', '2')));
    expect(problems).toMatchObject([
      {
        code: 'prompt-drift',
        severity: 'error',
        message: expect.stringContaining(
          'message 2 is "…im_start|>assistant\\n2<|im_end|>\\n" in the prompt of the engine, but "…im_start|>assistant\\nit is 2<|im_end|>\\n"',
        ) as string,
      },
    ]);
    expect(tracked.promptTokens).toBeGreaterThan(0);
  });

  it('is told and not taken without fix_retokenization_drift', () => {
    const { texts, problems } = told(changed, { fixesDrift: false });
    expect(texts).toEqual(own);
    expect(problems).toMatchObject([{ code: 'prompt-drift', severity: 'warning' }]);
  });

  const shorter = chatMl(history.slice(0, 3), { addGenerationPrompt: true });
  const longer = chatMl([...history, assistant('hm')], { addGenerationPrompt: true });
  it.each<[string, string, boolean, number, string]>([
    ['fewer messages', shorter, true, 3, 'error'],
    ['fewer messages, left alone', shorter, false, 3, 'warning'],
    ['more messages', longer, true, 4, 'warning'],
  ])('has %s', (_, written, fixesDrift, count, severity) => {
    const { texts, problems } = told(written, { fixesDrift });
    expect(texts).toEqual(own.slice(0, count));
    expect(problems).toMatchObject([{ code: 'prompt-drift', severity }]);
  });

  it('does not begin as ChatML’s do', () => {
    const { texts, problems } = told(` ${prompt}`);
    expect(texts).toEqual(own);
    expect(problems).toMatchObject([{ code: 'prompt-drift', severity: 'error' }]);
  });

  it('is nothing to a call that training does not keep', () => {
    const madness = { checklist: ['wrong_toolcall'], reward: -1, terminates: true };
    const episode = new Episode({ madness });
    episode.call([system, user], answer('<tool_call>'));
    const promptIds = episode.text.tokenizer.encode(changed);
    episode.call(history, answer('3', { promptIds }));
    expect(episode.codes()).not.toContain('prompt-drift!');
  });
});
