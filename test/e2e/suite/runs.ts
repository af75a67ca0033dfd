/** Small runs for the tests of debugging: a workflow, a config that names it, and tasks, written into the open folder. */
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type * as vscode from 'vscode';
import { fileUri, type Conversation, type Frame } from './debugging.ts';

/** The line of a workflow where its breakpoint goes. */
export const mark = '// break here';

/** The query of every task; 12 characters, since that is the reward of most workflows. */
export const query = 'twelve chars';

export interface RunOptions {
  /** The class that `file` exports. */
  readonly name?: string;
  readonly tasks?: number;
  /** Default: the run has no judge. */
  readonly judge?: string;
}

/** Writes a file of the workspace, with the folders above it. */
export async function writeFileOf(name: string, text: string): Promise<void> {
  const file = fileUri(name).fsPath;
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** Writes a config that runs the workflow of a file once per task; its absolute path. */
export async function writeConfig(
  file: string,
  { name = 'Agent', tasks = 1, judge }: RunOptions = {},
): Promise<string> {
  const judged =
    judge === undefined
      ? ''
      : `  task_judge: { judge_type: customized_protocol, judge_protocol: '${judge}' }\n`;
  const stem = file.replaceAll(/[^\w]+/g, '_');
  const rows = Array.from({ length: tasks }, (_, index) =>
    JSON.stringify({ task_id: `t${index}`, main_query: query }),
  );
  await writeFileOf(`runs/${stem}.jsonl`, `${rows.join('\n')}\n`);
  await writeFileOf(
    `runs/${stem}.yaml`,
    `ajet:
  task_reader:
    type: jsonl_dataset_file
    jsonl_dataset_file: { training: { file_path: 'runs/${stem}.jsonl' } }
  rollout: { user_workflow: '${file}->${name}', num_repeat: 1 }
${judged}  debug: { debug_max_parallel: 1, debug_first_n_tasks: ${tasks} }
hydra: { searchpath: ['file://ajet/default_config'] }
defaults: [ajet_default, _self_]
`,
  );
  return fileUri(`runs/${stem}.yaml`).fsPath;
}

/** Writes a workflow whose `execute` has these statements, and its config. Lines of `body` begin at line 5. */
export async function writeRun(file: string, body: string, options: RunOptions = {}): Promise<string> {
  const text = `import { Workflow, type WorkflowTask } from 'agentjet';

export class Agent extends Workflow {
  override async execute(workflowTask: WorkflowTask) {
${body}
  }
}
`;
  await writeFileOf(file, text);
  return writeConfig(file, options);
}

/** The 0-based line of a file, as it is on disk, that contains `text`. */
export async function lineWith(name: string, text: string): Promise<number> {
  const lines = (await readFile(fileUri(name).fsPath, 'utf8')).split('\n');
  const found = lines.findIndex((line) => line.includes(text));
  assert.ok(found >= 0, `${name} has a line with ${text}`);
  return found;
}

/** All frames of the thread that a frame is of, the topmost first. */
export async function stackOf(frame: Frame): Promise<readonly DebugProtocol.StackFrame[]> {
  const { threadId } = frame;
  const trace = (await frame.session.customRequest('stackTrace', {
    threadId,
  })) as DebugProtocol.StackTraceResponse['body'];
  return trace.stackFrames;
}

/** The JavaScript debugger's session of the process itself: the child of its own root session. */
export function targetSession(debug: Conversation): vscode.DebugSession {
  const target = debug
    .sessions()
    .findLast(({ type, parentSession }) => type === 'pwa-node' && parentSession?.type === 'pwa-node');
  assert.ok(target, 'the JavaScript debugger has attached');
  return target;
}

/** Whether a file lies in the folder of the bundles of the extension under test. */
export function isOurs(file: string): boolean {
  return /[\\/]dist[\\/](?:backbone|sdk)\.mjs$/.test(file);
}
