import { execFile } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toDisposable } from '../../../src/base/core/disposable.ts';
import type { Clock } from '../../../src/base/core/ports.ts';
import { systemClock } from '../../../src/base/node/clock.ts';
import type { NodeHostRuns } from '../../../src/training/node/host/runs/hostRuns.ts';
import { killSurvivors, processesWith, readStat } from '../../../src/base/node/process/kill.ts';
import type { RunEvent, RunRecord } from '../../../src/training/core/protocol/runs.ts';
import {
  ended,
  eventsUntil,
  isFinalEvent,
  newDataFolder,
  openRuns,
  orderOf,
  until,
} from '../../tools/host/runsHost.ts';
import type { Action } from '../../tools/host/scriptedLauncher.ts';

let data = '';
let runs: NodeHostRuns;
beforeEach(async () => {
  data = await newDataFolder();
  runs = await openRuns(data);
});
afterEach(async () => {
  const ids = runs.list().map(({ id }) => id);
  await runs.close();
  for (const id of ids) killSurvivors(processesWith(`AGENTJET_RUN=${id}`));
  await rm(data, { recursive: true, force: true, maxRetries: 5 });
});

const texts = (events: readonly RunEvent[], source = 'launcher'): string[] =>
  events.flatMap((event) => (event.type === 'log' && event.source === source ? event.lines : []));
const states = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'state' ? [event.state] : []));
const inRun = (id: string, ...names: string[]): string => path.join(data, 'runs', id, ...names);
const isRunning = ({ state }: RunRecord): boolean => state === 'running';

async function start(
  actions: readonly Action[],
  change: Parameters<typeof orderOf>[2] = {},
): Promise<string> {
  return (await runs.start(await orderOf(data, actions, change), 'ann')).id;
}

/** Zombies do not count: nobody reaps them in some containers. */
async function isThere(file: string): Promise<boolean> {
  return readStat(Number(await readFile(file, 'utf8'))) !== undefined;
}

const linux = process.platform === 'linux';

