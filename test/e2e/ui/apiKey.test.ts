/** What a person types that nobody else may see: from the input box to the endpoint, and nowhere else. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startEndpoint, type Endpoint } from '../harness/endpoint.ts';
import { processesWith, titleButton, useEditor } from '../harness/index.ts';

const editor = useEditor({ suite: 'api-key', workspace: 'media/examples/math_agent' });

const key = 'key-e2e-0123456789-never-shown';
const input = '.quick-input-widget input';

async function writeLaunchJson({ baseUrl }: Endpoint): Promise<void> {
  const configuration = {
    type: 'agentjet',
    request: 'launch',
    name: 'Endpoint',
    config: '${workspaceFolder}/math_agent.yaml',
    model: 'endpoint',
    endpoint: { baseUrl, model: 'remote' },
    tasks: 1,
    repeat: 1,
    verbose: true,
  };
  const launch = { version: '0.2.0', configurations: [configuration] };
  await mkdir(editor().file('.vscode'), { recursive: true });
  await writeFile(editor().file('.vscode/launch.json'), JSON.stringify(launch));
}

async function setApiKey(baseUrl: string): Promise<void> {
  await editor().commandThatAsks('AgentJet: Set API Key');
  await editor().see('.quick-input-widget', 'Base URL of the endpoint');
  await (await editor().see(input)).fill(baseUrl);
  await editor().press('Enter');
  await editor().see(`${input}[type="password"]`);
  await editor().type(key);
  await editor().press('Enter');
  await editor().see('.notification-toast', `The API key for ${baseUrl} is saved`);
}

/** Starts a run and waits until it has asked the endpoint. */
async function runAsks({ authorizations }: Endpoint): Promise<void> {
  const before = authorizations.length;
  await editor().startDebugging();
  await editor().until('the model is asked', () => Promise.resolve(authorizations.length > before));
}

/** Workspace with the run's folder, settings, state and logs: everything of the editor lies there. */
async function filesWith(text: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const file of await filesOf(editor().session.temp)) {
    if ((await contentOf(file)).includes(text)) found.push(file);
  }
  return found;
}

/** Folders may go while they are read. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const inside = await Promise.all(
    entries.map(async (entry) => {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) return filesOf(file);
      return entry.isFile() ? [file] : [];
    }),
  );
  return inside.flat();
}

async function contentOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch {
    return Buffer.alloc(0); // removed since it was listed
  }
}

test('an API key that was typed reaches its endpoint under F5, and nothing else, until it is deleted', async () => {
  const letGo = new AbortController();
  const endpoint = await startEndpoint('\\boxed{17}', letGo.signal);
  await writeLaunchJson(endpoint);
  await editor().openFile('math_agent.yaml');
  await editor().see(titleButton);
  await setApiKey(endpoint.baseUrl);
  await runAsks(endpoint);
  const running = await processesWith(editor().session.temp);
  expect(running.map(({ command }) => command).join('\n')).toContain('backbone.mjs');
  expect(await processesWith(key)).toEqual([]);
  expect(await filesWith(key)).toEqual([]);
  expect(await filesWith(endpoint.baseUrl)).toContain(editor().file('.vscode/launch.json'));
  letGo.abort();
  await editor().seeNo('.debug-toolbar');
  await editor().showConsole();
  await editor().see('.repl', 'episodes would train');
  await editor().screenshot('run-with-key');
  expect(new Set(endpoint.authorizations)).toEqual(new Set([`Bearer ${key}`]));
  expect(await editor().page.locator('.monaco-workbench').innerText()).not.toContain(key);
  expect(await filesWith(key)).toEqual([]);

  const withKey = endpoint.authorizations.length;
  await editor().commandWith('AgentJet: Delete API Key', endpoint.baseUrl);
  await editor().command('AgentJet: Delete API Key');
  await editor().see('.notification-toast', 'No API key is saved');
  await runAsks(endpoint);
  await editor().seeNo('.debug-toolbar');
  expect(new Set(endpoint.authorizations.slice(withKey))).toEqual(new Set([undefined]));
});
