/** Training on a GPU host, as a person meets it: from the config on screen to the end of the run. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { findOpenSsh, sshServer, tryKill } from '../../cli/training/sshServer.ts';
import { Project } from '../../cli/harness/project.ts';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import { startGpuHost, type GpuHost } from '../harness/gpuHost.ts';
import {
  addHost,
  answer,
  askToTrain,
  hostDialog,
  hostInput,
  hostRow,
  showHosts,
  startTraining,
  stepOf,
} from '../harness/hostSteps.ts';
import { trainConfig } from '../../tools/host/trainConfig.ts';
import { useEditor } from '../harness/index.ts';
import { extensionUnderTest } from '../harness/session.ts';
import type { Action } from '../../tools/host/scriptedLauncher.ts';

/** As AgentJet's logger writes it: a line of its own, and one of JSON with each token. */
function loggedEpisode(
  step: number,
  { task_id, main_query }: { readonly task_id: string; readonly main_query: string },
  said: string,
): string {
  const [begin, end] = ['<|im_start|>', '<|im_end|>'];
  const prompt = [begin, 'user', '\n', main_query, end, '\n', begin, 'assistant', '\n'];
  const text = [...prompt, said, end];
  const isReply = (index: number): boolean => index >= prompt.length;
  const content = {
    text,
    title: text.map((_, index) => (isReply(index) ? '-0.2500' : 'N/A')),
    count: text.map((_, index) => String(100 * step + index)),
    color: text.map((_, index) => (isReply(index) ? '#09ABCF' : '#D98510')),
  };
  const item = { item_id: 'item', outcome: '0.0', raw_reward: '0.000', content };
  const header = `[${step}] Task ${task_id} (Reward 0.000)`;
  const record = { header, nested: true, nested_json: { [`${task_id}.0.0.0`]: item } };
  return `2026-01-01 12:00:0${step}.000 | INFO     | a:b:1 - \n${JSON.stringify(record)}\n`;
}

