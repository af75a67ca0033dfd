import { describe, expect, it } from 'vitest';
import { answer, assistant, Episode, system, user } from './episode.ts';
import { chatMl, tinyText, tokensById } from './tinyText.ts';

const next = { role: 'user', content: 'and three' };

/** An episode whose model made "it" of two tokens, "i" and "t", which the tokenizer never does. */
function drifted(exact = true): Episode {
  const episode = new Episode({ text: tinyText(undefined, exact) });
  const written = ['i', 't', '<|im_end|>'].flatMap((piece) => tokensById(episode.text, piece));
  episode.call([system, user], answer('it', { tokens: written }));
  return episode;
}

describe('retokenization drift', () => {
  it('is told with the message, the token and both ids', () => {
    const episode = drifted();
    episode.call([system, user, assistant('it'), next], answer('3'));
    const [it, i] = ['it', 'i'].map((piece) => episode.text.tokenizer.encode(piece)[0]);
    expect(episode.end().tracking.problems).toEqual([
      {
        code: 'retokenization-drift',
        severity: 'warning',
        message: `In call 1, message 2 is the reply of call 0, but the chat template gives other tokens for its text from its token 3 on (${it ?? ''}; the model generated ${i ?? ''}).`,
        calls: [1],
      },
    ]);
  });

  it('is one problem, with every call whose prompt has it', () => {
    const episode = drifted();
    const history = [system, user, assistant('it'), next];
    episode.call(history, answer('3'));
    episode.call([...history, assistant('3'), next], answer('4'));
    expect(episode.end().tracking.problems.map(({ code, calls }) => [code, calls])).toEqual([
      ['retokenization-drift', [1, 2]],
    ]);
  });

  it('is what merging by text mends: the timeline has what the model made', () => {
    const episode = drifted();
    episode.call([system, user, assistant('it'), next], answer('3'));
    const [timeline] = episode.end().timelines;
    expect(episode.text.tokenizer.textOf(episode.at(timeline?.messages[2] ?? null).tokenIds)).toContain('i');
  });

  it('is also a template that writes a reply in other words once it is history', () => {
    const render = (...[messages, options]: Parameters<typeof chatMl>): string =>
      chatMl(
        messages.map((message, index) =>
          index < messages.length - 1 || message.role !== 'assistant' || messages[0]?.role === 'assistant'
            ? { ...message, content: message.content.replace('hm so ', '') }
            : message,
        ),
        options,
      );
    const episode = new Episode({ text: tinyText(render) });
    const tokens = tokensById(episode.text, 'hm so 2<|im_end|>');
    episode.call([system, user], answer('hm so 2', { tokens }));
    episode.call([system, user, assistant('hm so 2'), next], answer('3'));
    expect(episode.end().tracking.problems[0]?.message).toContain(
      'message 2 is the reply of call 0, but the chat template gives another text from its token 3 on',
    );
  });

  it.each<[string, () => Episode, string]>([
    ['a reply in the tokens that the template makes of it', () => new Episode(), '2'],
    ['another text than the reply', drifted, 'them'],
    ['tokens of an approximate tokenizer', () => drifted(false), 'it'],
  ])('is not found for %s', (_, begin, content) => {
    const episode = begin();
    episode.call([system, user], answer('2', { tokens: tokensById(episode.text, '2<|im_end|>') }));
    episode.call([system, user, assistant(content), next], answer('3'));
    expect(episode.codes()).not.toContain('retokenization-drift');
  });

  it('is of one attempt', () => {
    const episode = drifted();
    episode.tracker.restart();
    episode.call([system, user, assistant('it'), next], answer('3'));
    expect(episode.codes()).toEqual([]);
  });
});
