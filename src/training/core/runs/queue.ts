import type { RunRecord } from '../protocol/runs.ts';
import type { GpuReading } from '../launch/nvidiaSmi.ts';

interface QueuedRun {
  readonly id: string;
  readonly gpus: number;
  readonly ray: RayUse;
}

/** The runs whose Ray blocks other runs, by id. */
export interface RayClaims {
  /** The run with its own Ray. Others would connect to it and lose it. */
  readonly holder?: string | undefined;
  /** The run that has not connected to its Ray yet. It could connect to the one that another run starts now. */
  readonly seeker?: string | undefined;
}

/**
 * @param going started runs that have not ended
 * @param address RAY_ADDRESS in the host's environment
 */
export function rayClaims(going: readonly RunRecord[], address: string | undefined): RayClaims {
  const isNew = ({ phase, step }: RunRecord): boolean =>
    step === null && (phase === null || phase === preparingPhase);
  const uses = (use: RayUse): RunRecord[] => going.filter((run) => rayUse(run, address) === use);
  return { holder: uses('own')[0]?.id, seeker: uses('here').find(isNew)?.id };
}

/** The phase of a run before the first output of its launcher. */
export const preparingPhase = 'preparing the code';

interface QueuePlan {
  readonly start: { readonly id: string; readonly devices: readonly number[] }[];
  readonly wait: { readonly id: string; readonly reason: string }[];
  readonly fail: { readonly id: string; readonly reason: string }[];
}

/** The share of a GPU's memory that a driver and a desktop can use. More means that another program uses it. */
const idleShare = 0.05;

function isUsedByOthers({ memory, used }: GpuReading): boolean {
  return memory !== null && used !== null && memory > 0 && used / memory > idleShare;
}

/**
 * Decides which runs start now, on which GPUs. The order is first come, first served. A run that needs more GPUs than
 * are free blocks later runs that need GPUs, or it would never start. Runs without GPUs never wait for one. Only one
 * run at a time can have its own Ray, in the same order. Runs that use the existing Ray wait until it is gone.
 *
 * @param found null if the driver does not answer
 * @param most the largest number of GPUs that the machine ever had. A driver that does not answer now is waited for.
 */
export function planQueue(
  queue: readonly QueuedRun[],
  found: readonly GpuReading[] | null,
  taken: ReadonlySet<number>,
  most: number,
  rays: RayClaims = {},
): QueuePlan {
  const plan: QueuePlan = { start: [], wait: [], fail: [] };
  const gpus = found ?? [];
  const free = gpus.filter(({ index }) => !taken.has(index));
  const others = free.filter(isUsedByOthers).map(({ index }) => index);
  const usable = free.map(({ index }) => index).filter((index) => !others.includes(index));
  let { holder, seeker } = rays;
  const held = { gpus: false, ray: false };
  for (const { id, gpus: wanted, ray } of queue) {
    if (wanted > most && found !== null) {
      plan.fail.push({ id, reason: tooMany(wanted, most) });
      continue;
    }
    const isBehind = (held.gpus && wanted > 0) || (held.ray && ray === 'own');
    const reason =
      whyRayWaits(ray, { holder, seeker }) ??
      (isBehind ? 'Waits for the runs before it.' : undefined) ??
      (wanted > usable.length ? whyItWaits(wanted, usable.length, others, gpus.length) : undefined);
    if (reason === undefined) {
      plan.start.push({ id, devices: usable.splice(0, wanted) });
      if (ray === 'own') holder = id;
      if (ray === 'here') seeker = id;
    } else {
      plan.wait.push({ id, reason });
      held.gpus ||= wanted > 0;
      held.ray ||= ray === 'own';
    }
  }
  return plan;
}

function whyRayWaits(ray: RayUse, { holder, seeker }: RayClaims): string | undefined {
  if (ray !== 'elsewhere' && holder !== undefined)
    return `Waits for run ${holder}, which has a separate Ray.`;
  if (ray === 'own' && seeker !== undefined) return `Waits until run ${seeker} has found its Ray.`;
  return undefined;
}

function tooMany(wanted: number, most: number): string {
  const has = most === 0 ? 'no GPU' : most === 1 ? 'one' : `${most}`;
  return `It needs ${counted(wanted)}, but this host has ${has}.`;
}

function whyItWaits(wanted: number, free: number, others: readonly number[], all: number): string {
  if (all === 0) return `Waits for ${counted(wanted)}: the GPU driver does not respond.`;
  const are = others.length === 1 ? 'is' : 'are';
  const used = others.length === 0 ? '' : ` GPU ${others.join(', ')} ${are} used by other programs.`;
  return `Waits for ${counted(wanted)}. Free: ${free}.${used}`;
}

function counted(gpus: number): string {
  return gpus === 1 ? 'one GPU' : `${gpus} GPUs`;
}

/**
 * The Ray that a run uses. `own`: one that the run starts, and that ends with it; its ports allow one per machine.
 * `here`: the one that already runs on the machine. `elsewhere`: that of a named cluster.
 */
export type RayUse = 'own' | 'here' | 'elsewhere';

/** @param address RAY_ADDRESS in the host's environment */
export function rayUse(
  { launcher, flags, env }: Pick<RunRecord, 'launcher' | 'flags' | 'env'>,
  address: string | undefined,
): RayUse {
  if (launcher === 'ray' || launcher === 'tinker') return 'elsewhere';
  if (flags.includes('--with-ray')) return 'own';
  const isNamed = env.includes('RAY_ADDRESS') || ![undefined, '', 'auto'].includes(address);
  return isNamed ? 'elsewhere' : 'here';
}
