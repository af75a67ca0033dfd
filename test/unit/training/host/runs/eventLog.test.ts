import { mkdtemp, open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../../../src/training/core/protocol/runs.ts';
import { LogReader } from '../../../../../src/training/node/host/runs/knownRun.ts';
import { EventLog, type EventLogOptions } from '../../../../../src/training/node/host/runs/eventLog.ts';
import type { RunEventBody } from '../../../../../src/training/core/runs/fold.ts';
import { deferred } from '../../../../../src/base/node/process/deferred.ts';
import { eventsOfBlock } from '../../../../tools/host/runsHost.ts';
import { FakeClock } from '../../../fakeClock.ts';
import { fuzz } from '../../../fuzz.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'agentjet-events-'));
  folders.push(folder);
  return folder;
}

const openLog = (folder: string, options: Partial<EventLogOptions> = {}): Promise<EventLog> =>
  EventLog.open(folder, { run: '20260101-120000-abcdef', clock: new FakeClock(), ...options });

function line(text: string, to: number, source = 'launcher'): RunEventBody {
  return { type: 'log', source, lines: [text], to };
}

async function rest(log: EventLog, after = 0, sources?: readonly string[]): Promise<RunEvent[]> {
  const reader = new LogReader(Promise.resolve(log), after, sources, () => undefined);
  const events: RunEvent[] = [];
  for (let block = await reader.next(); block !== undefined; block = await reader.next()) {
    expect(block.message?.length ?? 0).toBeLessThan(256 * 1024);
    events.push(...eventsOfBlock(block));
  }
  reader.dispose();
  return events;
}

const textsOf = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'log' ? event.lines : []));
const numbersOf = (events: readonly RunEvent[]): number[] => events.map(({ seq }) => seq);
const upTo = (count: number, from = 1): number[] => Array.from({ length: count }, (_, at) => from + at);

const step = (number: number, reward = 0.5): string =>
  `INFO 03-14 09:26:53 [monitor.py:88] Step ${number}: {'critic/rewards/mean': ${reward}}`;

describe('the events of a run', () => {
  test('are numbered from 1, and each brings along what it means', async () => {
    const folder = await newFolder();
    const log = await openLog(folder);
    expect((await stat(path.join(folder, 'events.ndjson'))).mode & 0o777).toBe(0o600);
    await log.append([{ type: 'state', state: 'running' }, line(step(1), 70), line('x', 72)]);
    await log.append([
      line(step(1), 60, 'trainer'),
      line('ERROR 03-14 09:26:53 [a.py:1] Trainer failed: x', 99),
    ]);
    const events = await rest(log);
    expect(events.map(({ type }) => type)).toEqual(['state', 'log', 'metrics', 'phase', 'log', 'log', 'log']);
    expect(numbersOf(events)).toEqual(upTo(7));
    expect(log.fold.state).toMatchObject({
      state: 'running',
      phase: 'training',
      step: 1,
      reward: 0.5,
      failure: 'Trainer failed: x',
      to: { launcher: 99, trainer: 60 },
    });
    await log.close();
  });

  test('are read from anywhere, of all sources or of some', async () => {
    const log = await openLog(await newFolder());
    const long = 'y'.repeat(2_000);
    for (let at = 0; at < 10; at++) {
      const batch = upTo(50, at * 50).map((number) =>
        line(`${number} ${long}`, number, number % 2 ? 'odd' : 'even'),
      );
      await log.append(batch);
    }
    expect(numbersOf(await rest(log))).toEqual(upTo(500));
    for (const after of [1, 97, 98, 250, 499])
      expect(numbersOf(await rest(log, after))).toEqual(upTo(500 - after, after + 1));
    expect(await rest(log, 500)).toEqual([]);
    expect(numbersOf(await rest(log, 3, ['even']))).toEqual(
      upTo(500).filter((seq) => seq > 3 && seq % 2 === 1),
    );
    expect(await rest(log, 0, [])).toEqual([]);
    await log.close();
  });

  test('that the machine has lost are told as such, never as new ones', async () => {
    const log = await openLog(await newFolder());
    await log.append([line('one', 4), line('two', 8, 'other')]);
    expect(await rest(log, log.last)).toEqual([]);
    await expect(rest(log, log.last + 1)).rejects.toMatchObject({ code: 'host/events-lost' });
    await log.close();
  });

  test('are the same block of memory for readers at the same place', async () => {
    const log = await openLog(await newFolder());
    await log.append([line('a', 2), line('b', 4)]);
    const blocks = await Promise.all(upTo(50).map(() => log.read(0)));
    expect(new Set(blocks.map((block) => block?.message)).size).toBe(1);
    await log.close();
  });

  test('keep their memory while one reader has them, and are read into it again after that', async () => {
    const log = await openLog(await newFolder());
    const long = 'w'.repeat(20_000);
    await log.append(upTo(400).map((to) => line(`${to} ${long}`, to)));
    const buffers = new Set<ArrayBufferLike>();
    const [first, other] = await Promise.all([log.read(0), log.read(0)]);
    const whole = Buffer.from(first?.message ?? []).toString();
    first?.release?.();
    first?.release?.(); // once more tells nothing
    let blocks = 0;
    for (let after = first?.upTo ?? 0; ; blocks++) {
      const block = await log.read(after);
      if (block === undefined) break;
      const texts = textsOf(eventsOfBlock(block));
      expect(texts.map((text) => Number(text.split(' ')[0]))).toEqual(upTo(texts.length, after + 1));
      if (block.message !== undefined) buffers.add(block.message.buffer);
      after = block.upTo;
      block.release?.();
    }
    expect(blocks).toBeGreaterThan(40);
    expect(buffers.size).toBeLessThan(blocks / 3);
    expect(Buffer.from(other?.message ?? []).toString()).toBe(whole);
    await log.close();
  });

  test('are told of once until they are asked for', async () => {
    const log = await openLog(await newFolder());
    const reader = new LogReader(Promise.resolve(log), 0, undefined, () => undefined);
    let told = 0;
    reader.onMore(() => told++);
    expect(await reader.next()).toBeUndefined();
    for (const to of upTo(5)) await log.append([line('x', to)]);
    expect(told).toBe(1);
    expect((await reader.next())?.upTo).toBe(5);
    await log.append([line('x', 6)]);
    expect(told).toBe(2);
    reader.dispose();
    await log.close();
  });
});

