/**
 * Makes the pictures of the walkthrough in media/walkthrough, in a real VS Code: one of each step for dark and light themes.
 *
 *   npm run pictures:walkthrough
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openEditor, titleButton } from '../e2e/harness/editor.ts';
import { startGpuHost } from '../e2e/harness/gpuHost.ts';
import { addHost, askToTrain, hostRow, showHosts, startTraining, stepOf } from '../e2e/harness/hostSteps.ts';
import { root } from './commands.mjs';

const folder = path.join(root, 'media/walkthrough');
const themes = { dark: 'Default Dark Modern', light: 'Default Light Modern' };
/** The first breakpoint of the example. */
const line = 28;

const config = `project: maths
name: first
checkpoint_root_dir: ./checkpoints
algorithm:
  algorithm_type: grpo
  repeat_times: 8
model:
  model_path: Qwen/Qwen2.5-1.5B-Instruct
  max_model_len: 4096
cluster:
  node_num: 1
  gpu_per_node: 2
buffer:
  batch_size: 16
  total_steps: 10
  explorer_input:
    taskset:
      path: openai/gsm8k
      subset_name: main
      default_workflow_type: math_workflow
`;

const settings = {
  'editor.minimap.enabled': false,
  'editor.stickyScroll.enabled': false,
  'breadcrumbs.enabled': false,
  'workbench.layoutControl.enabled': false,
  'window.commandCenter': false,
  'debug.internalConsoleOptions': 'neverOpen',
};

/** One session: each step brings the window into the state of its picture. */
const steps = [
  {
    id: 'open',
    prepare: async (editor) => {
      await editor.openFile('math_agent.yaml');
      await editor.openFile('workflow.ts');
      await editor.see(titleButton);
      await editor.commandThatAsks('AgentJet: Open Example');
      await editor.see('.quick-input-widget .monaco-list-row', 'math_agent');
    },
    leave: (editor) => editor.press('Escape'),
  },
  {
    id: 'breakpoint',
    prepare: (editor) => editor.setBreakpoint(line),
  },
  {
    id: 'f5',
    prepare: async (editor) => {
      await editor.startDebugging();
      await editor.stoppedAt(line);
      await editor.see('.debug-view-content .monaco-list-row', 'Local');
      await editor.goToLine(30, 10);
      await editor.press('ControlOrMeta+k', 'ControlOrMeta+i');
      await editor.see('.debug-hover-tree .monaco-list-row');
    },
    leave: async (editor) => {
      await editor.command('Remove All Breakpoints');
      await editor.press('F5');
      await editor.seeNo('.debug-toolbar');
    },
  },
  {
    id: 'trace',
    prepare: async (editor) => {
      await editor.command('View: Close All Editors');
      await editor.command('AgentJet: Open Last Trace');
      const trace = await editor.webview();
      await trace.locator('.body-row').nth(1).click();
      await trace.getByRole('option', { name: 'Timeline 0' }).click();
      const tokens = trace.getByRole('listbox', { name: 'Tokens' });
      await tokens.locator('.token').first().waitFor();
      // A token of the last reply, which training would learn from.
      await tokens.focus();
      await editor.press('End', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft');
      await tokens.locator('.token', { hasText: 'boxed' }).last().waitFor();
    },
    leave: (editor) => editor.command('View: Close All Editors'),
  },
  {
    id: 'model',
    prepare: async (editor) => {
      await editor.openFile('workflow.ts');
      await editor.commandThatAsks('AgentJet: Choose Model');
      await editor.see('.quick-input-widget .monaco-list-row', 'Another Server');
    },
    leave: async (editor) => {
      await editor.press('Escape');
      await editor.command('View: Close All Editors');
    },
  },
  {
    id: 'config',
    prepare: async (editor) => {
      await editor.press('ControlOrMeta+b');
      await editor.openFile('math_agent.yaml');
      await editor.see(titleButton);
      await editor.command('AgentJet: Show Effective Config');
      await editor.see('.view-line', '# math_agent.yaml:');
    },
    leave: (editor) => editor.command('View: Close All Editors'),
  },
  {
    id: 'train',
    prepare: async (editor, host) => {
      await writeFile(editor.file('train.yaml'), config);
      const job = 'checkpoints/maths/first';
      const actions = [...[1, 2, 3, 4, 5, 6].map(stepOf), { do: 'hang' }];
      await writeFile(editor.file('script.json'), JSON.stringify({ job, actions }));
      await addHost(editor, host);
      await showHosts(editor);
      await editor.openFile('train.yaml');
      await editor.see('.codelens-decoration a', 'Train on GPU Host');
      await askToTrain(editor);
      await startTraining(editor);
      const page = await editor.webview();
      await page
        .getByText(/6 of 10/)
        .first()
        .waitFor();
      await page.locator('.u-over').nth(1).waitFor();
      await editor.see(hostRow, 'step 6 of 10');
      await editor.command('View: Close All Editors in Group');
      await editor.seeNo('.tab', 'train.yaml');
    },
  },
];

async function save(page, file) {
  const browser = await page.context().newCDPSession(page);
  const { data } = await browser.send('Page.captureScreenshot', { format: 'webp', quality: 85 });
  writeFileSync(file, Buffer.from(data, 'base64'));
}

async function takeAll(theme) {
  const host = await startGpuHost();
  const editor = await openEditor({
    suite: 'walkthrough-pictures',
    workspace: 'media/examples/math_agent',
    settings: { ...settings, 'workbench.colorTheme': themes[theme] },
  });
  try {
    await editor.page.setViewportSize({ width: 1024, height: 640 });
    for (const { id, prepare, leave } of steps) {
      await prepare(editor, host);
      await save(editor.page, path.join(folder, `${id}-${theme}.webp`));
      await leave?.(editor);
    }
  } finally {
    await editor.close();
    await host.close();
  }
}

mkdirSync(folder, { recursive: true });
for (const theme of Object.keys(themes)) await takeAll(theme);
