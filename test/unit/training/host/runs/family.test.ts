import { readFileSync } from 'node:fs';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { Family, ProcessTable, RecentProcesses } from '../../../../../src/training/node/host/runs/family.ts';
import { noteProcess, type NotedProcess } from '../../../../../src/training/node/host/runs/processes.ts';
import type { ProcessStat } from '../../../../../src/base/node/process/kill.ts';
import { FakeClock } from '../../../fakeClock.ts';

/** Number, parent, session, start; by default the later, the greater the number. */
type Row = readonly [number, number, number, string?];

const linux = process.platform === 'linux';

describe.skipIf(!linux)('the family of a launcher', () => {
  const boot = linux ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() : '';
  const launcher: NotedProcess = { pid: 10, started: '1', boot };
  const table = (rows: readonly Row[]): ProcessTable =>
    new ProcessTable(
      rows.map(([pid, parent, session, started = String(pid - 9)]): ProcessStat => {
        return { pid, parent, session, started };
      }),
    );
  /** Of those that were there at both of two looks. */
  const settledOf = (family: Family): number[] => family.settled.map(({ pid }) => pid);
  const look = (family: Family, by: NotedProcess | undefined, rows: readonly Row[]): number[] => {
    family.look(table(rows), by);
    family.look(table(rows), by);
    return settledOf(family);
  };

  test('is what it started, in whatever session, and nobody else', () => {
    const family = new Family();
    const all = look(family, launcher, [
      [1, 0, 1],
      [9, 1, 9],
      [10, 9, 10],
      [11, 10, 10],
      [12, 11, 12],
      [13, 12, 13],
      [20, 1, 20],
      // Its parent ended before anybody looked, and it stayed in the launcher's session.
      [14, 1, 10],
    ]);
    expect(all).toEqual([10, 11, 12, 13, 14]);
  });

  test('keeps who was seen, what that starts, and what is in its session, when the parents have gone', () => {
    const family = new Family();
    look(family, launcher, [
      [10, 9, 10],
      [11, 10, 11],
      [12, 10, 12],
    ]);
    const later = look(family, undefined, [
      [11, 1, 11],
      [21, 11, 11],
      [22, 21, 22],
      // Of 12, which has ended since.
      [23, 1, 12],
      [24, 1, 24],
    ]);
    expect(later).toEqual([11, 21, 22, 23]);
  });

  test('does not take others for it that have a number of its own later', () => {
    const family = new Family();
    look(family, launcher, [
      [10, 9, 10],
      [11, 10, 11],
    ]);
    expect(
      look(family, launcher, [
        [10, 9, 10, '500'],
        [30, 10, 10, '501'],
        [11, 1, 11, '500'],
        [31, 11, 11, '501'],
      ]),
    ).toEqual([]);
    expect(look(new Family(), { ...launcher, boot: 'another' }, [[10, 9, 10]])).toEqual([]);
  });

  test('is remembered by the next host, where the machine was not started anew', () => {
    const me = noteProcess(process.pid);
    if (me === undefined) throw new Error('This process is not there.');
    const ofNote = (noted: NotedProcess): readonly number[] => {
      const family = new Family();
      family.remember([{ ...me, pid: 4_000_000, boot: 'another' }, noted]);
      return family.living.map(({ pid }) => pid);
    };
    expect(ofNote(me)).toEqual([process.pid]);
    expect(ofNote({ ...me, boot: 'another' })).toEqual([]);
    expect(ofNote({ ...me, started: '1' })).toEqual([]);
  });
});

test('processes are read once for all who ask within a while', async () => {
  const clock = new FakeClock();
  const processes = new RecentProcesses(clock, 3_000);
  const first = await processes.read();
  clock.advance(2_999);
  expect(await processes.read()).toBe(first);
  clock.advance(1);
  expect(await processes.read()).not.toBe(first);
});
