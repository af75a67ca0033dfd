/** The view "Runs", as a person meets it. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { startRun, type RunningCommand } from '../harness/commandLine.ts';
import { adapterFiles, TinkerServer } from '../../tools/tinkerServer.ts';
import { ScriptedTraining } from '../../tools/trainingFolder.ts';
import { processesWith, titleButton, useEditor, type Editor } from '../harness/index.ts';

const example = 'media/examples/math_agent';
const row = '.pane-body .monaco-list-row';
const dialog = '.monaco-dialog-box';
const input = '.quick-input-widget input';
const toast = '.notification-toast';

describe('runs on disk', () => {
  const editor = useEditor({ suite: 'runs', workspace: example, each: 'files' });
  let held: HeldRun | undefined;

  afterEach(async () => {
    await held?.release();
    held = undefined;
  });

  const folderOf = (run: string): string => editor().file(`saved_experiments/${run}`);

  /** Runs the example, as an experiment of this name, to its end. */
  async function finishRun(name: string): Promise<void> {
    await startRun(editor(), await writeConfig(name), '--tasks', '1', '--repeat', '2').ended;
  }

  /** A copy of the example's config with the name of an experiment. */
  async function writeConfig(name: string, workflow?: string): Promise<string> {
    const text = await readFile(editor().file('math_agent.yaml'), 'utf8');
    const named = text.replace('ajet:\n', `ajet:\n  experiment_name: ${name}\n`);
    const file = `${name}.yaml`;
    await writeFile(
      editor().file(file),
      workflow === undefined ? named : named.replace('workflow.ts->MathAgentWorkflow', workflow),
    );
    return file;
  }

  async function holdRun(name: string): Promise<HeldRun> {
    const server = await holdingServer();
    await writeFile(
      editor().file('held.ts'),
      `import { Workflow } from 'agentjet';
export class Held extends Workflow {
  async execute() {
    await fetch('${server.url}');
    return { reward: 1, isSuccess: true };
  }
}
`,
    );
    const command = startRun(
      editor(),
      await writeConfig(name, 'held.ts->Held'),
      '--tasks',
      '1',
      '--repeat',
      '1',
    );
    await server.reached;
    return { command, release: server.release };
  }

  test('are not read before somebody looks', async () => {
    await finishRun('first');
    await editor().openFile('math_agent.yaml');
    await editor().see(titleButton);
    expect(await traceServers(editor())).toEqual([]);
    await openView(editor());
    await editor().see(row, /first.*completed/);
    expect(await traceServers(editor())).toHaveLength(1);
  });

  test('are listed, the newest first, and open in the viewer', async () => {
    await openView(editor());
    await editor().see('.welcome-view-content', 'No runs yet');
    await editor().screenshot('empty');
    await finishRun('first');
    await editor().see(row, /first.*completed.*2 episodes/);
    await editor().seeNo('.welcome-view-content', 'No runs yet');
    await finishRun('second');
    await editor().see(row, /second.*completed/);
    await editor().until('the newer comes first', async () => {
      const text = (await editor().page.locator(row).allInnerTexts()).join('\n');
      return text.indexOf('second') < text.indexOf('first');
    });
    await editor().hover(row, /first.*completed/, /token counts are approximate/);
    await editor().screenshot('list');
    await editor().select(row, /first.*completed/);
    await editor().see('.tab.active', 'first.ajtrace');
    await editor().webview();
    await editor().screenshot('opened');
  });

  test('have one row for a training, whose page grows with its folder', async () => {
    const config = editor().file('math_agent.yaml');
    const training = await ScriptedTraining.open(folderOf('math'), { config, cwd: path.dirname(config) });
    await training.validate(0.2);
    await training.step();
    await training.step();
    await training.checkpoint();
    await editor().openFile('math_agent.yaml');
    await editor().commandThatAsks('AgentJet: Train…');
    await editor().see('.quick-input-list', 'Tinker server');
    await editor().screenshot('train');
    await editor().press('Escape');
    await openView(editor());
    await editor().select(row, /math.*Step 2/);
    const page = await editor().webview();
    await page.getByText('tinker://run-1/sampler_weights/step-2').waitFor();
    await training.step();
    await page.getByRole('button', { name: 'Open the rollouts of Step 3' }).waitFor();
    await editor().screenshot('training');
    await page.getByRole('button', { name: 'Compare with Step 1: Step 3' }).click();
    await editor().see('.tab.active', 'step-0003.ajtrace');
    await editor().screenshot('training-compared');
  });

  test('have the checkpoints of a training, which are fetched and deleted', async () => {
    const server = await TinkerServer.start();
    onTestFinished(() => server.close());
    const config = editor().file('math_agent.yaml');
    const place = { config, cwd: path.dirname(config), baseUrl: server.url };
    const training = await ScriptedTraining.open(folderOf('sums'), place);
    await training.step();
    await training.checkpoint();
    await training.save({ status: 'completed' });
    const { path: weights, sampler } = training.state.checkpoints[0] ?? { path: '', sampler: '' };
    for (const one of [weights, sampler]) server.weights.set(one, { steps: 1, passes: [] });
    await openView(editor());
    await editor().select(row, /sums.*Step 1/);
    const page = await editor().webview();
    await page.getByRole('button', { name: 'Fetch the checkpoint of step 1' }).click();
    await editor().chooseFolder(editor().session.temp, 'Fetch Here');
    const target = path.join(editor().session.temp, 'sums-step-1');
    await editor().see(toast, `The checkpoint is in ${target}.`);
    for (const [name, text] of Object.entries(adapterFiles))
      expect(await readFile(path.join(target, name), 'utf8')).toBe(text);
    await editor().screenshot('checkpoint-fetched');
    await editor().command('Notifications: Clear All Notifications');

    await page.getByRole('button', { name: 'Publish the checkpoint of step 1' }).click();
    await (await editor().see(`${dialog} .monaco-button`, 'Publish')).click();
    await editor().see(toast, 'SkyRL 0.4 does not offer this.');
    await editor().command('Notifications: Clear All Notifications');

    await page.getByRole('button', { name: 'Delete the checkpoint of step 1' }).click();
    await editor().see(dialog, 'Delete the checkpoint of step 1 on the server?');
    await editor().screenshot('checkpoint-delete');
    await (await editor().see(`${dialog} .monaco-button`, 'Delete')).click();
    await page.getByText(sampler).waitFor({ state: 'detached' });
    expect([...server.weights.keys()]).toEqual([]);
  });

  test('are renamed by F2, folder and open viewer alike', async () => {
    await finishRun('first');
    await finishRun('second');
    await openView(editor());
    await editor().select(row, /first.*completed/);
    await editor().see('.tab.active', 'first.ajtrace');
    await editor().press('F2');
    await (await editor().see(input)).fill('second');
    await editor().see('.quick-input-message', 'The folder already contains "second".');
    await (await editor().see(input)).fill('baseline');
    await editor().press('Enter');
    await editor().see(row, /baseline.*completed/);
    expect((await readdir(editor().file('saved_experiments'))).sort()).toEqual(['baseline', 'second']);
    expect(existsSync(path.join(folderOf('baseline'), 'first.ajtrace'))).toBe(true);
    await editor().see('.breadcrumbs-control', 'baseline');
    await editor().seeNo(row, /first(?!\.yaml)/);
  });

  test('are deleted, several at once, after a question that names them', async () => {
    await finishRun('first');
    await finishRun('second');
    await openView(editor());
    await editor().select(row, /first.*completed/);
    await editor().select(row, /second.*completed/, 'ControlOrMeta');
    await editor().press('Delete');
    await editor().see(dialog, folderOf('first'));
    await editor().see(dialog, folderOf('second'));
    await editor().screenshot('delete');
    await (await editor().see(`${dialog} .monaco-button`, 'Cancel')).click();
    await editor().seeNo(dialog);
    expect(existsSync(folderOf('first'))).toBe(true);
    await editor().press('Delete');
    await (await editor().see(`${dialog} .monaco-button`, 'Move to Trash')).click();
    // The server on which this editor runs has no trash.
    await (await editor().see(`${dialog} .monaco-button`, 'Delete Permanently')).click();
    await editor().seeNo(row, /first|second/);
    expect(await readdir(editor().file('saved_experiments'))).toEqual([]);
    await editor().seeNo('.tab', 'first.ajtrace');
    await editor().see('.welcome-view-content', 'No runs yet');
  });

  test('are followed when something else moves or deletes them', async () => {
    await openView(editor());
    await finishRun('first');
    await editor().see(row, /first.*completed/);
    await rename(folderOf('first'), folderOf('moved'));
    await editor().see(row, /moved.*completed/);
    await rm(folderOf('moved'), { recursive: true, maxRetries: 10, retryDelay: 100 });
    await editor().seeNo(row, /moved/);
  });

  test('are left alone while they go on, and followed to their end', async () => {
    await openView(editor());
    held = await holdRun('going');
    await editor().select(row, /going.*running.*0 of 1 episode/);
    await editor().see(`${row} .codicon-loading`);
    await editor().screenshot('running');
    for (const key of ['Delete', 'F2']) {
      await editor().press(key);
      await editor().see(toast, 'The run going is still active.');
      await editor().command('Notifications: Clear All Notifications');
      await editor().seeNo(toast);
      await editor().select(row, /going/);
    }
    expect(existsSync(folderOf('going'))).toBe(true);
    await held.release();
    await held.command.ended;
    await editor().see(row, /going.*completed.*reward 1 .*1 episode/);
  });

  test('that were killed are told from those that ended', async () => {
    await openView(editor());
    held = await holdRun('going');
    await editor().see(row, /going.*running/);
    held.command.kill();
    await editor().see(row, /going.*stopped/);
  });

  test('say why they cannot be read', async () => {
    await mkdir(folderOf('broken'), { recursive: true });
    await writeFile(path.join(folderOf('broken'), 'broken.ajtrace'), 'not a trace at all');
    await openView(editor());
    await editor().hover(row, /broken\.ajtrace.*unreadable/, /\[trace\//);
  });

  test('outside the workspace are listed when they were started here', async () => {
    const outside = path.join(editor().session.temp, 'outside');
    await writeConfig('elsewhere');
    await mkdir(editor().file('.vscode'));
    const launch = {
      version: '0.2.0',
      configurations: [
        {
          type: 'agentjet',
          request: 'launch',
          name: 'elsewhere',
          config: editor().file('elsewhere.yaml'),
          expDir: outside,
          tasks: 1,
          repeat: 1,
        },
      ],
    };
    await writeFile(editor().file('.vscode/launch.json'), JSON.stringify(launch));
    await openView(editor()); // listed before the run is there
    await editor().command('View: Show Run and Debug');
    await editor().see('.start-debug-action-item', 'elsewhere');
    await editor().startDebugging();
    await editor().seeNo('.debug-toolbar', undefined, 60_000);
    await openView(editor());
    await editor().see(row, /elsewhere.*completed/);
    expect(await readdir(outside)).toEqual(['elsewhere']);
  });
});

