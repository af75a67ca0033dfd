import { describe, expect, it } from 'vitest';
import {
  drawFault,
  withFaults,
  FaultTally,
} from '../../../../src/backbone/core/model-tuner/faults/faults.ts';
import type { ModelReply } from '../../../../src/backbone/core/model-tuner/model.ts';
import { EpisodeNames } from '../../../../src/backbone/core/model-tuner/recording/episodeNames.ts';
import { faultKinds, type FaultKind } from '../../../../src/tracking/core/records/episodeResult.ts';
import { read, record } from '../recording/recordingBench.ts';
import { ask, chunkOf, completionOf, hello, saying, streamOf, tunerBench } from './tunerBench.ts';

function names(episodes: number): EpisodeNames {
  const made = new EpisodeNames();
  for (let episode = 0; episode < episodes; episode++) made.begin(episode, `t${episode}`, 0);
  return made;
}

/** A gateway whose every call gets the fault. */
function faulty(kind: FaultKind, reply: () => ModelReply = () => saying('one two three four')) {
  const logged: string[] = [];
  const model = withFaults(
    { description: 'm', respond: () => Promise.resolve(reply()) },
    { seed: 1, rate: 1, kinds: [kind], names: names(6), logger: { log: (_, text) => logged.push(text) } },
  );
  return { bench: tunerBench((...call) => model.respond(...call)), logged };
}

const calling = completionOf(null, {
  finish_reason: 'tool_calls',
  message: {
    role: 'assistant',
    content: null,
    refusal: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } }],
  },
});

const tokens = ['one', ' two', ' three', ' four'].map((token) => ({
  token,
  logprob: -1,
  bytes: null,
  top_logprobs: [],
}));
const detailed = completionOf('one two three four', {
  logprobs: { content: tokens, refusal: null },
  ...{ token_ids: [1, 2, 3, 4] },
});

describe('an injected fault', () => {
  it.each([
    ['timeout', 504],
    ['rate-limit', 429],
    ['server-error', 500],
    ['cut', 502],
  ] as const)('%s fails the call with status %s, and says that it is one', async (kind, status) => {
    const { bench, logged } = faulty(kind);
    const reply = await ask(bench);
    expect(reply).toMatchObject({ status, json: { error: { type: 'injected_fault' } } });
    expect(reply.headers['retry-after']).toBe(kind === 'rate-limit' ? '1' : undefined);
    expect(bench.calls[0]?.failure?.report?.code).toBe(`faults/${kind}`);
    expect(logged).toEqual([
      expect.stringContaining(`Injected fault (${kind}) into LLM call 0 of task t5, repeat 0`),
    ]);
  });

  it('cut breaks a stream off in the middle', async () => {
    const { bench } = faulty('cut', () => ({
      kind: 'stream',
      chunks: streamOf([chunkOf({ role: 'assistant', content: 'a b c d' }), chunkOf({}, 'stop')]),
    }));
    const { status, text } = await ask(bench, { ...hello, stream: true });
    expect([status, text]).toEqual([
      200,
      expect.stringMatching(/"content":"a"[^]*event: error[^]*injected_cut/),
    ]);
    expect(bench.calls[0]).toMatchObject({ status: 502, completion: { choices: [{ finish_reason: null }] } });
  });

  it('tool-json takes the end off the arguments of a call', async () => {
    const { bench } = faulty('tool-json', () => ({ kind: 'completion', completion: calling }));
    await ask(bench);
    const [call] = bench.calls[0]?.completion?.choices[0]?.message.tool_calls ?? [];
    expect(call).toMatchObject({ id: 'c', function: { name: 'add', arguments: '{"a":1,' } });
  });

  it('length ends an answer as the limit of tokens does, with the tokens that are left', async () => {
    const { bench } = faulty('length', () => ({ kind: 'completion', completion: detailed }));
    await ask(bench);
    expect(bench.calls[0]?.completion?.choices[0]).toMatchObject({
      finish_reason: 'length',
      message: { content: 'one two' },
      logprobs: { content: tokens.slice(0, 2) },
      token_ids: [1, 2],
    });
  });

  it('empty leaves nothing', async () => {
    const { bench } = faulty('empty', () => ({ kind: 'completion', completion: calling }));
    await ask(bench);
    const choice = bench.calls[0]?.completion?.choices[0];
    expect(choice).toMatchObject({ finish_reason: 'stop', message: { content: '' } });
    expect(choice?.message).not.toHaveProperty('tool_calls');
  });

  it('is none where there is nothing to damage, or the model fails itself', async () => {
    for (const kind of ['tool-json', 'length'] as const) {
      const { bench, logged } = faulty(kind, () => saying('x'));
      expect((await ask(bench)).json).toMatchObject({ choices: [{ message: { content: 'x' } }] });
      expect(logged).toEqual([]);
    }
    const failure = { status: 418, error: { message: 'tea', type: 't', param: null, code: null } };
    const { bench, logged } = faulty('empty', () => ({ kind: 'error', ...failure }));
    expect([(await ask(bench)).status, logged]).toEqual([418, []]);
  });

  it.each(faultKinds)('%s is known of the call, also from a recording', async (kind) => {
    const { bench } = faulty(kind, () => ({
      kind: 'completion',
      completion: kind === 'tool-json' ? calling : detailed,
    }));
    await ask(bench);
    const [call] = bench.calls;
    if (call === undefined) throw new Error('There is a call.');
    const [replayed] = (await read(record([{ ...call, episode: 0 }]))).calls;
    for (const { completion, failure } of [call, replayed ?? call]) {
      const tally = new FaultTally();
      tally.take({ ...call, completion, failure });
      expect(tally.of(call.episodeUuid)).toEqual([{ call: 0, agent: 'solver', kind }]);
    }
  });
});

describe('the draw', () => {
  const draws = (seed: number, rate: number): readonly (FaultKind | undefined)[] => {
    const options = { seed, rate, kinds: [...faultKinds], names: names(200) };
    return Array.from({ length: 2000 }, (_, at) =>
      drawFault(options, { episode: at % 200, call: Math.floor(at / 200) }),
    );
  };

  it('is the same for the same seed, and another for another', () => {
    expect(draws(7, 0.3)).toEqual(draws(7, 0.3));
    expect(draws(7, 0.3)).not.toEqual(draws(8, 0.3));
  });

  it('takes the share that it is told, of every kind', () => {
    expect(draws(7, 0).filter(Boolean)).toHaveLength(0);
    expect(draws(7, 1).filter(Boolean)).toHaveLength(2000);
    const drawn = draws(7, 0.3).filter((kind) => kind !== undefined);
    expect(drawn.length).toBeGreaterThan(500);
    expect(drawn.length).toBeLessThan(700);
    for (const kind of faultKinds) {
      expect(drawn.filter((one) => one === kind).length).toBeGreaterThan(
        drawn.length / faultKinds.length / 2,
      );
    }
  });

  it('is another for another attempt at an episode', () => {
    const again = names(300);
    const first = Array.from({ length: 300 }, (_, episode) =>
      drawFault({ seed: 1, rate: 0.5, kinds: ['cut'], names: again }, { episode, call: 0 }),
    );
    for (let episode = 0; episode < 300; episode++) again.begin(episode, `t${episode}`, 0);
    const second = first.map((_, episode) =>
      drawFault({ seed: 1, rate: 0.5, kinds: ['cut'], names: again }, { episode, call: 0 }),
    );
    expect(second).not.toEqual(first);
  });
});
