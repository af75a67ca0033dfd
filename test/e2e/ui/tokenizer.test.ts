/** The model's own tokenizer: fetched from the hub, or chosen from this machine, and then what counts. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { root } from '../harness/artifacts.ts';
import { startHub } from '../harness/hub.ts';
import { titleButton, useEditor } from '../harness/index.ts';

const model = 'Qwen/Qwen2.5-7B';
const fixture = path.join(root, 'test/fixtures/tokenizer/byte-level');
const chatTemplate = await readFile(path.join(root, 'test/fixtures/tokenizer/templates/tools.jinja'));
const hub = await startHub({
  [`/${model}/resolve/main/tokenizer.json`]: await readFile(path.join(fixture, 'tokenizer.json')),
  [`/${model}/resolve/main/tokenizer_config.json`]: await readFile(
    path.join(fixture, 'tokenizer_config.json'),
  ),
  [`/${model}/resolve/main/chat_template.jinja`]: chatTemplate,
});
const cache = await mkdtemp(path.join(os.tmpdir(), 'agentjet-cache-'));
afterAll(async () => {
  hub.close();
  await rm(cache, { recursive: true });
});

const editor = useEditor({
  suite: 'tokenizer',
  workspace: 'media/examples/math_agent',
  each: 'files',
  env: { HF_ENDPOINT: hub.address, XDG_CACHE_HOME: cache, HF_HOME: path.join(cache, 'hf') },
});

/** Runs the config in front to its end. */
async function runToTheEnd(): Promise<void> {
  await editor().see(titleButton);
  await editor().startDebugging();
  await editor().seeNo('.debug-toolbar', undefined, 60_000);
  await editor().showConsole();
  await editor().see('.repl', 'episodes would train');
}

async function fetchTokenizer(): Promise<void> {
  await editor().commandThatAsks('AgentJet: Fetch Tokenizer');
  await editor().see('.quick-input-widget', 'The id of the model on the hub');
}

const input = '.quick-input-widget input';
const approximate = 'tokenizer: built-in, approximate';

test('a tokenizer that is fetched counts from then on', async () => {
  await editor().openFile('math_agent.yaml');
  await runToTheEnd();
  await editor().see('.repl', approximate);
  await editor().press('Escape');
  await editor().openFile('math_agent.yaml');
  await fetchTokenizer();
  expect(await (await editor().see(input)).inputValue()).toBe(model);
  await editor().press('Enter');
  await editor().see('.notification-toast', `The tokenizer of ${model} is in`);
  await editor().screenshot('fetched');
  await editor().command('Clear Console');
  await editor().seeNo('.repl', approximate);
  await editor().openFile('math_agent.yaml');
  await runToTheEnd();
  await editor().seeNo('.repl', approximate);
  await editor().screenshot('counts');
});

test('a model that the hub does not have is told', async () => {
  await fetchTokenizer();
  await (await editor().see(input)).fill('no model');
  await editor().see('.quick-input-widget', 'Enter an id');
  await (await editor().see(input)).fill('Nobody/Nothing');
  await editor().press('Enter');
  await editor().see('.notification-toast', 'Nobody/Nothing');
  await editor().screenshot('not-found');
});

test('a tokenizer that is chosen is a setting of the folder', async () => {
  const folder = editor().file('tokenizer');
  await cp(fixture, folder, { recursive: true });
  await writeFile(path.join(folder, 'chat_template.jinja'), chatTemplate);
  await editor().openFile('math_agent.yaml');
  await editor().commandThatAsks('AgentJet: Choose Tokenizer');
  await (await editor().see('.quick-input-widget .monaco-list-row', 'Folder…')).click();
  await editor().chooseFolder(folder, 'Choose');
  const settings = editor().file('.vscode/settings.json');
  await editor().until('the setting is written', async () => {
    const text = await readFile(settings, 'utf8').catch(() => '');
    return text.includes('"agentjet.tokenizer": "tokenizer"');
  });
  await runToTheEnd();
  await editor().seeNo('.repl', approximate);
});