describe.skipIf(!linux)('a run', () => {
  test('goes through its states, and its log, metrics and checkpoints are its events', async () => {
    const reward = 'experience_pipeline/group_advantages/reward_mean/mean';
    const id = await start(
      [
        { do: 'print', text: 'hello\r\n10%\r100%\n\u001b[31mred\u001b[0m\n' },
        { do: 'log', text: 'All models are ready.', file: 'explorer.log' },
        { do: 'metrics', step: 1, values: { [reward]: 0.25 }, file: 'explorer.log' },
        { do: 'metrics', step: 1, values: { [reward]: 0.25 } },
        { do: 'checkpoint', step: 1 },
        { do: 'log', text: 'Checkpoint at step 1 saved', file: 'trainer.log' },
        { do: 'env', name: 'CUDA_VISIBLE_DEVICES' },
        { do: 'print', text: 'no end' },
      ],
      { gpus: 2 },
    );
    const events = await eventsUntil(runs, id, isFinalEvent);
    const record = await ended(runs, id);
    expect(states(events)).toEqual(['queued', 'preparing', 'running', 'finished']);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    const printed = texts(events);
    expect(printed.filter((text) => !text.includes('Step 1'))).toEqual([
      'hello',
      '100%',
      'red',
      'CUDA_VISIBLE_DEVICES=0,1',
      'no end',
    ]);
    expect(texts(events, 'explorer')).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'metrics')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'checkpoint')).toMatchObject([{ step: 1 }]);
    expect(record).toMatchObject({
      state: 'finished',
      exitCode: 0,
      step: 1,
      reward: 0.25,
      totalSteps: 10,
      phase: 'training',
      devices: [0, 1],
      owner: 'ann',
      events: events.length,
    });
    expect(record.jobFolder).toBe(inRun(id, 'code/checkpoints/maths/first'));
  });

  test('that fails with exit code 0 has failed', async () => {
    const id = await start([
      {
        do: 'log',
        level: 'ERROR',
        text: 'Error in Trainer: Traceback (most recent call last):',
        file: 'trainer.log',
      },
      { do: 'print', text: 'ValueError: no such model\n' },
    ]);
    expect(await ended(runs, id)).toMatchObject({ state: 'failed', exitCode: 0 });
    expect(runs.get(id).reason).toMatch(/Error in Trainer: .*ValueError: no such model/);
  });

  test('is not started with a folder for its checkpoints that is others’', async () => {
    const config = (root: string, name: string): string =>
      `mode: both\nproject: .\ncheckpoint_root_dir: ${root}\nname: ${name}\nmodel:\n  model_path: /models/none\n`;
    const places = [path.dirname(os.homedir()), data, '../../..', '..'];
    for (const root of places) {
      const order = await orderOf(data, []);
      const name = path.basename(os.homedir());
      await writeFile(path.join(data, 'snapshots', order.snapshot, 'train.yaml'), config(root, name));
      const { id } = await runs.start(order, 'ann');
      const record = await ended(runs, id);
      expect(record, root).toMatchObject({ state: 'failed', jobFolder: null });
      expect(record.reason, root).toContain('Checkpoints are not allowed in');
    }
  });

  test('that ends otherwise tells how', async () => {
    const code = await start([
      { do: 'print', text: 'RuntimeError: x\n' },
      { do: 'exit', code: 3 },
    ]);
    const missing = await start([], { config: 'other.yaml' });
    const greedy = await start([], { gpus: 3 });
    expect(await ended(runs, code)).toMatchObject({
      state: 'failed',
      exitCode: 3,
      reason: 'It ended with exit code 3: RuntimeError: x',
    });
    expect((await ended(runs, missing)).reason).toMatch(/other\.yaml/);
    expect(await ended(runs, greedy)).toMatchObject({
      state: 'failed',
      reason: 'It needs 3 GPUs, but this host has 2.',
    });
    await expect(
      runs.start({ ...(await orderOf(data, [])), snapshot: '0'.repeat(64) }, 'ann'),
    ).rejects.toMatchObject({ code: 'host/no-snapshot' });
    await runs.close();
    runs = await openRuns(data, { keeper: { command: path.join(data, 'none'), args: [] } });
    expect((await ended(runs, await start([]))).reason).toMatch(/^The run could not be started: .*ENOENT/);
    expect(() => runs.get('20260101-000000-000000')).toThrow(
      expect.objectContaining({ code: 'host/no-run' }),
    );
  });

  test('leaves no values of its variables on the disk, and no file to others', async () => {
    const secret = 'value-of-the-variable';
    const id = await start([{ do: 'env', name: 'SOME_TEXT' }, { do: 'hang' }], {
      env: { SOME_TEXT: secret },
    });
    const events = await eventsUntil(runs, id, (event) => event.type === 'log');
    expect(texts(events)).toEqual(['SOME_TEXT=[redacted]']);
    await until(runs, id, isRunning);
    await runs.close(); // what was told is on the disk
    for (const name of await readdir(inRun(id))) {
      const { mode } = await stat(inRun(id, name));
      expect((mode & 0o077).toString(8), name).toBe('0');
      if (name === 'code' || name === 'launcher.log' || name.startsWith('events')) continue;
      expect(await readFile(inRun(id, name), 'utf8'), name).not.toContain(secret);
    }
    runs = await openRuns(data);
    expect(runs.get(id).env).toEqual(['SOME_TEXT']);
    await runs.cancel(id, 'ann');
    await ended(runs, id);
  });
});

describe.skipIf(!linux)('the queue', () => {
  test('starts in order what fits, and what needs no GPU at once', async () => {
    const go = path.join(data, 'go');
    const waits = async (gpus: number): Promise<string> => start([{ do: 'await', file: go }], { gpus });
    const first = await waits(1);
    const second = await waits(2);
    const third = await waits(1);
    const none = await waits(0);
    await Promise.all([first, none].map((id) => until(runs, id, isRunning)));
    const waiting = await until(runs, second, ({ reason }) => reason !== null);
    expect(waiting).toMatchObject({
      state: 'queued',
      reason: 'Waits for 2 GPUs. Free: 1.',
      devices: [],
    });
    expect(runs.get(third)).toMatchObject({ state: 'queued', reason: 'Waits for the runs before it.' });
    await runs.cancel(second, 'ann');
    expect(runs.get(second)).toMatchObject({ state: 'cancelled', reason: 'Canceled by ann.' });
    expect(await until(runs, third, isRunning)).toMatchObject({ devices: [1] });
    await writeFile(go, '');
    const all = await Promise.all([first, third, none].map((id) => ended(runs, id)));
    expect(all.map(({ state }) => state)).toEqual(['finished', 'finished', 'finished']);
  });
});