describe('in a folder that is not trusted', () => {
  const editor = useEditor({
    suite: 'runs-restricted',
    workspace: example,
    workspaceTrust: true,
    each: 'window',
  });

  test('no trace is read before that, and runs are listed after it', async () => {
    await startRun(editor(), 'math_agent.yaml', '--tasks', '1', '--repeat', '1').ended;
    const files = await readdir(editor().file('saved_experiments'), { recursive: true });
    const trace = files.find((name) => name.endsWith('.ajtrace')) ?? '';
    await editor().openFile(path.join('saved_experiments', trace), 'iframe.webview');
    const page = await editor().webview();
    await page.getByText('The workspace is not trusted').waitFor();
    await editor().screenshot('not-trusted');
    expect(await traceServers(editor())).toEqual([]);
    await editor().trustWorkspace();
    await (await editor().see('.monaco-modal-editor-block .codicon-close')).click();
    await openView(editor());
    await editor().select(row, /math_agent.*completed/);
    await editor().see('.tab.active', '.ajtrace');
  });
});

async function traceServers(editor: Editor): Promise<unknown[]> {
  const processes = await processesWith(editor.session.temp);
  return processes.filter(({ command }) => command.includes('traceServer.mjs'));
}

/** Opens the view by its icon. A click on the icon of an open view would close it. */
async function openView(editor: Editor): Promise<void> {
  const icon = '.action-label[aria-label*="AgentJet"]';
  await editor.see(`.activitybar ${icon}`);
  const unchecked = editor.page.locator(`.activitybar .action-item:not(.checked) ${icon}`);
  if ((await unchecked.count()) > 0) await unchecked.click();
  await editor.see('.part.sidebar .pane-header', /Runs/i);
}

interface HeldRun {
  readonly command: RunningCommand;
  /** Lets the run go on; does nothing the second time. */
  readonly release: () => Promise<void>;
}

interface HoldingServer {
  readonly url: string;
  /** Resolves when somebody has asked and waits. */
  readonly reached: Promise<unknown>;
  readonly release: () => Promise<void>;
}

/** Answers nobody before it is told to. */
async function holdingServer(): Promise<HoldingServer> {
  const waiting: ServerResponse[] = [];
  const server: Server = createServer((_, response) => waiting.push(response));
  const reached = once(server, 'request');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reached,
    release: async () => {
      for (const response of waiting.splice(0)) response.end();
      if (!server.listening) return;
      server.close();
      server.closeIdleConnections();
      await once(server, 'close');
    },
  };
}
