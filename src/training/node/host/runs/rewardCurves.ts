import { Buffer } from 'node:buffer';
import { eventsIn } from '../../../core/protocol/hostRpc.ts';
import type { RunEvent } from '../../../core/protocol/runs.ts';
import type { HostRuns } from '../../../core/contracts.ts';
import { rewardIn } from '../../../core/runs/metrics.ts';

interface Curve {
  rank: number;
  points: { readonly step: number; readonly value: number }[];
}

interface Curves {
  after: number;
  readonly byStage: Map<number, Curve>;
}

const mostCurves = 100;
/** A source that does not exist, which filters out all log lines. */
const noLog = ['-'];

/** Reads the mean rewards of runs by step from their events, incrementally. */
export class RewardCurves {
  readonly #runs: Pick<HostRuns, 'follow'>;
  readonly #curves = new Map<string, Curves>();
  readonly #reading = new Map<string, Promise<Curves>>();

  constructor(runs: Pick<HostRuns, 'follow'>) {
    this.#runs = runs;
  }

  /** Returns the newest mean reward of a run or stage up to a step, or null. Rejects with `host/no-run`. */
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

/** Adds a reward. A better metric replaces the curve of a worse one. */
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
