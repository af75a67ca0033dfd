import type { RunRecord } from '../protocol/runs.ts';
import { rayUse, type RayUse } from '../launch/rayUse.ts';
import type { GpuReading } from '../launch/nvidiaSmi.ts';

interface QueuedRun {
  readonly id: string;
  readonly gpus: number;
  readonly ray: RayUse;
}

/** Runs that stand in others' way by their Ray, by id. */
export interface RayClaims {
  /** Has a Ray of its own, which others would find and lose. */
  readonly holder?: string | undefined;
  /** Has not found its Ray yet: it would find the one that another starts now. */
  readonly seeker?: string | undefined;
}

/** @param going the runs that have been started and have not ended @param address of the host's own RAY_ADDRESS */
export function rayClaims(going: readonly RunRecord[], address: string | undefined): RayClaims {
  const isNew = ({ phase, step }: RunRecord): boolean =>
    step === null && (phase === null || phase === preparingPhase);
  const uses = (use: RayUse): RunRecord[] => going.filter((run) => rayUse(run, address) === use);
  return { holder: uses('own')[0]?.id, seeker: uses('here').find(isNew)?.id };
}

/** Of a run of which its launcher has told nothing yet. */
export const preparingPhase = 'preparing the code';

interface QueuePlan {
  readonly start: readonly { readonly id: string; readonly devices: readonly number[] }[];
  /** Why the others wait, or never can start. */
  readonly wait: readonly { readonly id: string; readonly reason: string }[];
  readonly fail: readonly { readonly id: string; readonly reason: string }[];
}

/** The share of a GPU's memory that a driver and a desktop may have; more is somebody's work. */
const idleShare = 0.05;

/** Whether somebody who is not a run of this host works on a GPU. */
function isUsedByOthers({ memory, used }: GpuReading): boolean {
  return memory !== null && used !== null && memory > 0 && used / memory > idleShare;
}

/**
 * Who starts now, on which GPUs. First come, first served: a run that needs more than is free lets none that wants GPUs
 * past it, or it would never start. Runs without GPUs wait for no GPU. A Ray of its own is had by one run at a time, in the
 * same order, and runs that take the Ray which is there wait until it is gone.
 *
 * @param found null: the driver does not answer
 * @param most GPUs that the machine has ever had: a driver that does not answer now is waited for
 */
export function planQueue(
  queue: readonly QueuedRun[],
  found: readonly GpuReading[] | null,
  taken: ReadonlySet<number>,
  most: number,
  rays: RayClaims = {},
): QueuePlan {
  const start: { id: string; devices: readonly number[] }[] = [];
  const wait: { id: string; reason: string }[] = [];
  const fail: { id: string; reason: string }[] = [];
  const gpus = found ?? [];
  const free = gpus.filter(({ index }) => !taken.has(index));
  const others = free.filter(isUsedByOthers).map(({ index }) => index);
  const usable = free.map(({ index }) => index).filter((index) => !others.includes(index));
  let { holder, seeker } = rays;
  const held = { gpus: false, ray: false };
  for (const { id, gpus: wanted, ray } of queue) {
    if (wanted > most && found !== null) {
      fail.push({ id, reason: tooMany(wanted, most) });
      continue;
    }
    const isBehind = (held.gpus && wanted > 0) || (held.ray && ray === 'own');
    const reason =
      whyRayWaits(ray, { holder, seeker }) ??
      (isBehind ? 'Waits for the runs before it.' : undefined) ??
      (wanted > usable.length ? whyItWaits(wanted, usable.length, others, gpus.length) : undefined);
    if (reason === undefined) {
      start.push({ id, devices: usable.splice(0, wanted) });
      if (ray === 'own') holder = id;
      if (ray === 'here') seeker = id;
    } else {
      wait.push({ id, reason });
      held.gpus ||= wanted > 0;
      held.ray ||= ray === 'own';
    }
  }
  return { start, wait, fail };
}

/** Undefined: for no Ray. */
function whyRayWaits(ray: RayUse, { holder, seeker }: RayClaims): string | undefined {
  if (ray !== 'elsewhere' && holder !== undefined) return `Waits: run ${holder} has a Ray of its own.`;
  if (ray === 'own' && seeker !== undefined) return `Waits: run ${seeker} is looking for its Ray.`;
  return undefined;
}

function tooMany(wanted: number, most: number): string {
  const has = most === 0 ? 'no GPU' : most === 1 ? 'one' : `${most}`;
  return `It wants ${counted(wanted)}, and this host has ${has}.`;
}

function whyItWaits(wanted: number, free: number, others: readonly number[], all: number): string {
  if (all === 0) return `Waits for ${counted(wanted)}: the driver does not tell of any at the moment.`;
  const used =
    others.length === 0
      ? ''
      : ` GPU ${others.join(', ')} ${others.length === 1 ? 'is' : 'are'} used by other programs.`;
  return `Waits for ${counted(wanted)}, of which ${free === 0 ? 'none is' : `${free} ${free === 1 ? 'is' : 'are'}`} free.${used}`;
}

function counted(gpus: number): string {
  return gpus === 1 ? 'one GPU' : `${gpus} GPUs`;
}