describe('a file of events that ends anywhere', () => {
  /** Lines that bring others with them: metrics, phases, checkpoints, alarms. */
  const bodies = upTo(3).flatMap((round): RunEventBody[] => [
    line(step(round), round * 1_000),
    line(`INFO 03-14 09:26:53 [trainer.py:7] Checkpoint at step ${round} saved`, round * 1_000 + 100),
    line(`torch.OutOfMemoryError: CUDA out of memory`, round * 1_000 + 200),
    { type: 'notice', text: 'of the host' },
    line(`€ ${round}`, round * 1_000 + 300),
  ]);

  test('goes on without a gap, and what lacks is made once more', async () => {
    const whole = await newFolder();
    const log = await openLog(whole);
    await log.append(bodies);
    const all = await rest(log);
    await log.close();
    const file = await readFile(path.join(whole, 'events.ndjson'));
    const bytes = fc.nat(file.length);
    const property = fc.asyncProperty(bytes, fc.uint8Array({ maxLength: 20 }), async (length, garbage) => {
      const folder = await newFolder();
      const torn = Buffer.concat([file.subarray(0, length), garbage.length > 15 ? garbage : Buffer.alloc(0)]);
      await writeFile(path.join(folder, 'events.ndjson'), torn);
      const again = await openLog(folder);
      // As the host does: it goes on behind what each source has told.
      const left = bodies.filter(
        (body) => body.type === 'log' && body.to > (again.fold.state.to['launcher'] ?? 0),
      );
      const notices = all.filter(({ type, seq }) => type === 'notice' && seq > again.fold.state.seq).length;
      await again.append(left);
      const events = await rest(again);
      expect(numbersOf(events)).toEqual(upTo(events.length));
      expect(events.length).toBe(all.length - notices);
      const told = (list: readonly RunEvent[]): unknown[] =>
        list.filter(({ type }) => type !== 'notice').map((event) => ({ ...event, seq: 0 }));
      expect(told(events)).toEqual(told(all));
      await again.close();
    });
    await fc.assert(property, fuzz(20_262, 400));
  });

  test('is found by its index, with it torn, wrong or gone', async () => {
    const folder = await newFolder();
    const log = await openLog(folder);
    const long = 'z'.repeat(20_000);
    await log.append(upTo(200).map((to) => line(`${to} ${long}`, to)));
    await log.close();
    const index = path.join(folder, 'events.index');
    const text = await readFile(index, 'utf8');
    expect(text.split('\n').length).toBeGreaterThan(8);
    const wrong = text.replaceAll(/"byte":(\d+)/g, (_, byte: string) => `"byte":${Number(byte) - 7}`);
    for (const other of [text, text.slice(0, -10), '', 'nothing of it\n', wrong]) {
      await writeFile(index, other);
      const again = await openLog(folder);
      expect(again.fold.state.to).toEqual({ launcher: 200 });
      expect(numbersOf(await rest(again, 150))).toEqual(upTo(50, 151));
      await again.close();
      expect(await readFile(index, 'utf8')).toBe(text);
    }
    // Shorter than its index says.
    await truncate(path.join(folder, 'events.ndjson'), 1_000_000);
    const again = await openLog(folder);
    const events = await rest(again);
    expect(numbersOf(events)).toEqual(upTo(events.length));
    expect(events.length).toBeGreaterThan(40);
    await again.close();
  });

  test('and has a hole of zeros, or is torn, in 100 copies loses no line and doubles none', async () => {
    const whole = await newFolder();
    const log = await openLog(whole);
    const bodies = upTo(1_500).map((to) => line(`${to} ${'y'.repeat(200 + (to % 90))}`, to));
    for (let at = 0; at < bodies.length; at += 50) await log.append(bodies.slice(at, at + 50));
    await log.close();
    const index = await readFile(path.join(whole, 'events.index'));
    const file = await readFile(path.join(whole, 'events.ndjson'));
    const places = { from: fc.nat(file.length), hole: fc.nat(16_384), to: fc.nat(file.length) };
    const kinds = { isTorn: fc.boolean(), lostIndex: fc.nat(index.length) };
    const property = fc.asyncProperty(fc.record({ ...places, ...kinds }), async (one) => {
      const folder = await newFolder();
      const spoilt = Buffer.from(one.isTorn ? file.subarray(0, Math.max(one.from, one.to)) : file);
      spoilt.fill(0, one.from, Math.min(one.from + one.hole, spoilt.length));
      await writeFile(path.join(folder, 'events.ndjson'), spoilt);
      await writeFile(
        path.join(folder, 'events.index'),
        one.isTorn ? index.subarray(0, one.lostIndex) : index,
      );
      const again = await openLog(folder);
      await again.append(bodies.slice(again.fold.state.to['launcher'] ?? 0));
      const events = await rest(again);
      expect(numbersOf(events)).toEqual(upTo(events.length));
      expect(textsOf(events).map((text) => Number(text.split(' ')[0]))).toEqual(upTo(1_500));
      const isHole = one.hole > 0 && one.from + one.hole < spoilt.lastIndexOf(10);
      if (isHole) expect(again.isDamaged).toBe(true);
      await again.close();
    });
    await fc.assert(property, fuzz(2_026, 1_000));
  });

  test('is gone on with from each place of its index', async () => {
    const whole = await newFolder();
    const log = await openLog(whole);
    const bodies = upTo(1_500).map((to) => line(`${step(to)} ${'y'.repeat(200 + (to % 90))}`, to));
    await log.append(bodies);
    const all = await rest(log);
    await log.close();
    const index = await readFile(path.join(whole, 'events.index'), 'utf8');
    const places = [...index.matchAll(/"byte":(\d+)/g)].map(([, byte]) => Number(byte));
    expect(places.length).toBeGreaterThan(4);
    const file = await readFile(path.join(whole, 'events.ndjson'));
    for (const place of places) {
      const folder = await newFolder();
      await writeFile(path.join(folder, 'events.ndjson'), file.subarray(0, place + 1));
      await writeFile(path.join(folder, 'events.index'), index);
      const again = await openLog(folder);
      await again.append(bodies.slice(again.fold.state.to['launcher']));
      expect(await rest(again)).toEqual(all);
      await again.close();
    }
  });
});

