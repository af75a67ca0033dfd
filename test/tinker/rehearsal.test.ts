/** Sets up the environment of a rehearsal from nothing, and starts and ends its server. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CancellationSource, neverCancelled } from '../../src/base/core/cancellation.ts';
import { loadModelText } from '../../src/backbone/node/tokenizer/load.ts';
import { localFiles } from '../../src/base/node/files.ts';
import type { SetUpProgress } from '../../src/tinker/core/rehearsal/setUpProgress.ts';
import { openTinker } from '../../src/tinker/node/openTinker.ts';
import {
  startRehearsalServer,
  type RehearsalServer,
  type RehearsalServerOptions,
} from '../../src/tinker/node/rehearsal/server.ts';
import { ensureRehearsal, needsDownload } from '../../src/tinker/node/rehearsal/setUp.ts';
import { startCli, type RunningCli } from '../cli/harness/cli.ts';
import { Project } from '../cli/harness/project.ts';
import { descendants, living } from '../cli/harness/processes.ts';
import { rehearsal, rehearsalPorts } from './rehearsalServer.ts';

const lora = { rank: 8, trainMlp: true, trainAttn: true, trainUnembed: true };

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agentjet-rehearsal-test-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('sets up from nothing, after a cancellation and twice at once', async () => {
  const options = { cache: path.join(folder, 'cache') };
  expect(await needsDownload(rehearsalPorts, options)).toBe(true);

  const cancelling = new CancellationSource();
  const first: SetUpProgress[] = [];
  const cancelAtTwelfth = (progress: SetUpProgress): void => {
    first.push(progress);
    if (progress.step === 'download' && progress.number === 12) cancelling.cancel();
  };
  await expect(
    ensureRehearsal(rehearsalPorts, options, cancelAtTwelfth, cancelling.token),
  ).rejects.toMatchObject({ code: 'rehearsal/cancelled' });
  expect(await needsDownload(rehearsalPorts, options)).toBe(true);

  const progress: SetUpProgress[][] = [[], []];
  const [one, other] = await Promise.all(
    progress.map((seen) =>
      ensureRehearsal(rehearsalPorts, options, (next) => seen.push(next), neverCancelled),
    ),
  );
  expect(one).toEqual(other);
  const [waited, worked] = progress.sort((a, b) => a.length - b.length);
  expect(waited).toEqual([{ step: 'waiting' }]);
  const downloads = worked?.filter((next) => next.step === 'download') ?? [];
  // Packages that were downloaded before the cancellation are not downloaded again.
  expect(downloads.slice(0, 8).map(({ size }) => size)).toEqual(Array(8).fill(0));
  expect(downloads.at(-1)?.downloaded).toBeGreaterThan(150e6);
  expect(worked?.at(-1)).toEqual({ step: 'model' });

  expect(await needsDownload(rehearsalPorts, options)).toBe(false);
  const again: SetUpProgress[] = [];
  await ensureRehearsal(rehearsalPorts, options, (next) => again.push(next), neverCancelled);
  expect(again).toEqual([]);
});

test.each([
  ['no-network', { PIP_INDEX_URL: 'http://127.0.0.1:1/simple', PIP_RETRIES: '1' }],
  ['no-package', { PIP_NO_INDEX: '1', PIP_FIND_LINKS: '' }],
])('%s is reported', async (code, variables) => {
  const ports = { ...rehearsalPorts, env: { ...process.env, ...variables } };
  const options = { cache: path.join(folder, code) };
  await expect(ensureRehearsal(ports, options, () => undefined, neverCancelled)).rejects.toMatchObject({
    code: `rehearsal/${code}`,
  });
  expect(await needsDownload(ports, options)).toBe(true);
});

test('two servers run at once, leave nothing when they are killed, and find their checkpoints again', async () => {
  const environment = await rehearsal();
  const start = (options: RehearsalServerOptions): Promise<RehearsalServer> =>
    startRehearsalServer(rehearsalPorts, environment, options, neverCancelled);
  const data = path.join(folder, 'data');
  const command = await rehearse();
  const [server] = await Promise.all([start({ data }), command.wrote(/can train/)]);
  expect((await command.wrote(/server {2}(\S+)/))[1]).not.toBe(server.url);

  await expect(start({ data })).rejects.toMatchObject({ code: 'rehearsal/data-in-use' });
  const port = Number(new URL(server.url).port);
  await expect(start({ port })).rejects.toMatchObject({ code: 'rehearsal/port-in-use' });

  const session = await openTinker({ baseUrl: server.url });
  const model = await session.createModel({ ...lora, baseModel: server.model }, neverCancelled);
  const checkpoint = await model.save('first');

  const processes = [server.pid, command.pid].flatMap((pid) => [pid, ...descendants(pid)]);
  process.kill(server.pid, 'SIGKILL');
  command.child.kill('SIGKILL');
  expect(await server.ended).toMatchObject({ code: 'rehearsal/server-ended' });
  await expect.poll(() => living(processes), { timeout: 10_000 }).toEqual([]);
  await session.close('interrupted');

  const again = await start({ data });
  const resumed = await openTinker({ baseUrl: again.url });
  await (await resumed.createModel({ ...lora, baseModel: again.model }, neverCancelled)).load(checkpoint);
  await resumed.close('success');
  await again.stop();
  expect(await again.ended).toBeUndefined();
  expect(existsSync(again.log)).toBe(true);
});

test('Ctrl-C ends the command while the server starts', async () => {
  const command = await rehearse();
  await command.wrote(/Starting/);
  const processes = descendants(command.pid);
  command.child.kill('SIGINT');
  expect(await command.exited).toMatchObject({ code: 130 });
  expect(living(processes)).toEqual([]);
});

test('the model has a chat template, and its tokens are those of the server', async () => {
  const { model, python } = await rehearsal();
  const file = path.join(model, 'tokenizer.json');
  const source = await loadModelText(file, { name: 'tiny', files: localFiles, now: () => new Date(0) });
  const { tokenizer, template } = await source.open();
  const call = { type: 'function', id: '1', function: { name: 'add', arguments: { a: 1 } } };
  const tools = [{ type: 'function', function: { name: 'add' } }];
  const messages = [
    { role: 'system', content: 'Count 数 🎉.' },
    { role: 'user', content: '1+1?' },
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'tool', content: '2', tool_call_id: '1' },
  ];
  const text = template.render(messages, { tools, addGenerationPrompt: true });
  expect(text).toBe(`<|im_start|>system
Count 数 🎉.
<tools>
{"type": "function", "function": {"name": "add"}}
</tools><|im_end|>
<|im_start|>user
1+1?<|im_end|>
<|im_start|>assistant
<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call><|im_end|>
<|im_start|>user
<tool_response>2</tool_response><|im_end|>
<|im_start|>assistant
`);
  const script = `import sys, transformers
print(transformers.AutoTokenizer.from_pretrained(sys.argv[1])(sys.argv[2])["input_ids"])`;
  const { stdout } = await promisify(execFile)(python, ['-I', '-c', script, model, text]);
  expect(tokenizer.encode(text)).toEqual(JSON.parse(stdout));
  expect(tokenizer.eos).toBe(258);
});

/** Starts the command with the environment that tests share. */
async function rehearse(): Promise<RunningCli> {
  const shared = path.dirname((await rehearsal()).model);
  const cache = await mkdtemp(path.join(folder, 'cache-'));
  await mkdir(path.join(cache, 'agentjet'));
  await symlink(shared, path.join(cache, 'agentjet/rehearsal'));
  // Its temporary folder stays if it is killed.
  return startCli(new Project(folder), ['rehearse'], { env: { XDG_CACHE_HOME: cache, TMPDIR: folder } });
}
