import { describe, expect, it } from 'vitest';
import type { AdapterRoute, Targets } from '../../../../src/backbone/core/model-tuner/routing.ts';
import { createTuner } from '../../../../src/backbone/core/model-tuner/tuner.ts';
import { createModelFetch } from '../../../../src/backbone/node/model-tuner/modelServer.ts';
import type { ChatModel } from '../../../../src/sdk/core/index.ts';
import { completionOf, saying, tunerBench, type Bench } from './tunerBench.ts';

function tunerOf(bench: Bench, targets: Targets = null) {
  bench.episode.trainOnly(targets);
  return createTuner({
    baseUrl: 'http://127.0.0.1:4000/v1',
    targets,
    debugModels: ['critic', 'gpt-4o'],
    contextOverflow: () => false,
    fetchFor: (adapter: AdapterRoute) =>
      createModelFetch((request) => bench.gateway.handle({ ...request, adapter })),
    apiKeyFor: (agent) => bench.episode.apiKeyFor(agent),
  });
}

function calling(...calls: readonly (readonly [name: string, text: string])[]): Bench {
  const tool_calls = calls.map(([name, text], at) => ({
    id: `call-${at}`,
    type: 'function' as const,
    function: { name, arguments: text },
  }));
  const message = { role: 'assistant' as const, content: null, refusal: null, tool_calls };
  return tunerBench(() => ({ kind: 'completion', completion: completionOf(null, { message }) }));
}

const messages = [{ role: 'user' as const, content: 'hello' }];
const tools = ['add', 'stop'].map((name) => ({
  type: 'function' as const,
  function: { name, description: name, parameters: { type: 'object', properties: {} } },
}));
const schema = { type: 'object', properties: { age: { type: 'number' } } };

describe('a chat model', () => {
  it('answers a text as one block, and as the message to go on with', async () => {
    const bench = tunerBench(() => saying('hi'));
    const model = tunerOf(bench).asChatModel({ agentName: 'solver', targetTag: 'main' });
    expect(await model(messages)).toEqual({
      id: 'chatcmpl-1',
      content: [{ type: 'text', text: 'hi' }],
      metadata: null,
      message: expect.objectContaining({ role: 'assistant', content: 'hi' }) as unknown,
    });
    expect(bench.asked).toMatchObject([{ model: 'ajet', messages }]);
    expect(bench.asked[0]).not.toHaveProperty('tools');
    expect(bench.calls).toMatchObject([{ agentName: 'solver', targetTag: 'main', debugModel: null }]);
  });

  it.each([
    ['{"a": 1}', { a: 1 }],
    ['', {}],
    ['{"a": [1, 2', { a: [1, 2] }],
    ["{a: 'x',}", { a: 'x' }],
    ['[1]', {}],
    ['"text"', {}],
    ['null', {}],
  ])('reads the arguments %s', async (text, input) => {
    const bench = calling(['add', text], ['stop', '{}']);
    const { content } = await tunerOf(bench).asChatModel()(messages, { tools });
    expect(content).toEqual([
      { type: 'tool_use', id: 'call-0', name: 'add', input },
      { type: 'tool_use', id: 'call-1', name: 'stop', input: {} },
    ]);
    expect(bench.asked[0]?.tools).toEqual(tools);
  });

  it('asks for structured output by a tool of that name, which a model in training need not call', async () => {
    const bench = calling(['generate_structured_output', '{"age": 7}']);
    const { metadata } = await tunerOf(bench).asChatModel()(messages, { structuredModel: schema, tools });
    expect(metadata).toEqual({ age: 7 });
    expect(bench.asked[0]?.tools).toEqual([
      {
        type: 'function',
        function: {
          name: 'generate_structured_output',
          description: 'Generate the required structured output with this function',
          parameters: schema,
        },
      },
    ]);
    expect(bench.logged).toEqual([]);
    const silent = tunerBench(() => saying('seven'));
    const said = await tunerOf(silent).asChatModel()(messages, { structuredModel: schema });
    expect([said.metadata, said.content]).toEqual([null, [{ type: 'text', text: 'seven' }]]);
  });

  it('rejects with what the model fails with', async () => {
    const model = tunerOf(tunerBench(() => saying(''))).auxiliaryModels['critic'];
    expect(model?.modelName).toBe('critic');
    const nowhere = tunerOf(
      tunerBench(() => saying('')),
      ['wolf'],
    ).asChatModel({ debugModel: 'nowhere' });
    await expect(nowhere(messages)).rejects.toThrow('it is nowhere.');
  });
});

describe('which model answers', () => {
  const textOf = async (model: ChatModel | undefined): Promise<unknown> => (await model?.(messages))?.content;
  const said = (text: string): unknown => [{ type: 'text', text }];

  it('is the model being trained, for a target that is left out as well', async () => {
    const bench = tunerBench(() => saying('trained'));
    expect(await textOf(tunerOf(bench, ['wolf']).asChatModel({ targetTag: 'seer' }))).toEqual(
      said('trained'),
    );
    expect(bench.episode.routing?.trainedAnyway).toEqual([
      { target: 'seer', why: 'no-debug-model', calls: 1 },
    ]);
  });

  it('is a debug model where the agent names one for it', async () => {
    const bench = tunerBench(() => saying('trained'));
    const model = tunerOf(bench, ['wolf']).asChatModel({ targetTag: 'seer', debugModel: 'gpt-4o' });
    expect(await textOf(model)).toEqual(said('gpt-4o speaking'));
    expect(model.modelName).toBe('gpt-4o');
  });

  it('is a debug model for all that an auxiliary model is asked, and is told the choice of tools', async () => {
    const bench = tunerBench(() => saying('trained'));
    const { auxiliaryModels } = tunerOf(bench);
    expect(Object.keys(auxiliaryModels)).toEqual(['critic', 'gpt-4o']);
    expect(await textOf(auxiliaryModels['critic'])).toEqual(said('critic speaking'));
    await auxiliaryModels['critic']?.(messages, { tools, toolChoice: 'add' });
    await auxiliaryModels['critic']?.(messages, { tools, toolChoice: 'required' });
    await auxiliaryModels['critic']?.(messages, { structuredModel: schema });
    const named = (name: string): unknown => ({ type: 'function', function: { name } });
    expect(bench.debugAsked.map(({ tool_choice }) => tool_choice)).toEqual([
      undefined,
      named('add'),
      'required',
      named('generate_structured_output'),
    ]);
    expect(bench.asked).toEqual([]);
    expect(bench.episode.llmCalls).toBe(0);
    expect(bench.episode.routing).toBeUndefined(); // no target had a say
    expect(bench.calls[0]).toMatchObject({
      agentName: 'critic',
      targetTag: 'auxiliary',
      debugModel: 'critic',
    });
  });

  it('is told of a choice of tools that does not reach the model in training', async () => {
    const bench = tunerBench(() => saying('trained'));
    await tunerOf(bench).asChatModel()(messages, { tools, toolChoice: 'add' });
    expect(bench.asked[0]).not.toHaveProperty('tool_choice');
    expect(bench.logged).toEqual([expect.stringContaining('tool_choice')]);
    await expect(tunerOf(bench).asChatModel()(messages, { toolChoice: 'add' })).rejects.toThrow(
      'toolChoice "add" is not a tool of this call. Choose from auto, none, required.',
    );
  });
});