describe('a disk that is full', () => {
  test('takes nothing away: what was told is written once there is room', async () => {
    const folder = await newFolder();
    const clock = new FakeClock();
    const told: (string | undefined)[] = [];
    let room = 300;
    const openFile: EventLogOptions['openFile'] = async (place) => {
      const file = await open(place, 'wx+');
      return {
        read: file.read.bind(file),
        stat: file.stat.bind(file),
        truncate: file.truncate.bind(file),
        sync: file.sync.bind(file),
        close: file.close.bind(file),
        // As a disk does: what fits is written, then comes the error.
        write: async (bytes: Uint8Array, at: number, length: number, position: number) => {
          if (position >= room) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
          return file.write(bytes, at, Math.min(length, room - position), position);
        },
      } as Awaited<ReturnType<NonNullable<EventLogOptions['openFile']>>>;
    };
    const blocked = deferred<undefined>();
    const onBlocked = (why: string | undefined): void => {
      told.push(why);
      if (told.length === 2) blocked.resolve(undefined);
      if (told.length < 2) setImmediate(() => clock.advance(500));
    };
    const log = await openLog(folder, { clock, openFile, onBlocked });
    await log.append([line('fits', 5)]);
    const more = log.append(upTo(20).map((to) => line(`line ${to}`, 5 + to)));
    await blocked.promise;
    expect(log.last).toBe(1);
    const later = log.append([line('later', 100)]);
    room = 1_000_000;
    clock.advance(1_000);
    await Promise.all([more, later]);
    expect(told.at(-1)).toBeUndefined();
    expect(textsOf(await rest(log))).toEqual(['fits', ...upTo(20).map((to) => `line ${to}`), 'later']);
    await log.close();
  });
});
