/** Choosing which model answers, with the keyboard: from the status bar to a run that the model has answered. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { localServers } from '../../../src/backbone/node/model-tuner/modelList.ts';
import { titleButton, useEditor } from '../harness/index.ts';

const editor = useEditor({ suite: 'choose-model', workspace: 'media/examples/math_agent', each: 'window' });

const themes = ['Light 2026', 'Dark 2026', 'Dark High Contrast'];
const status = '.part.statusbar .statusbar-item';
const input = '.quick-input-widget input';
const key = 'key-e2e-of-the-server';

interface ModelServer {
  readonly baseUrl: string;
  readonly port: number;
  /** The paths that were requested with a valid key. */
  readonly paths: readonly string[];
}

interface Behavior {
  readonly models: readonly string[];
  readonly apiKey?: string;
}

/** Listens on the first port that is free. */
async function listen(server: Server, ports: readonly number[]): Promise<number> {
  for (const port of ports) {
    server.listen(port, '127.0.0.1');
    const isListening = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (isListening) return (server.address() as AddressInfo).port;
  }
  throw new Error(`The ports ${ports.join(', ')} are in use.`);
}

/** An OpenAI-compatible server with these models. */
async function startModels({ models, apiKey }: Behavior, ports: readonly number[]): Promise<ModelServer> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`) {
      response.writeHead(401).end('{}');
      return;
    }
    if (request.url?.startsWith('/v1/') !== true) {
      response.writeHead(404).end('{}');
      return;
    }
    paths.push(request.url);
    const message = { role: 'assistant', content: '\\boxed{17}' };
    const completion = { id: 'one', choices: [{ index: 0, message, finish_reason: 'stop' }] };
    const list = { data: models.map((id) => ({ id })) };
    response.end(JSON.stringify(request.url.endsWith('/models') ? list : completion));
  });
  const port = await listen(server, ports);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${port}/v1`, port, paths };
}

async function openConfig(): Promise<void> {
  await editor().openFile('math_agent.yaml');
  await editor().see(titleButton);
  await editor().see(status, 'Built-in model');
}

async function settings(): Promise<unknown> {
  return JSON.parse(await readFile(editor().file('.vscode/settings.json'), 'utf8'));
}

/** Runs the config in the active editor, and tells which requests the server gets until the run has ended. */
async function requestsOfRun({ paths }: ModelServer): Promise<readonly string[]> {
  const before = paths.length;
  await editor().command('AgentJet: Run Episodes Without Debugging');
  await editor().showConsole();
  await editor().see('.repl', 'episodes would train');
  return paths.slice(before);
}

test('a server on this machine answers after two actions', async () => {
  const ports = localServers.map(({ port }) => port);
  const server = await startModels({ models: ['tiny-e2e', 'other-e2e'] }, ports);
  await openConfig();
  await (await editor().see(status, 'Built-in model')).click(); // the first action
  await editor().see('.quick-input-list', 'tiny-e2e');
  await editor().screenshot('servers-of-this-machine');
  await editor().pick('tiny-e2e'); // the second action
  await editor().see(status, 'tiny-e2e');
  await editor().see('.notification-toast', 'answers the runs of this workspace');
  await expect.poll(settings).toEqual({
    'agentjet.model': 'endpoint',
    'agentjet.endpoint': { baseUrl: server.baseUrl, model: 'tiny-e2e' },
  });
  expect(await requestsOfRun(server)).toContain('/v1/chat/completions');
});

test('another server answers after three actions; its key is asked for and kept', async () => {
  const server = await startModels({ models: ['only-e2e'], apiKey: key }, [0]);
  await openConfig();
  await (await editor().see(status, 'Built-in model')).click();
  await editor().pickThatAsks('Another Server');
  await (await editor().see(input)).fill(server.baseUrl.replace('/v1', ''));
  await editor().press('Enter');
  await editor().see(`${input}[type="password"]`);
  await editor().type(key);
  await editor().press('Enter');
  await editor().see(status, 'only-e2e');
  await expect.poll(() => server.paths).toContain('/v1/chat/completions');
  // A toast disappears after a while, and the center closes when the progress that it shows is over.
  await editor().command('Notifications: Show Notifications');
  await editor().see('.notification-list-item', 'answers the runs of this workspace');
  await editor().command('Notifications: Clear All Notifications');
  expect(JSON.stringify(await settings())).not.toContain(key);
  expect(await requestsOfRun(server)).toContain('/v1/chat/completions');
  await editor().commandThatAsks('AgentJet: Choose Model');
  await editor().pick('Built-in model');
  await editor().see(status, 'Built-in model');
  await expect.poll(settings).toEqual({ 'agentjet.model': 'embedded' });
  await editor().commandThatAsks('AgentJet: Choose Model');
  await editor().pick('only-e2e');
  await editor().see(status, 'only-e2e');
});

test('a server that cannot be reached is reported, and changes nothing', async () => {
  await openConfig();
  await (await editor().see(status, 'Built-in model')).click();
  await editor().pickThatAsks('Another Server');
  await (await editor().see(input)).fill('http://127.0.0.1:1/v1');
  await editor().press('Enter');
  await editor().see('.notification-toast', 'cannot be reached');
  await editor().see(status, 'Built-in model');
});

test('the picker and the status bar can be read in every theme', async () => {
  await startModels(
    { models: ['qwen2.5:7b', 'llama3.2:3b'] },
    localServers.map(({ port }) => port),
  );
  await openConfig();
  for (const theme of themes) {
    await editor().press('ControlOrMeta+k', 'ControlOrMeta+t');
    await editor().pick(theme);
    await editor().commandThatAsks('AgentJet: Choose Model');
    await editor().see('.quick-input-list', 'llama3.2:3b');
    await editor().screenshot(`picker ${theme}`);
    await editor().press('Escape');
  }
});
