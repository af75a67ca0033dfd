/** Trains from a real editor on the Tinker server of a GPU host, with a breakpoint, and a host that is killed meanwhile. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startGpuHost, type GpuHost } from '../e2e/harness/gpuHost.ts';
import { addHost, hostRow, showHosts } from '../e2e/harness/hostSteps.ts';
import { titleButton, useEditor } from '../e2e/harness/index.ts';
import { rehearsal, skyrlServers } from './rehearsalServer.ts';

let host: GpuHost;
let model = '';
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agentjet-servers-'));
  const file = path.join(folder, 'servers.json');
  const servers = await skyrlServers();
  model = servers.skyrl.models[0];
  await writeFile(file, JSON.stringify(servers));
  vi.stubEnv('JAX_COMPILATION_CACHE_DIR', (await rehearsal()).compiled);
  host = await startGpuHost({ flags: ['--tinker-servers', file] });
});

afterAll(async () => {
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

const editor = useEditor({ suite: 'training-host', workspace: 'test/fixtures/training' });

test('Train starts a server on a GPU host, and a stop and a killed host end no session', async () => {
  const config = editor().file('train.yaml');
  const text = await readFile(config, 'utf8');
  const steps = text.replace('total_epochs: 15', 'total_epochs: 3');
  await writeFile(config, steps.replace('MODEL', model).replace('WORKFLOW', 'workflow.ts->Digits'));
  const workflow = await readFile(editor().file('workflow.ts'), 'utf8');
  const line = workflow.split('\n').findIndex((one) => one.includes('const text =')) + 1;
  await editor().openFile('train.yaml');
  await editor().see(titleButton);
  await addHost(editor(), host);
  await editor().commandThatAsks('AgentJet: Train…');
  await editor().pickThatAsks('Tinker server on a GPU host');
  await editor().pick('With the debugger');
  await editor().showConsole();
  // The engine of the server starts, and compiles.
  await editor().see('.repl', 'step 1 of 3', 240_000);
  await showHosts(editor());
  await editor().see(hostRow, 'serving');
  await editor().screenshot('host-serves');
  await editor().openFile('workflow.ts');
  await editor().setBreakpoint(line);
  await editor().stoppedAt(line);
  await host.restart();
  await showHosts(editor());
  await editor().see(hostRow, 'serving');
  await editor().screenshot('stopped');
  await editor().command('Remove All Breakpoints');
  await editor().press('F5');
  await editor().showConsole();
  await editor().see('.repl', 'trained 3 steps');
  const state = path.join(editor().file('saved_experiments/digits'), 'training.json');
  expect(JSON.parse(await readFile(state, 'utf8'))).toMatchObject({ status: 'completed', tinkerHost: 'box' });
});
