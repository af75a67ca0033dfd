import { toReport } from '../../../../base/core/errors.ts';
import { environmentOf, isAlive, type ProcessIdentity } from '../../../../base/node/process/kill.ts';
import type { RunRecord } from '../../../core/protocol/runs.ts';
import { markedProcesses } from './processes.ts';
import type { RunContext } from './run.ts';
import type { StoredRun } from './runFolder.ts';
import { Stopper } from './stopper.ts';

/** The fields of a record that nothing is known about. */
const unknown = {
  ...{ launcher: 'ajet', backbone: 'trinity', config: '', snapshot: '0'.repeat(64) },
  ...{ flags: [], env: [], gpus: 0, owner: '', from: null, jobFolder: null },
  ...{ phase: null, exitCode: null, step: null, totalSteps: null, reward: null },
  ...{ startedAt: null, endedAt: null, events: 0 },
} satisfies Partial<RunRecord>;

/**
 * A run with files that cannot be read. It stays in the list, and keeps its GPUs while a process of it lives. The next
 * host tries to read it again.
 */
export class UnreadableRun {
  record: RunRecord;
  readonly #context: Pick<RunContext, 'stop' | 'clock'>;
  #living: readonly ProcessIdentity[] = [];

  /** @param stored undefined: its record is among these files */
  constructor(
    context: Pick<RunContext, 'stop' | 'clock'>,
    id: string,
    stored: StoredRun | undefined,
    why: unknown,
  ) {
    const { message, hint = '' } = toReport(why, 'host/run');
    const { order = unknown, ...rest } = stored ?? {};
    const { owner, jobFolder, startedAt, createdAt = timeIn(id), devices = [] } = { ...unknown, ...rest };
    this.#context = context;
    this.record = {
      ...{ ...unknown, name: id, ...order, env: [...order.env], flags: [...order.flags] },
      ...{ id, owner, jobFolder, startedAt, createdAt, devices },
      ...{ from: order.from ?? null, state: 'running', reason: `${message} ${hint}`.trim() },
    };
    this.look();
  }

  get isAlive(): boolean {
    return this.record.state !== 'lost';
  }

  get devices(): readonly number[] {
    return this.isAlive ? this.record.devices : [];
  }

  /** Checks its processes. Returns whether the record has changed. */
  look(): boolean {
    const { state, id, gpus } = this.record;
    const isKnown = this.#living.length > 0;
    if (state === 'lost') return false;
    this.#living = this.#living.filter(isAlive);
    if (this.#living.length === 0) this.#living = markedProcesses(id, undefined);
    if (this.#living.length === 0) this.record = { ...this.record, state: 'lost' };
    else if (isKnown) return false;
    else if (gpus === 0) this.record = { ...this.record, devices: devicesOf(this.#living) };
    return true;
  }

  /** Ends its processes. {@link look} notices it. */
  async cancel(): Promise<void> {
    if (!this.isAlive) return;
    this.record = { ...this.record, state: 'cancelling' };
    const { stop: times, clock } = this.#context;
    const family = { living: [], lookNow: () => undefined };
    await new Stopper({ run: this.record.id, times, clock, family }).sweep(undefined);
  }
}

function devicesOf(processes: readonly ProcessIdentity[]): number[] {
  const given = 'CUDA_VISIBLE_DEVICES=';
  const lists = processes
    .flatMap(({ pid }) => environmentOf(pid))
    .filter((variable) => variable.startsWith(given))
    .flatMap((variable) => variable.slice(given.length).split(','));
  return [...new Set(lists.filter((one) => /^\d{1,4}$/.test(one)).map(Number))].sort((a, b) => a - b);
}

function timeIn(id: string): number {
  return Date.parse(id.replace(/^(....)(..)(..)-(..)(..)(..)-.*$/, '$1-$2-$3T$4:$5:$6Z')) || 0;
}
