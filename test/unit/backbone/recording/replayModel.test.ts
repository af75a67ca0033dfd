import { describe, expect, it } from 'vitest';
import { failures } from '../../../../src/backbone/core/model-tuner/failures.ts';
import { CancellationSource } from '../../../../src/base/core/cancellation.ts';
import { completionOf, saying } from '../model-tuner/tunerBench.ts';
import { asked, replaying } from './recordingBench.ts';

const ids = ['11111111-2222-3333-4444-555555555555', '99999999-8888-7777-6666-555555555555'] as const;

describe('a replay', () => {
  it('finds parallel calls by what they ask, in any order', async () => {
    const { answer } = await replaying([
      asked('a', 'A'),
      asked('b', 'B', { call: 1 }),
      asked('c', 'C', { call: 2 }),
    ]);
    expect(
      await Promise.all([answer(asked('c', '')), answer(asked('a', '')), answer(asked('b', ''))]),
    ).toEqual([...['C', 'A', 'B']]);
  });

  it('answers equal calls in their recorded order, each agent its own', async () => {
    const other = { agentName: 'critic' };
    const { answer } = await replaying([
      asked('a', 'second', { call: 1 }),
      asked('a', 'first', { call: 0 }),
      asked('a', "critic's", { call: 2, ...other }),
    ]);
    expect([
      await answer(asked('a', '', other)),
      await answer(asked('a', '')),
      await answer(asked('a', '')),
    ]).toEqual(["critic's", 'first', 'second']);
  });

  it('keeps episodes apart by task and repeat', async () => {
    const { answer } = await replaying([asked('a', 'of 0'), asked('a', 'of 1', { episode: 1 })]);
    expect([await answer(asked('a', '', { episode: 1 })), await answer(asked('a', ''))]).toEqual([
      'of 1',
      'of 0',
    ]);
  });

  it('puts the ids of now into answers that name those of then', async () => {
    const recorded = asked(`Session ${ids[0]}`, '', {
      completion: completionOf(`Closing ${ids[0]}`, { logprobs: { content: [], refusal: null } }),
    });
    const { ask } = await replaying([recorded]);
    expect(await ask(asked(`Session ${ids[1]}`, ''))).toMatchObject({
      completion: { choices: [{ message: { content: `Closing ${ids[1]}` }, logprobs: null }] },
    });
  });

  it('fails as it failed, with what the client and its user were told', async () => {
    const failure = {
      status: 429,
      error: { message: 'slow down', type: 'rate_limit_error', param: null, code: null },
      headers: { 'retry-after': '3' },
    };
    const { ask } = await replaying([asked('a', '', { status: 429, failure, completion: undefined })]);
    expect(await ask(asked('a', ''))).toEqual({ kind: 'error', ...failure });
  });

  it('breaks off where the stream broke off', async () => {
    const failure = { status: 502, error: { message: 'cut', type: 'server_error', param: null, code: null } };
    const partial = completionOf('half of', { finish_reason: null as never });
    const { ask } = await replaying([asked('a', '', { status: 502, failure, completion: partial })]);
    const reply = await ask(asked('a', ''));
    if (reply.kind !== 'stream') throw new Error(reply.kind);
    const texts: string[] = [];
    const reading = (async () => {
      for await (const batch of reply.chunks)
        for (const { choices } of batch) texts.push(choices[0]?.delta.content ?? '');
    })();
    await expect(reading).rejects.toMatchObject({ failure });
    expect(texts.join('')).toBe('half of');
  });

  it('lets a call that was given up be given up again, and waits no longer than it waited', async () => {
    const given = asked('a', '', {
      status: 499,
      failure: failures.cancelled(),
      completion: undefined,
      seconds: 3,
    });
    const { ask, clock } = await replaying([given, { ...given, call: 1 }]);
    const source = new CancellationSource();
    const first = ask(asked('a', ''), source.token);
    source.cancel();
    expect(await first).toMatchObject({ kind: 'error', status: 499 });
    const second = ask(asked('a', ''));
    clock.advance(3000);
    expect(await second).toMatchObject({ kind: 'error', status: 499 });
  });

  it('says once when the sampling is another', async () => {
    const { ask, logged } = await replaying([asked('a', 'A'), asked('a', 'A', { call: 1 })]);
    const call = asked('a', '');
    const warm = { ...call, request: { ...call.request, temperature: 0.5 } };
    await ask(warm);
    await ask(warm);
    expect(logged).toEqual([
      'warn: The recording was made with temperature null, but this run uses 0.5. The recorded answers are used unchanged.',
    ]);
  });
});

describe('a request that was not recorded', () => {
  const other = asked('What is 3 + 5?', '');
  const recorded = asked('What is 3 + 4?', '7');

  it('fails with the message, the field, what was expected and what came', async () => {
    const { ask, logged } = await replaying([recorded]);
    const reply = await ask(other);
    expect(reply).toMatchObject({
      kind: 'error',
      status: 422,
      error: { code: 'replay_diverged', param: 'messages[0].content' },
      report: {
        code: 'replay/diverged',
        message:
          'LLM call 0 of task t, repeat 0, by agent "solver", differs from the recording: ' +
          'message 0 differs in messages[0].content: expected "What is 3 + 4?", got "What is 3 + 5?".',
      },
    });
    expect(logged).toHaveLength(1);
  });

  it('is compared with the parallel call that it is most like', async () => {
    const { answer } = await replaying([asked('Name a city', 'Rome'), { ...recorded, call: 1 }]);
    expect(await answer(other)).toContain('expected "What is 3 + 4?"');
  });

  it("is compared with the agent's next call where calls came one after the other", async () => {
    const later = { ...recorded, call: 1, startedAt: 5000 };
    const { answer } = await replaying([asked('Name a city', 'Rome', { seconds: 1 }), later]);
    expect(await answer(other)).toContain('expected "Name a city"');
  });

  it('is told from one that was answered already, and from an episode that was not recorded', async () => {
    const { answer } = await replaying([recorded]);
    await answer(recorded);
    expect(await answer(recorded)).toContain('all 1 recorded calls of the episode have been used');
    expect(await answer({ ...recorded, episode: 2 })).toBe('The recording has no calls of task u, repeat 0.');
  });

  it('is answered by turn with `sequential`, and a warning', async () => {
    const { answer, logged } = await replaying([recorded], { onMiss: 'sequential' });
    expect(await answer(other)).toBe('7');
    expect(logged).toEqual([expect.stringContaining('the recorded answers are used in their order')]);
    expect(await answer(other)).toContain('have been used');
  });

  it('is put to the model with `call-model`, as are those after it', async () => {
    const model = { description: 'live', respond: () => Promise.resolve(saying('from the model')) };
    const { answer, logged } = await replaying([recorded, { ...recorded, call: 1 }], {
      onMiss: 'call-model',
      model,
    });
    expect([await answer(recorded), await answer(other), await answer(other)]).toEqual([
      ...['7', 'from the model', 'from the model'],
    ]);
    expect(logged).toHaveLength(1);
  });
});
