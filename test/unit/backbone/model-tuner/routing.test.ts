import { describe, expect, it } from 'vitest';
import {
  isTrainable,
  type AdapterRoute,
  type Targets,
  TargetUsage,
} from '../../../../src/backbone/core/model-tuner/routing.ts';
import { createTuner } from '../../../../src/backbone/core/model-tuner/tuner.ts';
import { createModelFetch } from '../../../../src/backbone/node/model-tuner/modelServer.ts';
import { ask, hello, saying, tunerBench, type Bench } from './tunerBench.ts';

/** The tuner of the bench's episode, whose workflow trains these targets. */
function tunerOf(bench: Bench, targets: Targets) {
  bench.episode.trainOnly(targets);
  return createTuner({
    baseUrl: 'http://127.0.0.1:4000/v1',
    targets,
    debugModels: ['gpt-4o'],
    fetchFor: (adapter: AdapterRoute) =>
      createModelFetch((request) => bench.gateway.handle({ ...request, adapter })),
    apiKeyFor: (agent) => bench.episode.apiKeyFor(agent),
    contextOverflow: () => bench.episode.contextOverflow,
    progress: () => bench.episode.progress,
  });
}

async function askThrough(client: ReturnType<ReturnType<typeof tunerOf>['asOpenAIClient']>) {
  const messages = [{ role: 'user' as const, content: 'hello' }];
  const { choices } = await client.chat.completions.create({ model: 'any', messages, temperature: 0 });
  return choices[0]?.message.content;
}

const trained = (): Bench => tunerBench(() => saying('trained'));

describe('which targets are trained', () => {
  it.each<[Targets, string, boolean]>([
    [null, 'wolf', true],
    [[], 'wolf', true],
    [['wolf'], 'wolf', true],
    [['wolf'], 'villager', false],
  ])('%j: %s', (targets, tag, expected) => expect(isTrainable(targets, tag)).toBe(expected));
});

describe('a debugger', () => {
  it('shows the calls, tokens and the last reply of a tuner', async () => {
    const bench = trained();
    const tuner = tunerOf(bench, null);
    await askThrough(tuner.asOpenAIClient());
    const describeIt = Reflect.get(tuner, Symbol.for('debug.description')) as () => string;
    expect(describeIt()).toMatch(/calls: 1, tokens: \d+, lastReply: "trained"/);
  });
});

describe('the client', () => {
  it('reaches the model being trained for a target that is trained', async () => {
    const bench = trained();
    const tuner = tunerOf(bench, ['wolf']);
    expect(await askThrough(tuner.asOpenAIClient({ targetTag: 'wolf' }))).toBe('trained');
    expect(bench.calls).toMatchObject([{ targetTag: 'wolf', debugModel: null }]);
    expect([bench.episode.llmCalls, bench.episode.routing]).toEqual([1, undefined]);
  });

  it.each([
    [undefined, 'gpt-4o'],
    ['judge-7b', 'judge-7b'],
  ])('reaches its debug model (%s) for another target, which does not count', async (debugModel, name) => {
    const bench = trained();
    const tuner = tunerOf(bench, ['wolf']);
    const client = tuner.asOpenAIClient({
      targetTag: 'villager',
      ...(debugModel !== undefined && { debugModel }),
    });
    expect(await askThrough(client)).toBe(`${name} speaking`);
    expect(bench.asked).toEqual([]);
    expect(bench.debugAsked[0]).toEqual({
      model: name,
      messages: hello.messages,
      seed: expect.any(Number) as number,
    });
    expect(bench.calls).toMatchObject([{ targetTag: 'villager', debugModel: name, status: 200 }]);
    expect(bench.episode.llmCalls).toBe(0);
    expect(bench.episode.routing).toEqual({
      debug: [{ target: 'villager', model: name, calls: 1 }],
      trainedAnyway: [],
    });
  });

  it('takes the model being trained where there is no debug model, which is told', async () => {
    const bench = trained();
    const client = tunerOf(bench, ['wolf']).asOpenAIClient({ targetTag: 'villager', debugModel: null });
    expect(await askThrough(client)).toBe('trained');
    expect(bench.episode.llmCalls).toBe(1);
    expect(bench.episode.routing?.trainedAnyway).toEqual([
      { target: 'villager', why: 'no-debug-model', calls: 1 },
    ]);
  });

  it('hears of a debug model that is not there', async () => {
    const bench = trained();
    const client = tunerOf(bench, ['wolf']).asOpenAIClient({ targetTag: 'villager', debugModel: 'nowhere' });
    await expect(askThrough(client)).rejects.toThrow('it is nowhere.');
    expect(bench.calls).toMatchObject([{ debugModel: 'nowhere', status: 500 }]);
  });

  it('trains an agent without a target where only others are named, by the default tag', async () => {
    const bench = trained();
    const tuner = tunerOf(bench, ['default_target_tag']);
    expect(await askThrough(tuner.asOpenAIClient())).toBe('trained');
  });
});

describe('base URL and key', () => {
  it('is not routed: the model being trained answers, which is told', async () => {
    const bench = trained();
    bench.episode.trainOnly(['wolf']);
    expect(await ask(bench)).toMatchObject({ json: { choices: [{ message: { content: 'trained' } }] } });
    expect(bench.episode.routing?.trainedAnyway).toEqual([{ target: 'main', why: 'base-url', calls: 1 }]);
  });
});

describe('the targets of a run', () => {
  function bookOf(): { book: TargetUsage; told: string[] } {
    const told: string[] = [];
    return { book: new TargetUsage(({ code, message }) => told.push(`${code}: ${message}`)), told };
  }

  it('are told once of an empty list, which names none and trains all', () => {
    const { book, told } = bookOf();
    book.names([]);
    book.names([]);
    expect(told).toEqual([
      'model-tuner/empty-targets: trainableTargets is an empty list, which AgentJet reads as all targets: every agent is trained.',
    ]);
  });

  it('are told of what no agent used', () => {
    const { book, told } = bookOf();
    book.names(['wolf', 'seer']);
    book.uses('wolf');
    book.uses('villager');
    book.close();
    expect(told).toEqual([
      'model-tuner/unused-targets: trainableTargets names the target "seer", but no agent of the run uses it. Used targets: "wolf", "villager".',
    ]);
  });

  it('are not told of where no agent got as far as a call', () => {
    const { book, told } = bookOf();
    book.names(['wolf']);
    book.close();
    expect(told).toEqual([]);
  });
});
