/** Files of runs that are damaged, or are something else than files. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Random } from '../../../src/base/core/random.ts';
import { systemClock } from '../../../src/base/node/clock.ts';
import { inControlGroup, removeGroup } from '../../../src/base/node/process/controlGroup.ts';
import { killSurvivors, processesWith, readStat } from '../../../src/base/node/process/kill.ts';
import type { RunEvent, RunRecord } from '../../../src/training/core/protocol/runs.ts';
import { markedProcesses } from '../../../src/training/node/host/runs/processes.ts';
import type { HostRunsOptions, NodeHostRuns } from '../../../src/training/node/host/runs/hostRuns.ts';
import { Gathered } from '../../tools/host/gathered.ts';
import { heldBy, mostHostMemory } from '../../tools/host/heldBy.ts';
import type { Action } from '../../tools/host/scriptedLauncher.ts';
import {
  ended,
  eventsUntil,
  folderSync,
  isFinalEvent,
  newDataFolder,
  openRuns,
  orderOf,
  until,
} from '../../tools/host/runsHost.ts';
import { gpuMachine } from './gpuHost.ts';
import { clientOf, gather, startedRun as startedOn } from './wireClient.ts';

const quiet: Partial<HostRunsOptions> = { logger: { log: () => undefined } };

async function newFolder(): Promise<string> {
  const folder = await newDataFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** A run that prints `ready`, and `done` once the file `go` exists. */
async function startedRun(data: string, gpus = 2): Promise<{ id: string; go: string; folder: string }> {
  const runs = await openRuns(data);
  const go = path.join(data, 'go');
  const actions: Action[] = [
    { do: 'print', text: 'ready\n' },
    { do: 'await', file: go },
    { do: 'print', text: 'done\n' },
  ];
  const { id } = await runs.start(await orderOf(data, actions, { gpus }), 'ann', 'key');
  onTestFinished(() => killSurvivors(processesWith(`AGENTJET_RUN=${id}`)));
  await eventsUntil(runs, id, (event) => event.type === 'log');
  await runs.close();
  return { id, go, folder: path.join(data, 'runs', id) };
}

async function reopened(data: string, change: Partial<HostRunsOptions> = quiet): Promise<NodeHostRuns> {
  const runs = await openRuns(data, change);
  onTestFinished(() => runs.close());
  return runs;
}

const damages: Readonly<Record<string, (file: string) => Promise<unknown>>> = {
  gone: (file) => rm(file),
  empty: (file) => writeFile(file, ''),
  half: async (file) => writeFile(file, (await readFile(file)).subarray(0, 200)),
  zeros: async (file) => writeFile(file, Buffer.alloc((await readFile(file)).length)),
  folder: (file) => rm(file).then(() => mkdir(file)),
  pipe: (file) => rm(file).then(() => execFileSync('mkfifo', [file])),
  device: (file) => rm(file).then(() => symlink('/dev/zero', file)),
};

/** Files of a run's folder, less its record and its events. */
const places = ['launcher.log', 'process.json', 'keeper.json', 'exit.json', 'family.json', 'gpus.ndjson'];

const linesOf = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'log' && event.source === 'launcher' ? event.lines : []));

