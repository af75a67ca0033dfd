import { appendFile, mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EventLog } from '../../../../../src/training/node/host/runs/eventLog.ts';
import { LogReader } from '../../../../../src/training/node/host/runs/knownRun.ts';
import type { JobLayout } from '../../../../../src/training/node/host/runs/jobFolder.ts';
import { RunTails, snapshotJobFolder } from '../../../../../src/training/node/host/runs/tails.ts';
import type { RunEvent } from '../../../../../src/training/core/protocol/runs.ts';
import { eventsOfBlock } from '../../../../tools/host/runsHost.ts';
import { FakeClock } from '../../../fakeClock.ts';

let folder = '';
let log: EventLog;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'agentjet-tails-'));
  await mkdir(path.join(folder, 'log'));
  log = await openLog();
});
afterEach(async () => {
  await log.close();
  await rm(folder, { recursive: true, force: true });
});

const openLog = (): Promise<EventLog> =>
  EventLog.open(folder, { run: '20260101-120000-abcdef', clock: new FakeClock() });

const launcherLog = (): string => path.join(folder, 'launcher.log');

function newTails(job: JobLayout = { jobFolder: folder, before: { logs: {}, step: null } }): RunTails {
  const options = { events: log, launcherLog: launcherLog(), code: folder, redact: (line: string) => line };
  const tails = new RunTails(options);
  tails.followJob(job);
  return tails;
}

async function write(name: string, text = `of ${name}\n`): Promise<void> {
  await appendFile(path.join(folder, 'log', `${name}.log`), text);
}

async function events(): Promise<RunEvent[]> {
  const reader = new LogReader(Promise.resolve(log), 0, undefined, () => undefined);
  const all: RunEvent[] = [];
  for (let block = await reader.next(); block !== undefined; block = await reader.next()) {
    all.push(...eventsOfBlock(block));
  }
  reader.dispose();
  return all;
}

const sourcesOf = (all: readonly RunEvent[]): Set<string> =>
  new Set(all.flatMap((event) => (event.type === 'log' ? [event.source] : [])));
const noticesOf = (all: readonly RunEvent[]): string[] =>
  all.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
const runners = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `explorer_runner_${at}`);

test('what the launcher printed is told once, also where a machine that lost its power has lost some of it', async () => {
  await writeFile(launcherLog(), 'one\ntwo\nthree\n');
  await newTails().pump();
  await log.close();
  log = await openLog();
  await truncate(launcherLog(), 'one\ntw'.length);
  const tails = newTails();
  await tails.pump();
  await appendFile(launcherLog(), 'four\n');
  await tails.drain();
  const lines = (await events()).flatMap((event) => (event.type === 'log' ? event.lines : []));
  expect(lines).toEqual(['one', 'two', 'three', 'four']);
});

describe('the logs of a job', () => {
  test('are those of its stages, each with actors of its own', async () => {
    const stages = ['sft', 'rl'].map((name) => ({ name, folder: name, totalSteps: null }));
    const put = async (inside: string, text: string): Promise<void> => {
      await mkdir(path.dirname(path.join(folder, inside)), { recursive: true });
      await appendFile(path.join(folder, inside), text);
    };
    for (const name of runners(101)) await put(`sft/log/${name}.log`, '');
    await put('sft/log/trainer.log', 'old\n');
    await put('sft/latest_checkpointed_iteration.txt', '3');
    const before = await snapshotJobFolder(folder, stages);
    expect(before).toMatchObject({
      logs: { 'sft/trainer': 4 },
      step: null,
      stages: { sft: 3, rl: null },
    });
    const tails = newTails({ jobFolder: folder, stages, before });
    await put('sft/log/trainer.log', 'of sft\n');
    await put('rl/log/10.0.0.1/explorer_runner_7.log', 'of rl\n');
    await put('rl/latest_checkpointed_iteration.txt', '3');
    await tails.pump();
    expect(await events()).toMatchObject([
      { type: 'notice', text: expect.stringContaining('sft/explorer_runner_100.log') as unknown },
      { type: 'checkpoint', step: 3, stage: 2 },
      { type: 'log', source: 'sft/trainer', lines: ['of sft'], stage: 1 },
      { type: 'log', source: 'rl/10.0.0.1/explorer_runner_7', lines: ['of rl'], stage: 2 },
    ]);
  });

  test('are followed also where its runners are more than there is room for, which is told once', async () => {
    for (const name of runners(128)) await write(name);
    const tails = newTails();
    await tails.pump();
    for (const name of ['trainer', 'explorer', 'synchronizer']) await write(name);
    await tails.pump();
    const all = await events();
    expect(sourcesOf(all)).toEqual(new Set([...runners(100), 'trainer', 'explorer', 'synchronizer']));
    expect(noticesOf(all)).toEqual([
      `The job has more logs than can be followed (100 of runners, 100 others). explorer_runner_100.log and later logs are only in ${path.join(folder, 'log')} on the host.`,
    ]);
  });

  test('go on after another start of the host, whichever came later', async () => {
    await write('explorer_runner_127');
    await newTails().pump();
    for (const name of runners(127)) await write(name);
    await write('explorer_runner_127', 'more\n');
    await log.close();
    log = await openLog();
    await newTails().pump();
    const all = await events();
    const texts = all.flatMap((event) =>
      event.type === 'log' && event.source === 'explorer_runner_127' ? event.lines : [],
    );
    expect(texts).toEqual(['of explorer_runner_127', 'more']);
    expect(sourcesOf(all).size).toBe(100);
  });

  test('are few as a rule, and nothing is told then', async () => {
    await writeFile(path.join(folder, 'log', 'notes.txt'), '');
    for (const name of [...runners(16), 'trainer']) await write(name);
    await newTails().pump();
    const all = await events();
    expect([sourcesOf(all).size, noticesOf(all)]).toEqual([17, []]);
  });
});
