/** Which model answers, how agents reach it, and what is told when it does not answer. */
import { describe, expect, it } from 'vitest';
import { openAiServer, sendJson } from '../../unit/backbone/node-model/openAiServer.ts';
import { failure, runJson } from '../harness/cli.ts';
import { smallProject, smallWorkflow } from '../harness/project.ts';

const small = ['--conf', 'small.yaml', '--tasks', '1'];

const ask = `const client = tuner.asOpenAIClient({ agentName: 'asker' });
    const { choices } = await client.chat.completions.create({
      model: 'any',
      messages: [{ role: 'user', content: workflowTask.task.main_query }],
    });
    return { reward: Number(choices[0]?.message.content) };`;

const asking = { 'workflow.ts': smallWorkflow(ask) };

function completion(content: string): unknown {
  const message = { role: 'assistant', content };
  return {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

const endpoint = (baseUrl: string): string[] => [
  ...['--model', 'endpoint', '--base-url', baseUrl, '--model-name', 'tiny'],
  ...['--api-key-env', 'TEST_KEY'],
];

describe('the limits of a run', () => {
  const four = ['--conf', 'small.yaml', '--repeat', '2', '--parallel', '1'];

  it('end it, and say what they stopped', async () => {
    const server = await openAiServer((response) => sendJson(response, 200, completion('5')));
    const args = [...four, '--base-url', server.baseUrl, '--model-name', 'tiny'];
    const project = await smallProject(asking);
    const { code, episodes, stderr } = await runJson(project, [...args, '--max-calls', '2']);
    expect(code).toBe(2);
    expect(episodes).toMatchObject([
      { reward: 5, error: null },
      { reward: 5, error: null },
      { error: { code: 'model/limit-reached' } },
    ]);
    expect(stderr).toContain('2 of 4 episodes had ended, 1 ended at the limit, and 1 did not start');
    expect(server.received.length).toBe(2);
    const tokens = await runJson(project, [...args, '--max-tokens', '5']);
    expect(tokens.episodes.filter(({ error }) => error === null)).toHaveLength(3);
  });

  it('leave a run that stays below them alone', async () => {
    const server = await openAiServer((response) => sendJson(response, 200, completion('5')));
    const args = [...four, '--base-url', server.baseUrl, '--model-name', 'tiny', '--max-calls', '4'];
    const { code } = await runJson(await smallProject(asking), args);
    expect(code).toBe(0);
  });
});

describe('an endpoint', () => {
  it('is enough to choose it, and its only model answers', async () => {
    const server = await openAiServer((response, { path }) =>
      sendJson(response, 200, path === '/v1/models' ? { data: [{ id: 'only' }] } : completion('5')),
    );
    const args = [...small, '--base-url', server.baseUrl];
    const { code, episodes } = await runJson(await smallProject(asking), args);
    expect(code).toBe(0);
    expect(episodes).toMatchObject([{ reward: 5 }]);
    expect(server.received.at(-1)?.body).toMatchObject({ model: 'only' });
  });

  it('answers, with the key of the environment', async () => {
    const server = await openAiServer((response) => sendJson(response, 200, completion('5')));
    const args = [...small, ...endpoint(server.baseUrl)];
    const { code, episodes } = await runJson(await smallProject(asking), args, {
      env: { TEST_KEY: 'secret' },
    });
    expect(code).toBe(0);
    expect(episodes).toMatchObject([{ reward: 5, llmCalls: 1 }]);
    expect(server.received[0]).toMatchObject({
      headers: { authorization: 'Bearer secret' },
      body: { model: 'tiny' },
    });
  });

  it.each([
    ['refuses the key', 401, { error: { message: 'Incorrect API key provided' } }],
    ['does not know the model', 404, { error: { message: 'The model does not exist' } }],
    ['is asked too much', 429, { error: { message: 'Rate limit reached' } }],
    ['fails', 500, { error: { message: 'boom' } }],
    ['answers with something else', 200, '<html>login</html>'],
  ])('%s', async (_, status, body) => {
    const server = await openAiServer((response) => sendJson(response, status, body, { 'retry-after': '0' }));
    const args = [...small, ...endpoint(server.baseUrl)];
    expect(
      await failure(await smallProject(asking), args, { env: { TEST_KEY: 'secret' } }),
    ).toMatchSnapshot();
  });

  it('is not there', async () => {
    // Port 1 is nobody's.
    const args = [...small, ...endpoint('http://127.0.0.1:1/v1')];
    expect(
      await failure(await smallProject(asking), args, { env: { TEST_KEY: 'secret' } }),
    ).toMatchSnapshot();
  });

  it('hangs', async () => {
    const server = await openAiServer(() => undefined);
    const args = [...small, ...endpoint(server.baseUrl), '--episode-timeout', '0.5'];
    expect(
      await failure(await smallProject(asking), args, { env: { TEST_KEY: 'secret' } }),
    ).toMatchSnapshot();
  });
});

describe('a script', () => {
  it.each([
    [
      'answers.ts',
      'export default (request: { messages: unknown[] }): string => String(request.messages.length + 6);\n',
    ],
    ['answers.json', '["7"]'],
  ])('%s', async (file, text) => {
    const project = await smallProject({ ...asking, [file]: text });
    const { code, episodes } = await runJson(project, [...small, '--model', 'script', '--script', file]);
    expect(code).toBe(0);
    expect(episodes).toMatchObject([{ reward: 7, llmCalls: 1 }]);
  });

  it.each([
    ['throws', 'answers.ts', "export default () => {\n  throw new Error('no idea');\n};\n"],
    ['has no more answers', 'answers.json', '[]'],
    ['is no JSON', 'answers.json', '["7"'],
    ['exports nothing', 'answers.ts', 'export {};\n'],
  ])('%s', async (_, file, text) => {
    const project = await smallProject({ ...asking, [file]: text });
    expect(await failure(project, [...small, '--model', 'script', '--script', file])).toMatchSnapshot();
  });
});

describe('an agent with a client of its own', () => {
  const script = { 'answers.json': '["41", "42"]' };
  const scripted = [...small, '--model', 'script', '--script', 'answers.json'];

  it('asks with fetch, and reads a stream', async () => {
    const body = `const { baseUrl, apiKey, model } = tuner.asOaiBaseUrlApiKey({ agentName: 'own' });
    const post = (stream: boolean) =>
      fetch(baseUrl + '/chat/completions', {
        method: 'POST',
        headers: { authorization: 'Bearer ' + apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'hello' }] }),
      });
    const whole = (await (await post(false)).json()) as { choices: { message: { content: string } }[] };
    const events = (await (await post(true)).text()).split('\\n\\n').filter((event) => event !== '');
    const last = events.pop();
    const parts = events.map((event) => JSON.parse(event.replace(/^data: /, '')).choices[0]?.delta.content ?? '');
    return { reward: last === 'data: [DONE]' ? Number(whole.choices[0]?.message.content) + Number(parts.join('')) : 0 };`;
    const project = await smallProject({ ...script, 'workflow.ts': smallWorkflow(body) });
    const { episodes } = await runJson(project, scripted);
    expect(episodes).toMatchObject([{ reward: 83, llmCalls: 2, error: null }]);
  });

  it('runs in a process of its own', async () => {
    const agent = `const response = await fetch(process.env.BASE_URL + '/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + process.env.API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'hello' }] }),
});
console.log((await response.json()).choices[0].message.content);
`;
    const body = `const { execFile } = await import('node:child_process');
    const { promisify } = await import('node:util');
    const { baseUrl, apiKey } = tuner.asOaiBaseUrlApiKey();
    const env = { ...process.env, BASE_URL: baseUrl, API_KEY: apiKey };
    const { stdout } = await promisify(execFile)(process.execPath, ['agent.mjs'], { env });
    return { reward: Number(stdout) };`;
    const project = await smallProject({ ...script, 'agent.mjs': agent, 'workflow.ts': smallWorkflow(body) });
    const { episodes } = await runJson(project, scripted);
    expect(episodes).toMatchObject([{ reward: 41, llmCalls: 1, error: null }]);
  });
});
