import type { FoundGpu } from '../launch/nvidiaSmi.ts';

interface QueuedRun {
  readonly id: string;
  readonly gpus: number;
}

interface QueuePlan {
  readonly start: readonly { readonly id: string; readonly devices: readonly number[] }[];
  /** Why the others wait, or never can start. */
  readonly wait: readonly { readonly id: string; readonly reason: string }[];
  readonly fail: readonly { readonly id: string; readonly reason: string }[];
}

/** The share of a GPU's memory that a driver and a desktop may have; more is somebody's work. */
const idleShare = 0.05;

/** Whether somebody who is not a run of this host works on a GPU. */
function isUsedByOthers({ memory, used }: FoundGpu): boolean {
  return memory !== null && used !== null && memory > 0 && used / memory > idleShare;
}

/**
 * Who starts now, on which GPUs. First come, first served: a run that needs more than is free lets none that wants GPUs
 * past it, or it would never start. Runs without GPUs wait for nothing.
 *
 * @param found null: the driver does not answer
 * @param most GPUs that the machine has ever had: a driver that does not answer now is waited for
 */
export function planQueue(
  queue: readonly QueuedRun[],
  found: readonly FoundGpu[] | null,
  taken: ReadonlySet<number>,
  most: number,
): QueuePlan {
  const start: { id: string; devices: readonly number[] }[] = [];
  const wait: { id: string; reason: string }[] = [];
  const fail: { id: string; reason: string }[] = [];
  const gpus = found ?? [];
  const free = gpus.filter(({ index }) => !taken.has(index));
  const others = free.filter(isUsedByOthers).map(({ index }) => index);
  const usable = free.map(({ index }) => index).filter((index) => !others.includes(index));
  let isHeld = false;
  for (const { id, gpus: wanted } of queue) {
    if (wanted === 0) {
      start.push({ id, devices: [] });
    } else if (wanted > most && found !== null) {
      fail.push({ id, reason: tooMany(wanted, most) });
    } else if (isHeld) {
      wait.push({ id, reason: 'Waits for the runs before it.' });
    } else if (wanted <= usable.length) {
      start.push({ id, devices: usable.splice(0, wanted) });
    } else {
      isHeld = true;
      wait.push({ id, reason: whyItWaits(wanted, usable.length, others, gpus.length) });
    }
  }
  return { start, wait, fail };
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
