/** A host's runs for tests: the real launching, keeper and files; what it starts is `scriptedLauncher.ts`. */
import { cp, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { systemClock } from '../../../src/base/node/clock.ts';
import { HostLaunch } from '../../../src/training/node/host/launch/hostLaunch.ts';
import {
  openHostRuns,
  type HostRunsOptions,
  type NodeHostRuns,
} from '../../../src/training/node/host/runs/hostRuns.ts';
import { eventsIn } from '../../../src/training/core/protocol/hostRpc.ts';
import {
  finalStates,
  type RunEvent,
  type RunOrder,
  type RunRecord,
} from '../../../src/training/core/protocol/runs.ts';
import type { EventBlock, HostRuns } from '../../../src/training/core/contracts.ts';
import type { Action, LauncherScript } from './scriptedLauncher.ts';

const tool = (name: string): string => path.join(import.meta.dirname, name);
/** Its own source, run as it is; what is told of that is no output of the run's. */
const node = { command: process.execPath, args: ['--no-warnings'] };
export const scripted = { command: node.command, args: [...node.args, tool('scriptedLauncher.ts')] };

const firstJob = 'checkpoints/maths/first';
const config = `mode: both
project: maths
name: first
checkpoint_root_dir: ./checkpoints
model:
  model_path: /models/none
cluster:
  node_num: 1
  gpu_per_node: 2
trainer:
  total_steps: 10
`;

/** Snapshots are folders, by their names. */
export function folderSync(snapshots: string): HostRunsOptions['sync'] {
  return {
    has: (snapshot) => Promise.resolve(!snapshot.startsWith('0')),
    materialize: (snapshot: string, folder: string) =>
      cp(path.join(snapshots, snapshot), folder, { recursive: true }),
  };
}

let made = 0;

/**
 * Writes a snapshot whose launcher does these things, and the order to run it.
 *
 * @param job the job's folder, absolute or from the run's working folder; null: it is where the config has it
 */
export async function orderOf(
  data: string,
  actions: readonly Action[],
  change: Partial<RunOrder> = {},
  job: string | null = firstJob,
): Promise<RunOrder> {
  const snapshot = (++made).toString(16).padStart(64, 'f');
  const folder = path.join(data, 'snapshots', snapshot);
  await mkdir(folder, { recursive: true });
  const script: LauncherScript = { actions, ...(job !== null && { job }) };
  await writeFile(path.join(folder, 'script.json'), JSON.stringify(script));
  await writeFile(path.join(folder, 'train.yaml'), config);
  return {
    name: `run ${made}`,
    launcher: 'trinity',
    snapshot,
    config: 'train.yaml',
    backbone: 'trinity',
    flags: [],
    env: {},
    gpus: 0,
    ...change,
  };
}

export function newDataFolder(): Promise<string> {
  return mkdtemp(path.join(os.tmpdir(), 'agentjet-runs-'));
}

export async function openRuns(data: string, change: Partial<HostRunsOptions> = {}): Promise<NodeHostRuns> {
  const { env } = process;
  return openHostRuns({
    dataFolder: data,
    sync: folderSync(path.join(data, 'snapshots')),
    launch: new HostLaunch({
      launchers: { trinity: scripted, ajet: scripted },
      count: 2,
      env,
      dataFolder: data,
      clock: systemClock,
    }),
    clock: systemClock,
    logger: { log: (level, message) => level === 'error' && console.error(message) },
    env,
    keeper: { command: node.command, args: [...node.args, tool('keeper.ts')] },
    interval: 20,
    stop: { interrupt: 300, terminate: 300, kill: 300 },
    ...change,
  });
}

/** Resolves to the record of a run once it is as is asked for. */
export function until(runs: HostRuns, run: string, is: (record: RunRecord) => boolean): Promise<RunRecord> {
  return new Promise((resolve) => {
    const subscription = runs.onChanged((record) => {
      if (record.id !== run || !is(record)) return;
      subscription.dispose();
      resolve(record);
    });
    const record = runs.get(run);
    if (!is(record)) return;
    subscription.dispose();
    resolve(record);
  });
}

export function ended(runs: HostRuns, run: string): Promise<RunRecord> {
  return until(runs, run, ({ state, endedAt }) => finalStates.includes(state) && endedAt !== null);
}

export function eventsOfBlock({ message }: EventBlock): readonly RunEvent[] {
  return message === undefined ? [] : eventsIn(Buffer.from(message).toString());
}

/** All events of a run up to one, from anywhere. */
export async function eventsUntil(
  runs: HostRuns,
  run: string,
  is: (event: RunEvent) => boolean,
  { after = 0, sources }: { readonly after?: number; readonly sources?: readonly string[] } = {},
): Promise<RunEvent[]> {
  const reader = runs.follow(run, after, sources);
  const events: RunEvent[] = [];
  try {
    for (;;) {
      const more = new Promise<void>((resolve) => reader.onMore(resolve));
      const block = await reader.next();
      if (block === undefined) {
        await more;
        continue;
      }
      const next = eventsOfBlock(block);
      events.push(...next);
      if (next.some(is)) return events;
    }
  } finally {
    reader.dispose();
  }
}

export function isFinalEvent(event: RunEvent): boolean {
  return event.type === 'state' && finalStates.includes(event.state);
}
