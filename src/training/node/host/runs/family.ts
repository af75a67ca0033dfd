import { setImmediate as yielded } from 'node:timers/promises';
import type { Clock } from '../../../../base/core/ports.ts';
import {
  allProcesses,
  isAlive,
  processNumbers,
  readStat,
  type ProcessIdentity,
  type ProcessStat,
} from '../../../../base/node/process/kill.ts';
import { sameBoot, type NotedProcess } from './processes.ts';

/** The processes of a machine as they were at one moment. */
export class ProcessTable {
  readonly #byNumber = new Map<number, ProcessStat>();
  readonly #byParent = new Map<number, ProcessStat[]>();
  readonly #bySession = new Map<number, ProcessStat[]>();

  constructor(all: Iterable<ProcessStat>) {
    for (const one of all) {
      this.#byNumber.set(one.pid, one);
      listIn(this.#byParent, one.parent).push(one);
      listIn(this.#bySession, one.session).push(one);
    }
  }

  /** Undefined: it is not there, or another one has its number. */
  find({ pid, started }: ProcessIdentity): ProcessStat | undefined {
    const found = this.#byNumber.get(pid);
    return found?.started === started ? found : undefined;
  }

  childrenOf(pid: number): readonly ProcessStat[] {
    return this.#byParent.get(pid) ?? [];
  }

  inSession(session: number): readonly ProcessStat[] {
    return this.#bySession.get(session) ?? [];
  }

  /** The process that made a session; undefined: it has ended. */
  leaderOf(session: number): ProcessStat | undefined {
    return this.#byNumber.get(session);
  }
}

function listIn(lists: Map<number, ProcessStat[]>, key: number): ProcessStat[] {
  let list = lists.get(key);
  if (list === undefined) lists.set(key, (list = []));
  return list;
}

/** Processes read at a time: nothing else of the host's happens meanwhile. */
const atATime = 100;

/** This machine's processes, read for all runs at once, and no more often than every so many milliseconds. */
export class RecentProcesses {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #interval: number;
  #readAt = -Infinity;
  #table: Promise<ProcessTable> | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>, interval = 3_000) {
    this.#clock = clock;
    this.#interval = interval;
  }

  read(): Promise<ProcessTable> {
    const now = this.#clock.monotonic();
    if (this.#table !== undefined && now - this.#readAt < this.#interval) return this.#table;
    this.#readAt = now;
    return (this.#table = readTable());
  }
}

async function readTable(): Promise<ProcessTable> {
  const all: ProcessStat[] = [];
  for (const [at, pid] of processNumbers().entries()) {
    if (at % atATime === atATime - 1) await yielded();
    const one = readStat(pid);
    if (one !== undefined) all.push(one);
  }
  return new ProcessTable(all);
}

/**
 * Who belongs to a launcher: itself, what it has started, and what that has started, in whatever session. Who has lost its
 * parents belongs to it if it was seen before, or is in a session of somebody who was: what a service starts may have
 * nothing of the run in its environment.
 */
export class Family {
  #members: ReadonlyMap<number, ProcessStat> = new Map();
  #table: ProcessTable | undefined;
  /** Those that were there at two looks: most others are gone before they could be noted. */
  #settled: readonly ProcessIdentity[] = [];

  /** Those that run. */
  get living(): readonly ProcessIdentity[] {
    return [...this.#members.values()].filter(isAlive);
  }

  /** Those that are to be remembered by the next host; another array whenever they are others. */
  get settled(): readonly ProcessIdentity[] {
    return this.#settled;
  }

  /** Those that an earlier host has seen. */
  remember(noted: readonly NotedProcess[]): void {
    const table = new ProcessTable(noted.flatMap(({ pid }) => readStat(pid) ?? []));
    const members = noted.filter(sameBoot).flatMap((one) => table.find(one) ?? []);
    this.#members = new Map(members.map((one) => [one.pid, one]));
  }

  /** @param launcher undefined: it has gone */
  look(table: ProcessTable, launcher: NotedProcess | undefined): void {
    if (table === this.#table) return;
    this.#table = table;
    const before = [...this.#members.values()];
    const known = launcher !== undefined && sameBoot(launcher) ? [...before, launcher] : before;
    const pending = known.flatMap((one) => table.find(one) ?? []);
    for (const session of new Set(before.map((one) => one.session))) {
      const leader = table.leaderOf(session);
      // A later session of the same number is made by somebody else.
      const isSame = leader === undefined || known.some((one) => table.find(one) === leader);
      if (isSame) pending.push(...table.inSession(session));
    }
    const members = new Map<number, ProcessStat>();
    const sessions = new Set<number>();
    for (let one = pending.pop(); one !== undefined; one = pending.pop()) {
      if (members.has(one.pid)) continue;
      members.set(one.pid, one);
      pending.push(...table.childrenOf(one.pid));
      if (sessions.has(one.session)) continue;
      sessions.add(one.session);
      pending.push(...table.inSession(one.session));
    }
    this.#settle(members);
  }

  /** At once, and whole. */
  lookNow(launcher: NotedProcess | undefined): void {
    this.look(new ProcessTable(allProcesses()), launcher);
  }

  #settle(members: ReadonlyMap<number, ProcessStat>): void {
    const settled = [...members.values()].filter(
      ({ pid, started }) => this.#members.get(pid)?.started === started,
    );
    this.#members = members;
    settled.sort((one, other) => one.pid - other.pid);
    if (textOf(settled) !== textOf(this.#settled)) this.#settled = settled;
  }
}

function textOf(processes: readonly ProcessIdentity[]): string {
  return processes.map(({ pid, started }) => `${pid} ${started}`).join();
}
