import type { GpuSample } from '../protocol/runs.ts';

/** The number of readings of single GPUs to keep. With eight GPUs, this is 3,000 samples. */
const mostReadings = 24_000;
/** The maximum number of samples: a chart has no more pixels. */
const mostSamples = 2_880;

/**
 * Adds a reading to samples. At the limit, each two samples are merged, and new ones take twice as many readings.
 * With a reading every 15 s, samples are 15 s apart for half a day, and 8 min apart for two weeks.
 *
 * @param samples all except the last have as many readings as the first
 */
export function addGpuSample(samples: readonly GpuSample[], look: GpuSample): GpuSample[] {
  const last = samples.at(-1);
  const isOpen = last !== undefined && last.looks < looksOf(samples);
  const all = isOpen ? [...samples.slice(0, -1), merged(last, look)] : [...samples, look];
  const readings = all.reduce((sum, { gpus }) => sum + gpus.length, 0);
  if (all.length <= mostSamples && readings <= mostReadings) return all;
  const pairs = all.flatMap((one, at) => (at % 2 === 0 ? [[one, all[at + 1]] as const] : []));
  return pairs.map(([one, next]) => (next === undefined ? one : merged(one, next)));
}

/** Returns the samples that no further reading changes. */
export function completeSamples(samples: readonly GpuSample[]): readonly GpuSample[] {
  return samples.filter(({ looks }) => looks >= looksOf(samples));
}

function looksOf(samples: readonly GpuSample[]): number {
  return samples[0]?.looks ?? 1;
}

function merged(one: GpuSample, next: GpuSample): GpuSample {
  const looks = one.looks + next.looks;
  const mean = (before: number | null | undefined, after: number | null): number | null =>
    typeof before !== 'number' || after === null
      ? after
      : Math.round(((before * one.looks + after * next.looks) / looks) * 10) / 10;
  const gpus = next.gpus.map((reading) => {
    const before = one.gpus.find(({ index }) => index === reading.index);
    return { ...reading, load: mean(before?.load, reading.load), used: mean(before?.used, reading.used) };
  });
  return { at: next.at, looks, gpus };
}
