/** Debug runs of many episodes, for the benches that count them. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { startBackbone } from '../../src/backbone/node/process/backboneChannel.ts';
import { runProtocolVersion } from '../../src/backbone/core/protocol/run.ts';
import { root } from '../tools/commands.mjs';

/** Gives `measure` a folder of its own: a workflow of test/bench/`name`, and as many tasks. */
export async function inRunFolder(name, tasks, measure) {
  const folder = await mkdtemp(path.join(tmpdir(), 'agentjet-bench-'));
  try {
    await cp(path.join(root, 'test/bench', name), folder, { recursive: true });
    const rows = Array.from({ length: tasks }, (_, row) =>
      JSON.stringify({ task_id: `task-${row}`, main_query: `Count to ${row}.` }),
    );
    await writeFile(path.join(folder, 'tasks.jsonl'), rows.join('\n'));
    return await measure(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Starts the run of the folder's rollout.yaml in an empty folder of results.
 *
 * @param request what differs in it from one run to another
 */
export async function startRun(folder, request, env = {}) {
  const expDir = path.join(folder, 'runs');
  await rm(expDir, { recursive: true, force: true });
  return startBackbone({
    runtime: { executable: process.execPath, env: {} },
    runtimeArgs: [],
    script: path.join(root, 'dist/backbone.mjs'),
    request: {
      protocol: runProtocolVersion,
      config: path.join(folder, 'rollout.yaml'),
      cwd: folder,
      expDir,
      split: 'training',
      allowEnvironment: false,
      ...request,
    },
    inspect: false,
    env,
  });
}

/** Runs the folder's rollout.yaml. Rejects unless all episodes ended well, each with as many calls. */
export async function debugRun(folder, { episodes, calls, request, env }) {
  const backbone = await startRun(folder, request, env);
  const results = [];
  const problems = [];
  backbone.onEvent((event) => {
    if (event.type === 'episode-ended') results.push(event.result);
    if (event.type === 'problem' || event.type === 'run-ended') problems.push(event);
  });
  await backbone.exited;
  const isWhole = ({ llmCalls, error }) => llmCalls === calls && error === null;
  if (results.length !== episodes || !results.every(isWhole)) {
    const told = JSON.stringify([...problems, ...results.slice(0, 2)]);
    throw new Error(`The run was not what it should be: ${told}`);
  }
}
