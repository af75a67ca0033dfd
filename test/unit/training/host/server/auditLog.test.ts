import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AuditLog } from '../../../../../src/training/node/host/server/auditLog.ts';
import { FakeClock } from '../../../fakeClock.ts';

interface Line {
  readonly at: string;
  readonly what: string;
  readonly address?: string;
  readonly status?: number;
  readonly others?: true;
  readonly times?: number;
}

const minute = 60_000;

function newLog(mostBytes?: number) {
  const folder = mkdtempSync(path.join(tmpdir(), 'agentjet-audit-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = new FakeClock();
  const log = new AuditLog(folder, clock, mostBytes);
  return { folder, clock, log, refuse: (address: string, status = 429) => refuse(log, address, status) };
}

function refuse(log: AuditLog, address: string, status: number): void {
  log.addOften('turned-away', { address }, { status });
}

function linesOf(file: string): Line[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** Refusals that the lines tell of. */
function told(lines: readonly Line[]): number {
  return lines.filter(({ what }) => what === 'turned-away').reduce((sum, { times = 1 }) => sum + times, 0);
}

describe('the audit log', () => {
  it('of a flood of refusals keeps what came before, and counts those that it leaves out', () => {
    const { clock, log, refuse } = newLog(16_384);
    log.add('connected', { token: 'owner' });
    log.add('run.start', { run: 'a' });
    for (let index = 0; index < 100_000; index++) {
      refuse('10.0.0.1', index % 2 === 0 ? 401 : 429);
      if (index % 25_000 === 0) clock.advance(minute);
    }
    clock.advance(minute);
    log.flushCounts();
    const lines = linesOf(log.file);
    expect(existsSync(`${log.file}.1`)).toBe(false);
    expect(lines.slice(0, 2)).toMatchObject([{ what: 'connected' }, { what: 'run.start', run: 'a' }]);
    expect(lines.length).toBeLessThanOrEqual(2 + 2 * 6);
    expect(told(lines)).toBe(100_000);
    expect(lines[2]).toEqual({
      at: new Date(0).toISOString(),
      what: 'turned-away',
      address: '10.0.0.1',
      status: 401,
    });
  });

  it('tells the same at most once a minute, and each other at once', () => {
    const { clock, log, refuse } = newLog();
    refuse('10.0.0.1');
    refuse('10.0.0.1');
    refuse('10.0.0.1', 401);
    refuse('10.0.0.2');
    clock.advance(minute - 1);
    refuse('10.0.0.1');
    log.flushCounts();
    expect(linesOf(log.file)).toHaveLength(3);
    clock.advance(1);
    refuse('10.0.0.1');
    expect(linesOf(log.file).slice(3)).toMatchObject([{ address: '10.0.0.1', status: 429, times: 3 }]);
    refuse('10.0.0.1');
    clock.advance(minute);
    log.flushCounts();
    clock.advance(minute);
    log.flushCounts();
    expect(linesOf(log.file).slice(4)).toMatchObject([{ address: '10.0.0.1', status: 429 }]);
    refuse('10.0.0.1');
    expect(linesOf(log.file).slice(5)).toHaveLength(1);
    expect(linesOf(log.file)[5]).not.toHaveProperty('times');
  });

  it('tells what it has counted when the host stops', () => {
    const { log, refuse } = newLog();
    for (let index = 0; index < 3; index++) refuse('10.0.0.1');
    log.flushCounts('all');
    expect(linesOf(log.file).map(({ times }) => times)).toEqual([undefined, 2]);
  });

  it('counts those under one that come from too many places', () => {
    const { clock, log, refuse } = newLog();
    for (let index = 0; index < 100_000; index++)
      refuse(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);
    clock.advance(minute);
    log.flushCounts();
    const lines = linesOf(log.file);
    expect(lines.length).toBeLessThanOrEqual(102);
    expect(told(lines)).toBe(100_000);
    expect(lines.at(-1)).toMatchObject({ others: true, status: 429 });
    expect(lines.at(-1)).not.toHaveProperty('address');
    clock.advance(minute);
    log.flushCounts();
    refuse('10.0.0.1');
    expect(linesOf(log.file).at(-1)).toMatchObject({ address: '10.0.0.1' });
  });

  it('is begun anew when it is large; the one before is kept, by hosts that start later as well', () => {
    const { folder, clock, log } = newLog(1_000);
    for (let run = 0; run < 15; run++) log.add('run.start', { run, name: 'ä'.repeat(20) });
    const before = linesOf(`${log.file}.1`);
    const after = linesOf(log.file);
    expect([...before, ...after]).toHaveLength(15);
    expect(readFileSync(`${log.file}.1`).length).toBeLessThan(1_200);
    const next = new AuditLog(folder, clock, 1);
    next.add('run.start', { run: 15 });
    expect(linesOf(`${log.file}.1`)).toEqual(after);
    expect(linesOf(log.file)).toMatchObject([{ run: 15 }]);
  });
});