describe.skipIf(!linux)('cancelling', () => {
  test('ends a run that ignores it, its children wherever they are, and nothing else', async () => {
    const [near, away, ready] = ['near', 'away', 'ready'].map((name) => path.join(data, name));
    await runs.close();
    // The next signal comes once the last one was told of.
    const nextSignals = new EventEmitter();
    const stop = { interrupt: 8_001, terminate: 8_002, kill: 300 };
    const after: Clock['after'] = (milliseconds, run) => {
      if (milliseconds < stop.interrupt) return systemClock.after(milliseconds, run);
      nextSignals.once(String(milliseconds), run);
      return toDisposable(() => nextSignals.off(String(milliseconds), run));
    };
    runs = await openRuns(data, { stop, clock: { ...systemClock, after } });
    const bystander = await start([{ do: 'hang' }]);
    const id = await start([
      { do: 'ignore', signals: ['SIGINT', 'SIGTERM'] },
      { do: 'fork', file: near ?? '' },
      { do: 'fork', file: away ?? '', away: true },
      { do: 'touch', file: ready ?? '' },
      { do: 'print', text: 'ready\n' },
      { do: 'hang' },
    ]);
    await eventsUntil(runs, id, (event) => event.type === 'log' && event.lines.includes('ready'));
    const [one, other] = await Promise.all([runs.cancel(id, 'ann'), runs.cancel(id, 'bob')]);
    expect([one.state, other.state]).toEqual(['cancelling', 'cancelling']);
    for (const [name, time] of [
      ['SIGINT', stop.interrupt],
      ['SIGTERM', stop.terminate],
    ] as const) {
      await eventsUntil(runs, id, (event) => event.type === 'log' && event.lines.includes(`ignored ${name}`));
      nextSignals.emit(String(time));
    }
    expect(await ended(runs, id)).toMatchObject({ state: 'cancelled', reason: 'Canceled by ann.' });
    const events = await eventsUntil(runs, id, isFinalEvent);
    expect(texts(events)).toEqual(['ready', 'ignored SIGINT', 'ignored SIGTERM']);
    expect(states(events)).toEqual(['queued', 'preparing', 'running', 'cancelling', 'cancelled']);
    for (const file of [near, away]) await expect.poll(() => isThere(file ?? '')).toBe(false);
    await until(runs, bystander, isRunning);
    await runs.cancel(bystander, 'ann');
    expect(await ended(runs, bystander)).toMatchObject({ state: 'cancelled' });
    expect((await runs.cancel(bystander, 'ann')).state).toBe('cancelled');
  });

  test('while it is prepared keeps it from starting', async () => {
    const id = await start([{ do: 'print', text: 'started\n' }, { do: 'hang' }]);
    await runs.cancel(id, 'ann');
    expect((await ended(runs, id)).state).toBe('cancelled');
  });

  test('what a run leaves behind when it ends by itself is ended as well', async () => {
    const child = path.join(data, 'child');
    const id = await start([{ do: 'fork', file: child, away: true }]);
    expect((await ended(runs, id)).state).toBe('finished');
    await expect.poll(() => isThere(child)).toBe(false);
    const events = await eventsUntil(runs, id, isFinalEvent);
    expect(events.some((event) => event.type === 'notice' && event.text.includes('left behind'))).toBe(true);
  });
});

describe.skipIf(!linux)('a host that was started anew', () => {
  test('goes on with what runs, has ended, and waits', async () => {
    const go = path.join(data, 'go');
    const long = await start(
      [
        { do: 'print', text: 'one\ntw' },
        { do: 'await', file: go },
        { do: 'print', text: 'o\nthree\n' },
      ],
      { gpus: 2 },
    );
    const short = await start([
      { do: 'print', text: 'short\n' },
      { do: 'await', file: go },
    ]);
    const queued = await start([{ do: 'print', text: 'later\n' }], { gpus: 1 });
    await Promise.all([long, short].map((id) => eventsUntil(runs, id, (event) => event.type === 'log')));
    await runs.close();
    await writeFile(go, '');
    runs = await openRuns(data);
    expect(runs.list().map(({ id }) => id)).toEqual([long, short, queued]);
    for (const id of [long, short, queued]) expect((await ended(runs, id)).state).toBe('finished');
    const events = await eventsUntil(runs, long, isFinalEvent);
    expect(texts(events)).toEqual(['one', 'two', 'three']);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    expect(events.some((event) => event.type === 'notice' && event.text.includes('taken over'))).toBe(true);
    await runs.close();
    runs = await openRuns(data);
    expect(runs.get(queued)).toMatchObject({
      state: 'finished',
      name: expect.stringMatching(/^run /) as string,
    });
    expect(texts(await eventsUntil(runs, queued, isFinalEvent))).toEqual(['later']);
  });

  test('knows a run whose processes are gone, and one from before the machine was started anew', async () => {
    const lost = await start([{ do: 'print', text: 'on\n' }, { do: 'hang' }]);
    const before = await start([{ do: 'print', text: 'on\n' }, { do: 'hang' }]);
    const going = await start([{ do: 'print', text: 'on\n' }, { do: 'hang' }]);
    await Promise.all(
      [lost, before, going].map((id) => eventsUntil(runs, id, (event) => event.type === 'log')),
    );
    await Promise.all([lost, before, going].map((id) => until(runs, id, isRunning)));
    await runs.close();
    for (const id of [lost, before]) killSurvivors(processesWith(`AGENTJET_RUN=${id}`));
    for (const name of ['keeper.json', 'process.json']) {
      const noted = JSON.parse(await readFile(inRun(before, name), 'utf8')) as object;
      await writeFile(inRun(before, name), JSON.stringify({ ...noted, boot: 'another' }));
    }
    runs = await openRuns(data);
    expect((await ended(runs, lost)).state).toBe('lost');
    expect((await ended(runs, before)).state).toBe('rebooted');
    await runs.cancel(going, 'ann');
    expect((await ended(runs, going)).state).toBe('cancelled');
  });

  test('goes on to cancel what was being cancelled', async () => {
    const id = await start([
      { do: 'ignore', signals: ['SIGINT'] },
      { do: 'print', text: 'on\n' },
      { do: 'hang' },
    ]);
    await eventsUntil(runs, id, (event) => event.type === 'log');
    await runs.cancel(id, 'ann');
    await runs.close();
    runs = await openRuns(data);
    expect(await ended(runs, id)).toMatchObject({ state: 'cancelled', reason: 'Canceled by ann.' });
  });
});

