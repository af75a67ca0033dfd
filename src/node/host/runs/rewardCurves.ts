import { Buffer } from 'node:buffer';
import { eventsIn } from '../../../protocol/host/eventsMessage.ts';
import type { RunEvent } from '../../../protocol/host/runs.ts';
import type { HostRuns } from '../../../remote/contracts.ts';
import { rewardIn } from '../../../remote/runs/metrics.ts';

interface Curve {
  /** The event up to which it was read. */
  after: number;
  rank: number;
  /** In the order in which they came. */
  points: { readonly step: number; readonly value: number }[];
}

/** Runs whose curves are remembered. */
const mostCurves = 100;
/** Events that are no lines of a log: no source has this name. */
const noLog = ['-'];

/** The mean rewards of runs by step, read from their events, and on from where they were read before. */
export class RewardCurves {
  readonly #runs: Pick<HostRuns, 'follow'>;
  readonly #curves = new Map<string, Curve>();
  readonly #reading = new Map<string, Promise<Curve>>();

  constructor(runs: Pick<HostRuns, 'follow'>) {
    this.#runs = runs;
  }

  /** The newest mean reward of a run up to a step; null: it is not known. Rejects with `host/no-run`. */
  async at(run: string, step: number): Promise<number | null> {
    const reading = this.#reading.get(run) ?? this.#read(run).finally(() => this.#reading.delete(run));
    this.#reading.set(run, reading);
    const { points } = await reading;
    return points.findLast((point) => point.step <= step)?.value ?? null;
  }

  async #read(run: string): Promise<Curve> {
    const curve = this.#curves.get(run) ?? { after: 0, rank: Infinity, points: [] };
    this.#curves.delete(run);
    this.#curves.set(run, curve);
    const [oldest] = this.#curves.keys();
    if (this.#curves.size > mostCurves && oldest !== undefined) this.#curves.delete(oldest);
    const reader = this.#runs.follow(run, curve.after, noLog);
    try {
      for (let block = await reader.next(); block !== undefined; block = await reader.next()) {
        const events =
          block.message === undefined ? [] : eventsIn(Buffer.from(block.message).toString('utf8'));
        for (const event of events) if (event.type === 'metrics') add(curve, event);
        curve.after = block.upTo;
      }
    } finally {
      reader.dispose();
    }
    return curve;
  }
}

/** A better curve takes the place of what was known by a worse one. */
function add(curve: Curve, { step, values }: Extract<RunEvent, { type: 'metrics' }>): void {
  const reward = rewardIn(values);
  if (reward === undefined || reward.rank > curve.rank) return;
  if (reward.rank < curve.rank) curve.points = [];
  curve.rank = reward.rank;
  curve.points.push({ step, value: reward.value });
}
