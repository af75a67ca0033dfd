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

/** The processes of this machine at one moment. */
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

  /** Returns a process. Undefined: it has ended, or another one has its number. */
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

  /** Returns the process that created a session. Undefined: it has ended. */
  leaderOf(session: number): ProcessStat | undefined {
    return this.#byNumber.get(session);
  }
}

function listIn(lists: Map<number, ProcessStat[]>, key: number): ProcessStat[] {
  let list = lists.get(key);
  if (list === undefined) lists.set(key, (list = []));
  return list;
}

/** The number of processes to read between two yields to the event loop. */
const atATime = 100;

/** Reads the processes of this machine for all runs, at most once per interval. */
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
 * The processes of a launcher: itself and its descendants, in any session.
 * An orphan belongs to it if it was seen before or is in a session of a known member. Services may not inherit the
 * environment of the run.
 */
export class Family {
  #members: ReadonlyMap<number, ProcessStat> = new Map();
  #table: ProcessTable | undefined;
  /** The members that two scans have seen. Most others end before they can be stored. */
  #settled: readonly ProcessIdentity[] = [];

  get living(): readonly ProcessIdentity[] {
    return [...this.#members.values()].filter(isAlive);
  }

  /** The members to store for the next host. A change replaces the array. */
  get settled(): readonly ProcessIdentity[] {
    return this.#settled;
  }

  remember(noted: readonly NotedProcess[]): void {
    const table = new ProcessTable(noted.flatMap(({ pid }) => readStat(pid) ?? []));
    const members = noted.filter(sameBoot).flatMap((one) => table.find(one) ?? []);
    this.#members = new Map(members.map((one) => [one.pid, one]));
  }

  /** @param launcher undefined: it has ended */
  look(table: ProcessTable, launcher: NotedProcess | undefined): void {
    if (table === this.#table) return;
    this.#table = table;
    const before = [...this.#members.values()];
    const known = launcher !== undefined && sameBoot(launcher) ? [...before, launcher] : before;
    const pending = known.flatMap((one) => table.find(one) ?? []);
    for (const session of new Set(before.map((one) => one.session))) {
      const leader = table.leaderOf(session);
      // Another process may have created a later session of the same number.
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
