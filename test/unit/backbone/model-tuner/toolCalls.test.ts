import { describe, expect, it } from 'vitest';
import { createModelFetch } from '../../../../src/backbone/node/model-tuner/modelServer.ts';
import { ask, saying, tunerBench } from './tunerBench.ts';

const parameters = { type: 'object', properties: {} };
const tools = [{ type: 'function', function: { name: 'add', description: 'adds', parameters } }];
const call = { id: 'c', type: 'function', function: { name: 'add', arguments: '{}' } };
const system = { role: 'system', content: 'Add.' };
const user = { role: 'user', content: 'What is 1 + 1?' };
const messages = [
  system,
  user,
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: 'c', content: '2' },
  { role: 'assistant', content: 'Once more.', tool_calls: [call] },
  { role: 'user', content: [{ type: 'text', text: 'Well?' }] },
];
const body = { model: 'any', messages, tools, tool_choice: 'auto' };

describe('with tool calls disabled', () => {
  it('the model gets what AgentJet’s engine gets, and the trace what was asked', async () => {
    const bench = tunerBench(() => saying('2'), undefined, { toolCallsDisabled: true });
    expect((await ask(bench, body)).status).toBe(200);
    await ask(bench, body);
    expect(bench.asked[0]).not.toHaveProperty('tools');
    expect(bench.asked[0]?.messages).toEqual([system, user, messages[4]]);
    expect(bench.calls[0]?.request).toMatchObject({ messages, tools });
    expect(bench.logged).toEqual([
      'warn: Agent "solver" offers tools, which are removed with their results: ajet.rollout.force_disable_toolcalls is set.',
    ]);
  });

  it('a debug model gets them all the same', async () => {
    const bench = tunerBench(() => saying('2'), undefined, { toolCallsDisabled: true });
    const fetch = createModelFetch((request) =>
      bench.gateway.handle({ ...request, adapter: { debugModel: 'gpt-4o' } }),
    );
    const headers = { authorization: `Bearer ${bench.apiKey}` };
    const asked = { method: 'POST', headers, body: JSON.stringify(body) };
    await fetch('http://127.0.0.1:4000/v1/chat/completions', asked);
    expect(bench.debugAsked).toMatchObject([{ messages, tools }]);
    expect(bench.logged).toEqual([]);
  });

  it('nothing is left out, and nothing told, otherwise', async () => {
    const bench = tunerBench(() => saying('2'));
    await ask(bench, body);
    expect(bench.asked).toMatchObject([{ messages, tools }]);
    expect(bench.logged).toEqual([]);
  });
});