describe.skipIf(!linux)('a run that goes on from another', () => {
  test('tells what it adds to the logs and checkpoints that were there', async () => {
    const log = (text: string): Action => ({ do: 'log', text, file: 'explorer.log' });
    const first = await start([log('first'), { do: 'checkpoint', step: 3 }]);
    const { jobFolder } = await ended(runs, first);
    const from = { run: first, step: 3, as: 'resume' } as const;
    const more: Action[] = [log('second'), { do: 'checkpoint', step: 4 }];
    const order = await orderOf(data, more, { from }, jobFolder ?? '');
    const { id } = await runs.start(order, 'ann');
    expect(await ended(runs, id)).toMatchObject({ state: 'finished', jobFolder, from });
    const events = await eventsUntil(runs, id, isFinalEvent);
    expect(texts(events, 'explorer')).toEqual([expect.stringMatching(/ second$/)]);
    expect(events.filter(({ type }) => type === 'checkpoint')).toMatchObject([{ step: 4 }]);
    await expect(runs.remove(first, { checkpoints: true })).rejects.toMatchObject({
      code: 'host/folder-shared',
    });
  });
});

describe.skipIf(!linux)('the keeper of a run', () => {
  test('heeds no signal, and a second one does nothing', async () => {
    const go = path.join(data, 'go');
    const id = await start([
      { do: 'print', text: 'once\n' },
      { do: 'await', file: go },
    ]);
    await eventsUntil(runs, id, (event) => event.type === 'log');
    const keeper = JSON.parse(await readFile(inRun(id, 'keeper.json'), 'utf8')) as { pid: number };
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(keeper.pid, name);
    const tool = path.resolve(import.meta.dirname, '../../tools/host/keeper.ts');
    await promisify(execFile)(process.execPath, ['--no-warnings', tool, inRun(id, 'keep.json')]);
    await writeFile(go, '');
    expect(await ended(runs, id)).toMatchObject({ state: 'finished', exitCode: 0 });
    expect(texts(await eventsUntil(runs, id, isFinalEvent))).toEqual(['once']);
  });
});

describe.skipIf(!linux)('removing', () => {
  test('takes a run that has ended away, its checkpoints only if that is asked for', async () => {
    const actions: Action[] = [{ do: 'checkpoint', step: 3 }];
    const [kept, gone, active] = [await start(actions), await start(actions), await start([{ do: 'hang' }])];
    await Promise.all([kept, gone].map((id) => ended(runs, id)));
    await expect(runs.remove(active, { checkpoints: true })).rejects.toMatchObject({
      code: 'host/run-active',
    });
    const removed: string[] = [];
    runs.onRemoved((run) => removed.push(run));
    await runs.remove(kept, { checkpoints: false });
    await runs.remove(gone, { checkpoints: true });
    expect([removed, runs.list().map(({ id }) => id)]).toEqual([[kept, gone], [active]]);
    expect(existsSync(inRun(gone))).toBe(false);
    expect(existsSync(inRun(kept, 'run.json'))).toBe(false);
    expect(existsSync(inRun(kept, 'code/checkpoints/maths/first/global_step_3/actor'))).toBe(true);
    await runs.close();
    runs = await openRuns(data);
    expect(runs.list().map(({ id }) => id)).toEqual([active]);
    expect(existsSync(inRun(kept, 'code/checkpoints/maths/first/global_step_3/actor'))).toBe(true);
    await until(runs, active, isRunning);
    await runs.cancel(active, 'ann');
    await ended(runs, active);
  });
});
