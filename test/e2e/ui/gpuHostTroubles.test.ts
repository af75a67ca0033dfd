/** GPU hosts when not all goes well: what is unsaved, hosts that are down, certificates, tokens. */
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Action } from '../../tools/host/scriptedLauncher.ts';
import { startGpuHost, type GpuHost, type GpuHostOptions } from '../harness/gpuHost.ts';
import {
  addHost,
  agreeToTrain,
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

const toast = '.notification-toast';
const pickRow = '.quick-input-widget .monaco-list-row';

describe('GPU hosts', () => {
  const editor = useEditor({
    suite: 'gpuHostTroubles',
    each: 'window',
    settings: { 'files.autoSave': 'off', 'agentjet.training.env': ['FROM_FILE', 'SET_NOWHERE'] },
  });
  const hosts: GpuHost[] = [];

  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.close()));
  });

  async function start(options?: GpuHostOptions): Promise<GpuHost> {
    const host = await startGpuHost(options);
    hosts.push(host);
    return host;
  }

  async function writeTraining(actions: readonly Action[]): Promise<void> {
    await writeFile(editor().file('train.yaml'), trainConfig);
    await writeFile(editor().file('agent.py'), 'def run():\n    return 1\n');
    const script = { job: 'checkpoints/maths/first', actions };
    await writeFile(editor().file('script.json'), JSON.stringify(script));
  }

  const runsOn = ({ folder }: GpuHost): Promise<string[]> => readdir(path.join(folder, 'data/runs'));

  async function editWorkflow(): Promise<void> {
    await editor().openFile('agent.py');
    await editor().goToLine(1);
    // Without a line break: Enter is taken by whatever suggests just then.
    await editor().type('# not saved ');
    await editor().see('.tab.active.dirty', 'agent.py');
  }

  test('train what the editor shows, and go on with another token', async () => {
    const box = await start();
    const cellar = await start();
    const go = path.join(box.folder, 'go');
    await writeTraining([
      ...[1, 2].map(stepOf),
      { do: 'await', file: go },
      ...[3].map(stepOf),
      { do: 'hang' },
    ]);
    await addHost(editor(), box);
    await addHost(editor(), cellar, 'cellar');
    await showHosts(editor(), 'cellar');
    await cellar.kill();
    await editor().see(hostRow, /cellar.*No program listens/);

    await editWorkflow();
    await editor().openFile('train.yaml');
    await symlink('../elsewhere', editor().file('out'));
    await askToTrain(editor(), 'box');
    await editor().see(hostDialog, /Largest folders: \. \(.+Cannot be sent \(1\): out/s);
    await editor().screenshot('cannot-be-sent');
    await startTraining(editor());
    const page = await editor().webview();
    const steps = (count: number) => page.getByText(`${count} of 10`).first();
    await steps(2).waitFor();
    const [run = ''] = await runsOn(box);
    const sent = await readFile(path.join(box.folder, 'data/runs', run, 'code/agent.py'), 'utf8');
    expect(sent).toMatch(/^# not saved def/);

    // A host that is down keeps nobody from the runs of another.
    await editor().commandThatAsks('AgentJet: Show Log of Training Run');
    await editor().see(pickRow, /train.*step 2 of 10/);
    await editor().see(pickRow, /cellar does not respond.*No program listens/);
    await editor().screenshot('one-down');
    await editor().pick('train');
    await editor().see('.part.panel .monaco-select-box', /train \([0-9a-f]{6}\)/);

    const token = await box.newToken();
    await page.getByText('The host has revoked the token.').waitFor();
    await editor().screenshot('taken-back');
    await editor().commandThatAsks('AgentJet: Enter Token of GPU Host');
    await editor().pickThatAsks('box');
    await answer(editor(), token);
    await writeFile(go, '');
    await steps(3).waitFor();
    await page.getByText('The host has revoked the token.').waitFor({ state: 'hidden' });
  });

  test('are asked what they lack before a training goes on from a checkpoint, in its folder or in one of its own', async () => {
    const box = await start();
    await writeTraining([{ do: 'checkpoint', step: 1 }]);
    await addHost(editor(), box);
    await editor().openFile('train.yaml');
    await askToTrain(editor());
    await startTraining(editor());
    await showHosts(editor());
    await editor().see(hostRow, /train.*finished/);
    await editor().commandWith('AgentJet: Resume Training Run', 'train');
    const asked = await editor().see(hostDialog, /cannot be trained on box/);
    const text = await asked.innerText();
    expect(text).toMatch(/⚠ Ray does not respond/);
    expect(text).toMatch(/Restored: weights, optimizer/);
    await editor().screenshot('resume-checked');
    await (await editor().see(`${hostDialog} .monaco-button`, 'Start Anyway')).click();
    await expect.poll(async () => (await runsOn(box)).length).toBe(2);

    await editor().commandWith('AgentJet: Fork Training Run from Checkpoint', 'train');
    const fork = await editor().see(hostDialog, /cannot be trained on box/);
    expect(await fork.innerText()).toMatch(/starts in a new folder/);
    await editor().screenshot('fork-checked');
    await (await editor().see(`${hostDialog} .monaco-button`, 'Start Anyway')).click();
    await expect.poll(async () => (await runsOn(box)).length).toBe(3);
    await editor().see(hostRow, /train.*finished/);

    const another = await editor().windowOpenedBy(() =>
      editor().commandWith('AgentJet: Open Folder of Training Run', 'train'),
    );
    expect(another.session.workspace).toContain(box.folder);
    await another.page.close();
  });

  test('are sent nothing while a file cannot be saved', async () => {
    const box = await start();
    await writeTraining([{ do: 'exit', code: 0 }]);
    await addHost(editor(), box);
    await editWorkflow();
    await writeFile(editor().file('agent.py'), 'def run():\n    return "what another program wrote"\n');
    await editor().openFile('train.yaml');
    await editor().command('AgentJet: Train on GPU Host');
    await editor().see(toast, 'Cannot save agent.py. Nothing was sent to the host.');
    await editor().screenshot('not-saved');
  });

  test('are trusted by their fingerprint, and asked again with what was entered', async () => {
    const box = await start({ flags: ['--tls'] });
    const [url = '', fingerprint = ''] = box.address.split('#');
    await editor().commandThatAsks('AgentJet: Add GPU Host');
    await (await editor().see(hostInput)).fill('ws://gpu.example:7788');
    await editor().see('.quick-input-widget', 'Use `wss://gpu.example:7788` for a host');
    await editor().screenshot('token-in-clear');
    await (await editor().see(hostInput)).fill(`${url}#abc`);
    await editor().see('.quick-input-widget', 'A fingerprint has 64 hexadecimal digits.');
    await answer(editor(), url);
    await editor().see(hostDialog, (fingerprint.match(/.{1,8}/g) ?? []).join(' '));
    await editor().screenshot('certificate');
    await (await editor().see(`${hostDialog} .monaco-button`, 'Trust This Certificate')).click();
    await editor().see(`${hostInput}[type="password"]`);
    await answer(editor(), 'a wrong one');
    await editor().see('.quick-input-widget', 'Name of the host');
    await answer(editor(), 'box');
    await editor().see(toast, 'The host does not know this token.');
    await editor().screenshot('wrong-token');
    await (await editor().see(`${toast} .monaco-button`, 'Try Again')).click();
    await editor().see('.quick-input-widget', 'Address of the host');
    await answer(editor(), box.address);
    await editor().see(`${hostInput}[type="password"]`);
    await answer(editor(), box.token);
    await editor().see('.quick-input-widget', 'Name of the host');
    await editor().press('Enter');
    await editor().seeNo('.quick-input-widget');
    await showHosts(editor());
    await editor().see(hostRow, /box.*0 of 2 GPUs in use/);
  });

  test('are sent nothing more once it is cancelled', async () => {
    const box = await start();
    await writeTraining([...[1].map(stepOf), { do: 'exit', code: 0 }]);
    await addHost(editor(), box);
    await editor().openFile('train.yaml');
    await askToTrain(editor());
    box.pause();
    await agreeToTrain(editor());
    await editor().see(toast, /Training train\.yaml on box/);
    await (await editor().see(`${toast} .monaco-button`, 'Cancel')).click();
    await editor().see(toast, 'Canceled. No run was started on box.');
    box.resume();
    await editor().seeNo(toast, /Training train\.yaml on box/);
    await askToTrain(editor());
    await startTraining(editor());
    expect(await runsOn(box)).toHaveLength(1);
  });

  test('say at its line what a config lacks, and show runs over one another', async () => {
    const box = await start();
    await writeTraining([...[1, 2, 3].map(stepOf), { do: 'exit', code: 0 }]);
    const trainOn = (gpus: number): Promise<void> =>
      writeFile(editor().file('train.yaml'), trainConfig.replace('gpu_per_node: 2', `gpu_per_node: ${gpus}`));
    await trainOn(0);
    await writeFile(editor().file('.env'), 'FROM_FILE=1\nOTHER=2\n');
    await addHost(editor(), box);
    await editor().openFile('train.yaml');
    // Trinity is to find their number out, and finds what the run is given.
    await editor().commandThatAsks('AgentJet: Train on GPU Host');
    // The host has no Ray cluster.
    await editor().see('.quick-input-list .monaco-list-row', 'Trinity-RFT on the running Ray');
    await editor().seeNo('.quick-input-list .monaco-list-row >> nth=1');
    await editor().screenshot('launchers');
    await editor().pickThatAsks('trinity run');
    await editor().see('.quick-input-widget', 'GPUs of box: 2');
    await editor().screenshot('gpus');
    await answer(editor(), '1');
    await editor().see(hostDialog, /GPUs: 1\D[^]*SET_NOWHERE/);
    await editor().screenshot('variables');
    await editor().press('Escape');
    await editor().seeNo(hostDialog);

    await trainOn(8);
    await editor().see('.view-line', 'gpu_per_node: 8');
    await askToTrain(editor());
    await (await editor().see(`${hostDialog} .monaco-button`, 'Show Problems')).click();
    await editor().see('.part.panel .monaco-list-row', /8.*\[Ln 9, Col/);
    await editor().screenshot('problems');
    await trainOn(2);
    await editor().see('.view-line', 'gpu_per_node: 2');
    await showHosts(editor());
    for (const count of [1, 2]) {
      await editor().openFile('train.yaml');
      await askToTrain(editor());
      await startTraining(editor());
      const finished = editor().page.locator(hostRow, { hasText: /train.*finished.*step 3 of 10/ });
      await editor().until(`${count} have finished`, async () => (await finished.count()) === count);
    }
    await editor().screenshot('finished');
    await editor().command('View: Close All Editors');
    await editor().commandThatAsks('AgentJet: Compare Training Run with Another');
    await editor().see('.quick-input-widget .monaco-list-row.focused', 'train');
    await editor().press('Enter');
    await editor().see('.quick-input-widget input[placeholder="Select a training run to compare with"]');
    await editor().pick('train');
    const page = await editor().webview();
    const shown = page.getByRole('region', { name: 'Runs in the charts' }).getByRole('listitem');
    await shown.nth(1).waitFor();
    const names = (await shown.allInnerTexts()).map((text) => /^train\s+([0-9a-f]{6})\b/.exec(text)?.[1]);
    const runs = await runsOn(box);
    expect(names.toSorted()).toEqual(runs.map((run) => run.slice(-6)).toSorted());
    for (const run of runs) {
      const record = await readFile(path.join(box.folder, 'data/runs', run, 'run.json'), 'utf8');
      expect(JSON.parse(record)).toMatchObject({ order: { env: ['FROM_FILE'] } });
    }
    await editor().screenshot('compared');

    await editor().commandWith('AgentJet: Copy Launch Command of Training Run', 'train');
    await editor().see(toast, `To add this host to it: agentjet remote add box ${box.address}`);
    await editor().screenshot('command');

    // The newest is the page's own: removed, it is told of there, and what is drawn stays.
    await editor().commandWith('AgentJet: Remove Training Run', 'train');
    await (await editor().see(`${hostDialog} .monaco-button`, 'Remove All')).click();
    await page.getByRole('alert').getByText('box no longer has this run.').waitFor();
    await page.getByRole('slider', { name: 'Mean reward' }).waitFor();
    await editor().screenshot('removed');
  });
});
