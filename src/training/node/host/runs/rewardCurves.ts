import { Buffer } from 'node:buffer';
import { eventsIn } from '../../../core/protocol/eventsMessage.ts';
import type { RunEvent } from '../../../core/protocol/runs.ts';
import type { HostRuns } from '../../../core/contracts.ts';
import { rewardIn } from '../../../core/runs/metrics.ts';

interface Curve {
  rank: number;
  /** In the order in which they came. */
  points: { readonly step: number; readonly value: number }[];
}

interface Curves {
  /** The event up to which they were read. */
  after: number;
  /** By stage; 0: there is none. */
  readonly byStage: Map<number, Curve>;
}

/** Runs whose curves are remembered. */
const mostCurves = 100;
/** Events that are no lines of a log: no source has this name. */
const noLog = ['-'];

/** The mean rewards of runs by step, read from their events, and on from where they were read before. */
export class RewardCurves {
  readonly #runs: Pick<HostRuns, 'follow'>;
  readonly #curves = new Map<string, Curves>();
  readonly #reading = new Map<string, Promise<Curves>>();

  constructor(runs: Pick<HostRuns, 'follow'>) {
    this.#runs = runs;
  }

  /** The newest mean reward of a run, or of its stage, up to a step; null: it is not known. Rejects with `host/no-run`. */
  async at(run: string, step: number, stage = 0): Promise<number | null> {
    const reading = this.#reading.get(run) ?? this.#read(run).finally(() => this.#reading.delete(run));
    this.#reading.set(run, reading);
    const curve = (await reading).byStage.get(stage);
    return curve?.points.findLast((point) => point.step <= step)?.value ?? null;
  }

  async #read(run: string): Promise<Curves> {
    const curves = this.#curves.get(run) ?? { after: 0, byStage: new Map<number, Curve>() };
    this.#curves.delete(run);
    this.#curves.set(run, curves);
    const [oldest] = this.#curves.keys();
    if (this.#curves.size > mostCurves && oldest !== undefined) this.#curves.delete(oldest);
    const reader = this.#runs.follow(run, curves.after, noLog);
    try {
      for (let block = await reader.next(); block !== undefined; block = await reader.next()) {
        const events =
          block.message === undefined ? [] : eventsIn(Buffer.from(block.message).toString('utf8'));
        for (const event of events) if (event.type === 'metrics') add(curves, event);
        curves.after = block.upTo;
      }
    } finally {
      reader.dispose();
    }
    return curves;
  }
}

/** A better curve takes the place of what was known by a worse one. */
function add({ byStage }: Curves, event: Extract<RunEvent, { type: 'metrics' }>): void {
  const { step, values, stage = 0 } = event;
  const reward = rewardIn(values);
  const curve = byStage.get(stage) ?? { rank: Infinity, points: [] };
  if (reward === undefined || reward.rank > curve.rank) return;
  byStage.set(stage, curve);
  if (reward.rank < curve.rank) curve.points = [];
  curve.rank = reward.rank;
  curve.points.push({ step, value: reward.value });
}
