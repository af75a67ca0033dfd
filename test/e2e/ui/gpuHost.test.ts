/** Training on a GPU host, as a person meets it: from the config on screen to the end of the run. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { Frame } from 'playwright-core';
import { findSshd, sshServer, tryKill } from '../../cli/host/sshServer.ts';
import { Project } from '../../cli/harness/project.ts';
import { startGpuHost, type GpuHost } from '../harness/gpuHost.ts';
import { useEditor } from '../harness/index.ts';
import type { Action } from '../../tools/host/scriptedLauncher.ts';

const input = '.quick-input-widget input';
const row = '.pane-body .monaco-list-row';
const dialog = '.monaco-dialog-box';

const config = `mode: both
project: maths
name: first
checkpoint_root_dir: ./checkpoints
model:
  model_path: some/model
cluster:
  node_num: 1
  gpu_per_node: 2
trainer:
  total_steps: 10
`;

const step = (number: number): Action => ({
  do: 'metrics',
  step: number,
  values: {
    'experience_pipeline/group_advantages/reward_mean/mean': 0.2 + number / 20,
    'actor/ppo_kl': 0.001 * number,
    'actor/entropy_loss': 1.2 - number / 20,
    'response_length/mean': 200 + 5 * number,
    'time/step': 12.5,
  },
});

describe('a GPU host', () => {
  const temp = mkdtempSync(path.join(tmpdir(), 'agentjet-ssh-'));
  const ways = new Project(temp);
  const editor = useEditor({
    suite: 'gpuHost',
    each: 'window',
    env: { AGENTJET_SSH: ways.path('ssh/ssh') },
  });
  let host: GpuHost | undefined;

  afterAll(() => rmSync(temp, { recursive: true, force: true }));

  afterEach(async () => {
    await host?.close();
    host = undefined;
  });

  async function answer(text: string): Promise<void> {
    await (await editor().see(input)).fill(text);
    await editor().press('Enter');
  }

  async function addHost({ address, token }: GpuHost): Promise<void> {
    await editor().commandThatAsks('AgentJet: Add GPU Host');
    await editor().see('.quick-input-widget', 'Address of the host');
    await answer(address);
    await editor().see(`${input}[type="password"]`);
    await answer(token);
    await editor().see('.quick-input-widget', 'Name of the host');
    await answer('box');
    await editor().seeNo('.quick-input-widget');
  }

  async function showView(): Promise<void> {
    await editor().command('AgentJet: Focus on GPU Hosts View');
    await editor().see(row, 'box');
  }

  async function train(): Promise<void> {
    await editor().openFile('train.yaml');
    await editor().see('.codelens-decoration a', 'Train on GPU Host');
    await editor().commandThatAsks('AgentJet: Train on GPU Host');
    await editor().pick('trinity run');
    await editor().see(dialog, /would not train on box|Train train\.yaml on box/);
    await editor().screenshot('confirm');
    await (await editor().see(`${dialog} .monaco-button`, /Start Anyway|Start Training/)).click();
  }

  async function page(): Promise<Frame> {
    return editor().webview();
  }

  test('trains the config on screen, through a reload and a crash of the host, until it is cancelled', async () => {
    const going = (host = await startGpuHost());
    const go = path.join(going.folder, 'go');
    const actions: Action[] = [
      { do: 'print', text: 'Finished initializing Explorer\n' },
      { do: 'print', text: 'File "agent.py", line 3, in run\n' },
      ...[1, 2, 3].map(step),
      { do: 'checkpoint', step: 3 },
      { do: 'await', file: go },
      ...[4, 5].map(step),
      { do: 'print', text: 'through the crash\n' },
      { do: 'hang' },
    ];
    await writeFile(editor().file('train.yaml'), config);
    await writeFile(editor().file('agent.py'), 'def run():\n    pass\n    return 1\n');
    await writeFile(
      editor().file('script.json'),
      JSON.stringify({ job: 'checkpoints/maths/first', actions }),
    );

    await editor().command('AgentJet: Focus on GPU Hosts View');
    await editor().see('.pane-body .welcome-view-content', 'Add GPU Host');
    await editor().screenshot('empty');
    await addHost(going);
    await showView();
    await editor().see(row, /GPU 1/);
    await train();

    // The page of the run comes by itself.
    await editor().see('.tab.active', 'train');
    let shown = await page();
    await shown
      .getByText(/3 of 10/)
      .first()
      .waitFor();
    await editor().see(row, /train.*step 3 of 10/);
    await editor().screenshot('running');

    // The window is loaded again, and the host killed meanwhile: the run goes on, and so does its page.
    const loaded = editor().page.waitForEvent('load');
    await editor().command('Developer: Reload Window');
    await loaded;
    await editor().ready();
    await going.restart();
    await writeFile(go, '');
    shown = await page();
    // An editor in a browser keeps no secrets over a reload; one on a desktop has the token still.
    await shown.getByText('The editor has no token of the GPU host box.').waitFor();
    await editor().screenshot('no-token');
    await editor().commandThatAsks('AgentJet: Enter Token of GPU Host');
    await answer(going.token);
    await shown
      .getByText(/5 of 10/)
      .first()
      .waitFor();
    await editor().screenshot('after-reload');

    await showView();
    await editor().commandThatAsks('AgentJet: Show Log of Training Run');
    await editor().pick('train');
    // What is in a channel shows in editors with their native modules alone, which the one of these tests lacks.
    await editor().see('.part.panel .monaco-select-box', /train \([0-9a-f]{6}\)/);
    await editor().screenshot('log');

    await editor().commandThatAsks('AgentJet: Cancel Training Run');
    await editor().pick('train');
    await (await editor().see(`${dialog} .monaco-button`, 'Cancel Training')).click();
    await editor().see(row, /train.*cancelled/, 60_000);
    await editor().see(row, /^GPU 1$/);
    await editor().screenshot('cancelled');

    await editor().commandThatAsks('AgentJet: Fetch Checkpoint');
    await editor().pickThatAsks('train');
    await editor().chooseFolder(editor().session.temp, 'Fetch Here');
    await editor().see('.notification-toast', 'The checkpoint is in');
    await editor().screenshot('fetched');
    const fetched = (await readdir(editor().session.temp)).filter((name) => name.endsWith('-step-3'));
    expect(fetched).toHaveLength(1);
    expect(await readdir(path.join(going.folder, 'data/runs'))).toHaveLength(1);
  });

  test('is brought to a machine by ssh, and asks for no token', async () => {
    const { address, home } = await sshServer(findSshd(), ways);
    await editor().commandThatAsks('AgentJet: Add GPU Host');
    await editor().see('.quick-input-widget', 'Address of the host');
    await answer(address);
    await editor().see('.quick-input-widget', 'Name of the host');
    await answer('over ssh');
    await editor().seeNo('.quick-input-widget');
    await editor().command('AgentJet: Focus on GPU Hosts View');
    await editor().see(row, /over ssh.*no GPUs/);
    await editor().screenshot('ssh');
    const { pid } = JSON.parse(readFileSync(path.join(home, '.agentjet/host/listening.json'), 'utf8')) as {
      pid: number;
    };
    tryKill(pid);
  });
});
