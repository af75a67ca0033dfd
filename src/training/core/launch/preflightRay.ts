import type { Finding } from '../protocol/hostRpc.ts';
import type { RunOrder } from '../protocol/runs.ts';
import type { Training } from './training.ts';

/** The Ray of this machine, or of the cluster that an order is for. */
export interface RayFacts {
  readonly running: boolean;
  /** Why it does not answer; with a hint, a sentence of the cluster's that was asked. */
  readonly why: string;
  readonly hint?: string | undefined;
  /** The run whose own Ray it is that answers: it ends with that run. */
  readonly run: string | null;
  /** The run of this host that has a Ray of its own, whether that answers already or not. */
  readonly holder: string | null;
}

/** Whether the Ray that a run wants is there, and whether the one that is there is in its way. */
export function rayFindings(order: RunOrder, training: Training, ray: RayFacts | null): Finding[] {
  if (ray === null) return [];
  const starts = order.launcher !== 'ray' && order.flags.includes('--with-ray');
  const owner = order.launcher === 'ray' ? null : (ray.holder ?? ray.run);
  if (owner !== null) return besideRun(owner, ray, order, training);
  if (starts && ray.running) {
    return [
      {
        id: 'ray-twice',
        severity: 'warning',
        message: 'Ray runs on this host already; a second one by `--with-ray` meets its ports.',
        hint: 'Leave `--with-ray` out, or stop Ray with `ray stop`.',
      },
    ];
  }
  if (starts || ray.running || (training.backbone === 'verl' && order.launcher !== 'ray')) return [];
  const missing = { id: 'ray-missing', severity: 'error' } as const;
  if (ray.hint !== undefined) return [{ ...missing, message: ray.why, hint: ray.hint }];
  const hint =
    order.launcher === 'ajet'
      ? 'Add `--with-ray`, or start it with `ray start --head`.'
      : 'Start it with `ray start --head`.';
  return [{ ...missing, message: `Ray does not answer: ${ray.why}.`, hint }];
}

/** To stop that Ray would end the run that has it. */
function besideRun(owner: string, { holder }: RayFacts, order: RunOrder, training: Training): Finding[] {
  const starts = order.flags.includes('--with-ray');
  const wants = !starts && training.backbone === 'trinity';
  if (wants) {
    const message = `The Ray of this host is that of run ${owner}, and ends with it.`;
    const hint =
      order.launcher === 'ajet'
        ? `Add \`--with-ray\`: the run then has one of its own, once ${owner} has ended.`
        : `Start one with \`ray start --head\` once ${owner} has ended, and train then.`;
    return [{ id: 'ray-missing', severity: 'error', message, hint }];
  }
  if (holder !== null) {
    const message = `This run waits for run ${holder}, which has a Ray of its own.`;
    return [{ id: 'ray-waits', severity: 'info', message }];
  }
  if (!starts) return [];
  const message = `The Ray of run ${owner}, which is not one of this host's that go on, is still there; a second one by \`--with-ray\` meets its ports.`;
  return [{ id: 'ray-twice', severity: 'warning', message, hint: `Wait until ${owner} has ended.` }];
}
