/** Which line of the user's code each call tells to come from, whatever client sends it. */
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';
import { runJson } from '../harness/cli.ts';
import { smallConfig, smallProject, type Project } from '../harness/project.ts';
import { openTrace } from '../harness/trace.ts';

const conf = ['--conf', 'small.yaml', '--tasks', '1', '--repeat', '1'];

/** Of each call its file, the text of its line from the mark on, and its function. */
async function sourcesOf(project: Project, args: readonly string[]): Promise<unknown[]> {
  const run = await runJson(project, [...conf, ...args]);
  expect(run.error ?? null).toBeNull();
  expect(run.episodes).toMatchObject([{ error: null }]);
  const trace = openTrace(run.trace ?? '');
  return Promise.all(
    trace
      .read((views) => views.episode(0))
      .calls.map(async ({ call }) => {
        const { source } = trace.read((views) => views.call(0, call));
        if (source === null) return null;
        const lines = (await project.read(path.relative(project.folder, source.file))).split('\n');
        const mark = /(?:\/\/|#) (.*)$/.exec(lines[source.line - 1] ?? '')?.[1];
        return [path.relative(project.folder, source.file), mark, source.function];
      }),
  );
}

const workflow = `import { request } from 'node:http';
import OpenAI from 'openai';
import { Workflow, type AjetTuner, type WorkflowOutput, type WorkflowTask } from 'agentjet';
import { askDeep } from './lib/agent.ts';

const messages = [{ role: 'user' as const, content: 'hi' }];

function byHttp(baseUrl: string, apiKey: string): Promise<void> {
  return new Promise((resolve) => {
    const headers = { authorization: \`Bearer \${apiKey}\` };
    const sent = request(baseUrl + '/chat/completions', { method: 'POST', headers }, (reply) => { // http
      reply.resume().on('end', () => resolve());
    });
    sent.end(JSON.stringify({ model: 'm', messages }));
  });
}

export class Small extends Workflow {
  async execute(_: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
    await tuner.asOpenAIClient().chat.completions.create({ model: 'm', messages }); // client
    const { baseUrl, apiKey } = tuner.asOaiBaseUrlApiKey();
    const own = new OpenAI({ baseURL: baseUrl, apiKey });
    await Promise.all([own.chat.completions.create({ model: 'm', messages })]); // own client
    for await (const _chunk of await own.chat.completions.create({ model: 'm', messages, stream: true })); // stream
    await byHttp(baseUrl, apiKey);
    await fetch(\`\${baseUrl}/chat/completions\`, { // fetch
      method: 'POST',
      headers: { authorization: \`Bearer \${apiKey}\` },
      body: JSON.stringify({ model: 'm', messages }),
    });
    await askDeep(tuner.asChatModel());
    return { reward: 1, isSuccess: true };
  }
}
`;
/** What Node cannot strip is compiled, which moves its lines. */
const agent = `import type { ChatModel } from 'agentjet';

enum Depth {
  Shallow,
  Deep,
}

export const askDeep = async (model: ChatModel): Promise<unknown> => {
  await Promise.resolve();
  return [await model([{ role: 'user', content: String(Depth.Deep) }])]; // deep
};
`;

describe('in TypeScript', () => {
  it('is that of the user’s own code, across awaits', async () => {
    const project = await smallProject({ 'workflow.ts': workflow, 'lib/agent.ts': agent });
    await mkdir(project.path('node_modules'));
    const openai = path.resolve(import.meta.dirname, '../../../node_modules/openai');
    await symlink(openai, project.path('node_modules/openai'), 'junction');
    expect(await sourcesOf(project, [])).toEqual([
      ['workflow.ts', 'client', 'Small.execute'],
      ['workflow.ts', 'own client', 'Small.execute'],
      ['workflow.ts', 'stream', 'Small.execute'],
      ['workflow.ts', 'http', null],
      ['workflow.ts', 'fetch', 'Small.execute'],
      ['lib/agent.ts', 'deep', 'askDeep'],
    ]);
  });
});

const python = `import asyncio
import json
import urllib.request
import httpx2
import openai
from ajet import AjetTuner, Workflow, WorkflowOutput, WorkflowTask

messages = [{"role": "user", "content": "hi"}]


def by_urllib(base, key):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    body = json.dumps({"model": "m", "messages": messages}).encode()
    asked = urllib.request.Request(base + "/chat/completions", body, headers)
    with urllib.request.urlopen(asked) as reply:  # urllib
        return reply.read()


class Small(Workflow):
    async def execute(self, workflow_task: WorkflowTask, tuner: AjetTuner) -> WorkflowOutput:
        await tuner.as_raw_openai_sdk_client().chat.completions.create(messages=messages)  # client
        access = tuner.as_oai_baseurl_apikey()
        own = openai.AsyncOpenAI(base_url=access.base_url, api_key=access.api_key)
        await own.chat.completions.create(model="m", messages=messages)  # own client

        async def inner():
            return await own.chat.completions.create(model="m", messages=messages)  # gathered

        await asyncio.gather(inner())
        plain = openai.OpenAI(base_url=access.base_url, api_key=access.api_key)
        await asyncio.to_thread(lambda: plain.chat.completions.create(model="m", messages=messages))  # thread
        await asyncio.to_thread(by_urllib, access.base_url, access.api_key)
        key = {"x-api-key": access.api_key}
        async with httpx2.AsyncClient(headers=key) as web:
            await web.post(access.base_url + "/chat/completions", json={"model": "m", "messages": messages})  # httpx
        await asyncio.create_task(own.chat.completions.create(model="m", messages=messages))
        return WorkflowOutput(reward=1, is_success=True)
`;
const otherClients = `import aiohttp
import httpx
import requests
from ajet import AjetTuner, Workflow, WorkflowOutput, WorkflowTask


class Small(Workflow):
    async def execute(self, workflow_task: WorkflowTask, tuner: AjetTuner) -> WorkflowOutput:
        access = tuner.as_oai_baseurl_apikey()
        url = access.base_url + "/chat/completions"
        key = {"Authorization": f"Bearer {access.api_key}"}
        body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
        requests.post(url, json=body, headers=key).raise_for_status()  # requests
        async with aiohttp.ClientSession() as session:
            async with session.post(url, json=body, headers=key) as reply:  # aiohttp
                await reply.read()
        async with aiohttp.ClientSession(headers=key) as session:
            async with session.post(url, json=body) as reply:  # aiohttp again
                await reply.read()
        httpx.post(url, json=body, headers=key).raise_for_status()  # httpx
        return WorkflowOutput(reward=1, is_success=True)
`;
const pythonFunction = `from agentscope.tuner import WorkflowOutput


async def solve(task, model):
    await model([{'role': 'user', 'content': 'one'}])  # one
    await model([{'role': 'user', 'content': 'two'}])  # two
    return WorkflowOutput(reward=1)
`;

describe('in Python', () => {
  let executable: string;
  beforeAll(async () => {
    executable = await ensurePython();
  }, 300_000);

  it('is that of the user’s own code, through tasks, threads and clients', async () => {
    const config = smallConfig.replace('workflow.ts->Small', 'workflow.py->Small');
    const project = await smallProject({ 'small.yaml': config, 'workflow.py': python });
    expect(await sourcesOf(project, ['--python', executable])).toEqual([
      ['workflow.py', 'client', 'Small.execute'],
      ['workflow.py', 'own client', 'Small.execute'],
      ['workflow.py', 'gathered', 'inner'],
      ['workflow.py', 'thread', null],
      ['workflow.py', 'urllib', 'by_urllib'],
      ['workflow.py', 'httpx', 'Small.execute'],
      // A task of the client's own coroutine: nothing of the user's is on its stack.
      null,
    ]);
  });

  it('is told by clients of other packages', async () => {
    const config = smallConfig.replace('workflow.ts->Small', 'workflow.py->Small');
    const project = await smallProject({ 'small.yaml': config, 'workflow.py': otherClients });
    expect(await sourcesOf(project, ['--python', await ensurePython('agents')])).toEqual([
      ['workflow.py', 'requests', 'Small.execute'],
      ['workflow.py', 'aiohttp', 'Small.execute'],
      ['workflow.py', 'aiohttp again', 'Small.execute'],
      ['workflow.py', 'httpx', 'Small.execute'],
    ]);
  }, 300_000);

  it('is told by the model of a function, too', async () => {
    const config = smallConfig.replace('workflow.ts->Small', 'workflow.py->solve');
    const project = await smallProject({ 'small.yaml': config, 'workflow.py': pythonFunction });
    expect(await sourcesOf(project, ['--python', executable])).toEqual([
      ['workflow.py', 'one', 'solve'],
      ['workflow.py', 'two', 'solve'],
    ]);
  });
});