describe.skipIf(process.platform !== 'linux')('the record of a run that is damaged', () => {
  test.each(Object.entries(damages))('(%s) is read from its copy', async (_, damage) => {
    const data = await newFolder();
    const { id, go, folder } = await startedRun(data);
    await damage(path.join(folder, 'run.json'));
    const runs = await reopened(data);
    expect(runs.get(id)).toMatchObject({ state: 'running', devices: [0, 1] });
    await writeFile(go, '');
    expect(await ended(runs, id)).toMatchObject({ state: 'finished', owner: 'ann' });
  });

  test.each(Object.entries(damages))('(%s) with its copy leaves the run its GPUs', async (_, damage) => {
    const data = await newFolder();
    const { id, folder } = await startedRun(data);
    for (const name of ['run.json', 'run.copy.json']) await damage(path.join(folder, name));
    const runs = await reopened(data);
    expect(runs.list()).toMatchObject([
      { id, state: 'running', devices: [0, 1], reason: expect.stringContaining('run.json') as string },
    ]);
    expect(runs.snapshots()).toBeUndefined();
    const next = await runs.start(await orderOf(data, [], { gpus: 1 }), 'ann');
    await until(runs, next.id, ({ reason }) => reason !== null);
    expect(runs.get(next.id).state).toBe('queued');
    await expect(runs.remove(id, { checkpoints: false })).rejects.toMatchObject({ code: 'host/run-active' });
    await runs.cancel(id, 'ann');
    expect(await ended(runs, next.id)).toMatchObject({ state: 'finished' });
    expect(runs.get(id)).toMatchObject({ state: 'lost' });
    await runs.remove(id, { checkpoints: true });
    expect(runs.snapshots()?.size).toBe(1);
  });

  test('and other files that are folders do not keep the host from starting', async () => {
    const data = await newFolder();
    const { id, folder } = await startedRun(data);
    for (const name of ['events.ndjson', 'events.index', 'family.json']) {
      await rm(path.join(folder, name), { force: true });
      await mkdir(path.join(folder, name, 'inside'), { recursive: true });
    }
    await mkdir(path.join(data, 'runs/20200101-000000-000000/run.json'), { recursive: true });
    await writeFile(path.join(data, 'runs/20200101-000001-000000'), '');
    const runs = await reopened(data);
    expect(runs.list().map((one) => [one.state, one.devices])).toEqual([
      ['lost', []],
      ['lost', []],
      ['running', [0, 1]],
    ]);
    await runs.cancel(id, 'ann');
    await until(runs, id, ({ state }) => state === 'lost');
  });

  test.skipIf(process.getuid?.() !== 0)(
    'or belongs to another user (as root) does not keep the host from starting',
    async () => {
      const data = await newFolder();
      const { id, folder } = await startedRun(data);
      for (const name of ['', 'runs', 'snapshots']) await chown(path.join(data, name), 65_534, 65_534);
      await chmod(folder, 0o700);
      const program = path.resolve(import.meta.dirname, '../../tools/host/hostProgram.ts');
      const host = spawn(
        'setpriv',
        ['--reuid=65534', '--clear-groups', process.execPath, '--no-warnings', program, data],
        { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
      );
      onTestFinished(() => void host.kill('SIGKILL'));
      const messages: unknown[] = [];
      host.on('message', (message) => {
        messages.push(message);
        if (JSON.stringify(message).includes('ready')) host.kill('SIGKILL');
      });
      await once(host, 'exit');
      expect(messages).toEqual([
        { warning: expect.stringMatching(new RegExp(`^Run ${id}: .*EACCES`)) as string },
        { ready: true },
      ]);
    },
  );
});

describe.skipIf(process.platform !== 'linux')('the events of a run', () => {
  const spoil: Readonly<Record<string, (text: Buffer) => Buffer>> = {
    'are gone': () => Buffer.alloc(0),
    'are cut off': (text) => text.subarray(0, text.length / 2),
    'have a bad line': (text) => Buffer.from(text.toString().replace(/^\{"seq":4,/m, '{"seq":')),
    'have zeros in them': (text) => Buffer.from(text).fill(0, 150, 300),
  };

  test.each(Object.entries(spoil))(
    'that %s are read again from the output of a living run',
    async (_, to) => {
      const data = await newFolder();
      const { id, go, folder } = await startedRun(data);
      const file = path.join(folder, 'events.ndjson');
      await writeFile(file, to(await readFile(file)));
      const launcher = markedProcesses(id, undefined).length;
      const runs = await reopened(data);
      expect(runs.get(id).devices).toEqual([0, 1]);
      await until(runs, id, ({ state }) => state === 'running');
      expect(markedProcesses(id, undefined)).toHaveLength(launcher);
      await writeFile(go, '');
      expect(await ended(runs, id)).toMatchObject({ state: 'finished' });
      expect(linesOf(await eventsUntil(runs, id, isFinalEvent))).toEqual(['ready', 'done']);
    },
  );

  test.each(Object.entries(spoil))(
    'that %s are read again from the output of an ended run',
    async (_, to) => {
      const data = await newFolder();
      const { id, go, folder } = await startedRun(data);
      await writeFile(go, '');
      const before = await reopened(data);
      await ended(before, id);
      await before.close();
      const file = path.join(folder, 'events.ndjson');
      await writeFile(file, to(await readFile(file)));
      const runs = await reopened(data);
      for (let time = 0; time < 2; time++) {
        const events = await eventsUntil(runs, id, isFinalEvent);
        expect(linesOf(events)).toEqual(['ready', 'done']);
        expect(events.filter((one) => one.type === 'notice' && one.text.includes('damaged'))).toHaveLength(1);
        expect(runs.get(id).events).toBe(events.length);
      }
    },
  );
});

describe.skipIf(process.platform !== 'linux')('a host', () => {
  test('reads each of many damaged runs, and holds less than 300 MB', async () => {
    const lines = 2_000;
    const machine = await gpuMachine();
    await machine.script([{ do: 'lines', prefix: 'line', count: lines, padding: 40 }]);
    const first = await machine.host(['--listen', '127.0.0.1:0']);
    const run = await startedOn(machine, clientOf(first));
    await gather(clientOf(first), run, new Gathered('line'));
    const runs = machine.folder.path('data/runs');
    const record = path.join(runs, run, 'run.json');
    await expect.poll(async () => readFile(record, 'utf8')).toMatch(/"final":\s*\{/);
    await first.end('SIGTERM');

    const text = await readFile(path.join(runs, run, 'events.ndjson'));
    const random = new Random('damaged runs');
    const spoilt = Array.from({ length: process.env['AGENTJET_DEEP'] === '1' ? 100 : 20 }, () => {
      const from = random.below(text.length);
      const to = Math.min(from + random.below(16_384), text.length);
      return random.chance(0.5) ? text.subarray(0, from) : Buffer.from(text).fill(0, from, to);
    });
    const inPlaceOf = (name: string): ((folder: string) => Promise<void>)[] =>
      ['pipe', 'device'].map((kind) => async (folder) => {
        const file = path.join(folder, name);
        await writeFile(file, '');
        await damages[kind]?.(file);
      });
    let copies = 0;
    const copy = async (damage: (folder: string) => Promise<void>): Promise<string> => {
      const id = `20260101-000000-${(copies++).toString(16).padStart(6, '0')}`;
      const folder = path.join(runs, id);
      await cp(path.join(runs, run), folder, { recursive: true });
      for (const name of ['run.json', 'run.copy.json']) {
        const record = await readFile(path.join(folder, name), 'utf8');
        await writeFile(path.join(folder, name), record.replaceAll(run, id));
      }
      await damage(folder);
      return id;
    };
    const whole = await Promise.all([
      ...spoilt.map((bytes) => copy((folder) => writeFile(path.join(folder, 'events.ndjson'), bytes))),
      ...[...places, 'run.json', 'events.index'].flatMap(inPlaceOf).map(copy),
    ]);
    const lost = await Promise.all(inPlaceOf('events.ndjson').map(copy));

    const host = await machine.host(['--listen', '127.0.0.1:0']);
    const connection = clientOf({ ...first, url: host.url });
    for (const id of whole) {
      const gathered = await gather(connection, id, new Gathered('line'));
      expect(gathered, id).toMatchObject({ lines, state: 'finished' });
    }
    for (const id of lost) {
      await expect(gather(connection, id, new Gathered('line'))).rejects.toThrow('not a regular file');
    }
    expect(heldBy(host.pid).most).toBeLessThan(mostHostMemory);
  });
});

describe.skipIf(process.platform !== 'linux')('a pipe or a device in place of a file', () => {
  const job = 'code/checkpoints/maths/first';
  const inside = ['latest_checkpointed_iteration.txt', 'log/explorer.log', 'log/trainer.log'];
  const companions = 'code/saved_experiments/companion_logs/companion';

  test.each(['pipe', 'device'])('(%s) neither holds up a run nor its host', async (kind) => {
    const data = await newFolder();
    const { id, go, folder } = await startedRun(data);
    const runs = await reopened(data);
    await until(runs, id, ({ state }) => state === 'running');
    for (const place of [
      ...places,
      ...inside.map((one) => path.join(job, one)),
      `${companions}/a.0123abcd.b.log`,
    ]) {
      const file = path.join(folder, place);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, '');
      await damages[kind]?.(file);
    }
    await writeFile(go, '');
    expect(await ended(runs, id)).toMatchObject({ state: 'finished' });
    await runs.close();
    expect(await reopened(data)).toBeDefined();
  });
});

describe.skipIf(process.platform !== 'linux')('a run', () => {
  test('whose keeper is stopped is canceled all the same', async () => {
    const data = await newFolder();
    const { id, folder } = await startedRun(data);
    const runs = await reopened(data);
    const { pid } = JSON.parse(await readFile(path.join(folder, 'keeper.json'), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGSTOP');
    await runs.cancel(id, 'ann');
    expect(await ended(runs, id)).toMatchObject({ state: 'cancelled' });
  });

  test('with variables that are too large fails with the reason', async () => {
    const data = await newFolder();
    const runs = await reopened(data);
    const env = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`V${at}`, 'x'.repeat(32_000)]));
    const { id } = await runs.start(await orderOf(data, [], { env }), 'ann');
    expect(await ended(runs, id)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('E2BIG') as string,
    });
  });

  test('waits while the system has no more open files', async () => {
    const data = await newFolder();
    const { has, materialize } = folderSync(path.join(data, 'snapshots'));
    let attempts = 0;
    const sync: typeof quiet.sync = {
      has,
      materialize: (...args) => {
        attempts += 1;
        const shortage = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
        return attempts === 1 ? Promise.reject(shortage) : materialize(...args);
      },
    };
    const runs = await reopened(data, { ...quiet, sync });
    const { id } = await runs.start(await orderOf(data, []), 'ann');
    expect(await ended(runs, id)).toMatchObject({ state: 'finished' });
    expect(attempts).toBe(2);
  });

  test('leaves no process that has a new session, no parent and no variables', async () => {
    const data = await newFolder();
    const runs = await reopened(data);
    const file = path.join(data, 'escaped');
    const escape = `setsid env -i sh -c 'echo $$ > ${file}.new; mv ${file}.new ${file}; exec sleep 1000' &`;
    const actions: Action[] = [
      { do: 'program', command: 'sh', args: ['-c', `(${escape})`] },
      { do: 'await', file },
    ];
    const { id } = await runs.start(await orderOf(data, actions), 'ann');
    expect(await ended(runs, id)).toMatchObject({ state: 'finished' });
    const escaped = readStat(Number(await readFile(file, 'utf8')));
    onTestFinished(() => killSurvivors(escaped === undefined ? [] : [escaped]));
    // Only in a control group can the host find it.
    const [, group] = inControlGroup('agentjet-test', () => undefined);
    if (group !== undefined) removeGroup(group);
    expect(escaped === undefined).toBe(group !== undefined);
  });

  test('leaves no process that starts its like on and on', async () => {
    const data = await newFolder();
    const runs = await reopened(data);
    const forks = 'import os, time\nwhile True:\n  if os.fork(): os._exit(0)\n  time.sleep(0.02)';
    const actions: Action[] = [
      { do: 'program', command: 'sh', args: ['-c', 'python3 -c "$0" > /dev/null &', forks] },
      { do: 'print', text: 'ready\n' },
    ];
    const { id } = await runs.start(await orderOf(data, actions), 'ann');
    onTestFinished(() => killSurvivors(processesWith(`AGENTJET_RUN=${id}`)));
    expect(await ended(runs, id)).toMatchObject({ state: 'finished' });
    for (let look = 0; look < 20; look++) expect(markedProcesses(id, undefined)).toEqual([]);
  });

  test('that was removed is not started again by the same request', async () => {
    const data = await newFolder();
    const { id, go } = await startedRun(data);
    await writeFile(go, '');
    const first = await reopened(data);
    await ended(first, id);
    await first.remove(id, { checkpoints: true });
    await first.close();
    const runs = await reopened(data);
    const again = runs.start(await orderOf(data, []), 'ann', 'key');
    await expect(again).rejects.toMatchObject({ code: 'host/no-run' });
    expect(runs.list()).toEqual([]);
    const later: typeof systemClock = { ...systemClock, now: () => Date.now() + 25 * 3_600_000 };
    const next = await reopened(data, { clock: later });
    expect((await next.start(await orderOf(data, []), 'ann', 'key')).id).not.toBe(id);
  });

  test('has an id that sorts, also after a clock was far ahead', async () => {
    const data = await newFolder();
    let now = Date.parse('2076-01-01T00:00:00Z');
    const runs = await reopened(data, { clock: { ...systemClock, now: () => now } });
    const start = async (): Promise<RunRecord> => runs.start(await orderOf(data, []), 'ann');
    const ahead = await start();
    now = Date.parse('2026-01-01T00:00:00Z');
    const made: RunRecord[] = [];
    for (let count = 0; count < 5; count++) made.push(await start());
    expect(ahead.id).toMatch(/^20760101-/);
    const ids = made.map(({ id }) => id);
    expect(ids.every((id) => id.startsWith('20260101-000000-'))).toBe(true);
    expect(ids).toEqual(ids.toSorted());
    for (const { id } of [ahead, ...made]) await ended(runs, id);
    expect(await readdir(path.join(data, 'runs'))).toHaveLength(6);
  });
});