describe('a GPU host', () => {
  const temp = mkdtempSync(path.join(tmpdir(), 'agentjet-ssh-'));
  const ways = new Project(temp);
  const editor = useEditor({
    suite: 'gpuHost',
    each: 'window',
    env: { AGENTJET_SSH: ways.path('ssh/ssh') },
  });
  let host: GpuHost | undefined;

  afterAll(() => rmSync(temp, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

  afterEach(async () => {
    await host?.close();
    host = undefined;
  });

  test('trains the config on screen, through a reload and a crash of the host, until it is cancelled', async () => {
    const going = (host = await startGpuHost());
    const go = path.join(going.folder, 'go');
    const actions: Action[] = [
      { do: 'print', text: 'Finished initializing Explorer\n' },
      { do: 'print', text: 'File "agent.py", line 3, in run\n' },
      ...[1, 2, 3].map(stepOf),
      { do: 'checkpoint', step: 3 },
      { do: 'await', file: go },
      ...[4, 5].map(stepOf),
      { do: 'print', text: 'through the crash\n' },
      { do: 'hang' },
    ];
    await writeFile(editor().file('train.yaml'), trainConfig);
    await writeFile(editor().file('agent.py'), 'def run():\n    pass\n    return 1\n');
    await writeFile(
      editor().file('script.json'),
      JSON.stringify({ job: 'checkpoints/maths/first', actions }),
    );

    await editor().command('AgentJet: Focus on GPU Hosts View');
    await editor().see('.pane-body .welcome-view-content', 'Add GPU Host');
    await editor().screenshot('empty');
    await addHost(editor(), going);
    await showHosts(editor());
    await editor().see(hostRow, /GPU 1/);
    await editor().openFile('train.yaml');
    await editor().see('.codelens-decoration a', 'Train on GPU Host');
    await askToTrain(editor());
    await editor().screenshot('confirm');
    await startTraining(editor());
    let shown = await editor().webview();
    await shown
      .getByText(/3 of 10/)
      .first()
      .waitFor();
    await editor().see(hostRow, /train.*step 3 of 10/);
    await editor().screenshot('running');

    // The window is loaded again, and the host killed meanwhile: the run goes on, and so does its page.
    const loaded = editor().page.waitForEvent('load');
    await editor().command('Developer: Reload Window');
    await loaded;
    await editor().ready();
    await going.restart();
    await writeFile(go, '');
    shown = await editor().webview();
    // An editor in a browser keeps no secrets over a reload; one on a desktop has the token still.
    await shown.getByText('No token is stored for the GPU host box.').waitFor();
    await editor().screenshot('no-token');
    await editor().commandThatAsks('AgentJet: Enter Token of GPU Host');
    await answer(editor(), going.token);
    await shown
      .getByText(/5 of 10/)
      .first()
      .waitFor();
    await editor().screenshot('after-reload');

    await showHosts(editor());
    await editor().commandWith('AgentJet: Show Log of Training Run', 'train');
    // What is in a channel shows in editors with their native modules alone, which the one of these tests lacks.
    await editor().see('.part.panel .monaco-select-box', /train \([0-9a-f]{6}\)/);
    await editor().screenshot('log');

    await editor().commandWith('AgentJet: Cancel Training Run', 'train');
    await (await editor().see(`${hostDialog} .monaco-button`, 'Cancel Training')).click();
    await editor().see(hostRow, /train.*canceled/, 60_000);
    await editor().see(hostRow, /^GPU 1$/);
    await editor().screenshot('cancelled');

    await editor().commandWith('AgentJet: Show Effective Config of Training Run', 'train');
    await editor().see('.tab.active', /train \([0-9a-f]{6}\) \(effective\)/);
    await editor().see('.view-line', /project:\smaths\s+#\strain\.yaml:2/);
    await editor().screenshot('effective-config');

    await editor().commandThatAsks('AgentJet: Download Checkpoint');
    await editor().pickThatAsks('train');
    await editor().chooseFolder(editor().session.temp, 'Fetch Here');
    await editor().see('.notification-toast', 'The checkpoint is in');
    await editor().screenshot('fetched');
    const fetched = (await readdir(editor().session.temp)).filter((name) => name.endsWith('-step-3'));
    expect(fetched).toHaveLength(1);
    expect(await readdir(path.join(going.folder, 'data/runs'))).toHaveLength(1);
  });

  /** The example on screen, to be trained on two GPUs; its first task. */
  async function mathAgent(): Promise<{ readonly task_id: string; readonly main_query: string }> {
    await cp(path.join(extensionUnderTest(), 'media/examples/math_agent'), editor().file('.'), {
      recursive: true,
    });
    const config = readFileSync(editor().file('math_agent.yaml'), 'utf8');
    const changed = config
      .replace(/^ajet:\n/m, '$&  experiment_name: first\n')
      .replace(/^ +trainer_common:\n/m, '$&    n_gpus_per_node: 2\n');
    await writeFile(editor().file('math_agent.yaml'), changed);
    const [first = ''] = readFileSync(editor().file('data/train.jsonl'), 'utf8').split('\n');
    return JSON.parse(first) as { readonly task_id: string; readonly main_query: string };
  }

  test('brings what AgentJet has logged of a training with verl, of which an episode is debugged', async () => {
    host = await startGpuHost();
    const task = await mathAgent();
    const said = String.raw`So it was logged: \boxed{5}.`;
    await writeFile(editor().file('1.log'), loggedEpisode(1, task, String.raw`At first: \boxed{1}.`));
    await writeFile(editor().file('2.log'), loggedEpisode(2, task, said));
    const logs = 'saved_experiments/first/2026_01_01_12_00/box/rollout';
    const aside = `${logs}/rollout.json.2026-01-01_12-00-03_000001.log`;
    const keep = `mkdir -p ${logs} && cp 1.log ${aside} && touch -d 2026-01-01 ${aside} && cp 2.log ${logs}/rollout.json.log`;
    const actions: Action[] = [{ do: 'program', command: '/bin/sh', args: ['-c', keep] }];
    await writeFile(editor().file('script.json'), JSON.stringify({ job: 'checkpoints/first', actions }));

    await addHost(editor(), host);
    await editor().openFile('math_agent.yaml');
    await askToTrain(editor(), undefined, 'ajet --backbone verl');
    await startTraining(editor());
    await showHosts(editor());
    await editor().see(hostRow, /math_agent.*finished/, 60_000);
    await editor().command('View: Close All Editors');
    await editor().commandThatAsks('AgentJet: Show Rollouts of Training Run');
    await editor().pickThatAsks('math_agent');
    await (await editor().see('.quick-input-list .monaco-list-row', path.basename(aside))).click();
    await editor().see('.quick-input-widget', '2 Selected');
    await editor().screenshot('rollout-logs');
    await (await editor().see('.quick-input-widget .monaco-button', 'OK')).click();
    await editor().see('.tab.active', 'rollout.json.log.ajtrace');
    const rollouts = await editor().webview();
    await rollouts.getByText('[2] ').first().waitFor();
    await rollouts.getByText('[1] ').first().waitFor();
    await editor().screenshot('rollouts-of-verl');
    await rollouts.locator('.body-row').last().click();
    await rollouts.getByText('Timeline 0').first().click();
    await rollouts.getByText(said).first().waitFor();
    await rollouts.getByRole('button', { name: 'Debug this episode' }).click();
    await editor().see('.repl', '1 episode: ');
    await editor().seeNo('.debug-toolbar');
    const again = openTraceReader(editor().file('saved_experiments/first/first.ajtrace'));
    const [episode] = again.read((views) => views.recorded()).episodes;
    again.close();
    expect(episode).toMatchObject({ taskId: task.task_id, reward: 0 });
    expect(episode?.returned?.output).toContain('So it was logged');
  });

  test('brings the rollouts of a training here, where an episode of them is debugged', async () => {
    host = await startGpuHost();
    const { main_query } = await mathAgent();
    const said = String.raw`So it was said in training: \boxed{5}.`;
    const experience = {
      eid: { batch: 3, task: 0, run: 0, step: 0, suffix: 'a1' },
      ...{ type: 'multi_turn', prompt_length: 5, response_length: 9, info: {}, metrics: { accuracy: 0 } },
      messages: [
        { role: 'system', content: 'You are careful.' },
        { role: 'user', content: main_query },
        { role: 'assistant', content: said },
      ],
      reward: 0,
    };
    await writeFile(editor().file('kept.jsonl'), `${JSON.stringify(experience)}\n`);
    const job = 'saved_checkpoints/example_math_agent/first';
    const keep = `mkdir -p ${job}/buffer && cp kept.jsonl ${job}/buffer/explorer_output.jsonl`;
    const actions: Action[] = [
      { do: 'print', text: 'Finished initializing Explorer\n' },
      { do: 'program', command: '/bin/sh', args: ['-c', keep] },
    ];
    await writeFile(editor().file('script.json'), JSON.stringify({ job, actions }));

    await editor().command('AgentJet: Focus on GPU Hosts View');
    await addHost(editor(), host);
    await editor().openFile('math_agent.yaml');
    await askToTrain(editor(), undefined, 'ajet --backbone trinity');
    await startTraining(editor());
    await showHosts(editor());
    await editor().see(hostRow, /math_agent.*finished/, 60_000);
    await editor().command('View: Close All Editors');
    await editor().commandWith('AgentJet: Show Rollouts of Training Run', 'math_agent');
    await editor().see('.tab.active', 'explorer_output.jsonl.ajtrace');
    const rollouts = await editor().webview();
    await rollouts.locator('.body-row').first().click();
    // Nothing leads to tokens that training did not keep.
    const tokens = rollouts.getByRole('button', { name: /^Tokens/ });
    await rollouts.getByText(said).first().waitFor();
    expect(await tokens.count()).toBe(0);
    await rollouts.getByText('Timeline 0').first().click();
    await rollouts.getByRole('heading', { name: 'Timeline 0' }).waitFor();
    await rollouts.getByText(said).first().waitFor();
    expect(await tokens.count()).toBe(0);
    await editor().screenshot('rollout');

    await editor().openFile('workflow.ts');
    const lines = readFileSync(editor().file('workflow.ts'), 'utf8').split('\n');
    const line = 1 + lines.findIndex((text) => text.includes('return { reward: null'));
    await editor().setBreakpoint(line);
    await editor().command('View: Open Previous Editor');
    await (await editor().webview()).getByRole('button', { name: 'Debug this episode' }).click();
    await editor().stoppedAt(line);
    await editor().screenshot('rollout-debugged');
    await editor().press('F5');
    await editor().see('.repl', '1 episode: ');
    await editor().seeNo('.debug-toolbar');
    const again = openTraceReader(editor().file('saved_experiments/first/first.ajtrace'));
    const [episode] = again.read((views) => views.recorded()).episodes;
    again.close();
    expect(episode).toMatchObject({ taskId: 'train-001', reward: 0 });
    expect(episode?.returned?.output).toContain('So it was said in training');
  });

  test('is brought to a machine by ssh, and asks for no token', async () => {
    const { address, home } = await sshServer(await findOpenSsh(), ways);
    // Once the window has gone: as long as it is there, it starts another.
    onTestFinished(() => {
      const file = path.join(home, '.agentjet/host/listening.json');
      if (!existsSync(file)) return;
      const { pid } = JSON.parse(readFileSync(file, 'utf8')) as { pid: number };
      tryKill(pid);
    });
    await editor().commandThatAsks('AgentJet: Add GPU Host');
    await editor().see('.quick-input-widget', 'Address of the host');
    await answer(editor(), address);
    await editor().see('.quick-input-widget', 'Options to start the host with');
    await (await editor().see(hostInput)).fill('--gpus all');
    await editor().see('.quick-input-widget', '--gpus must be a whole number of at least 0, but is all.');
    await editor().screenshot('ssh-start');
    await answer(editor(), '--gpus 2 --ray http://127.0.0.1:1');
    await editor().see('.quick-input-widget', 'Name of the host');
    await answer(editor(), 'over ssh');
    await editor().seeNo('.quick-input-widget');
    await editor().command('AgentJet: Focus on GPU Hosts View');
    await editor().see(hostRow, /over ssh.*0 of 2 GPUs in use/);
    await editor().screenshot('ssh');
  });
});
