import type { GpuSample } from '../protocol/gpuSamples.ts';

/** Readings of single GPUs that are kept of a run: eight GPUs have 3,000 samples. */
const mostReadings = 24_000;
/** Samples, however few GPUs: a chart has no more pixels. */
const mostSamples = 2_880;

type Reading = GpuSample['gpus'][number];

/**
 * Samples with one look at the GPUs more. Of as many as are kept at most, each two are made one, and from then on each new
 * one is of twice as many looks: at 15 s a look, samples of a run of half a day are 15 s apart, of two weeks 8 min.
 *
 * @param samples all but the last of as many looks as the first
 */
export function addGpuSample(samples: readonly GpuSample[], look: GpuSample): GpuSample[] {
  const last = samples.at(-1);
  const isOpen = last !== undefined && last.looks < looksOf(samples);
  const all = isOpen ? [...samples.slice(0, -1), merged(last, look)] : [...samples, look];
  const readings = all.reduce((sum, { gpus }) => sum + gpus.length, 0);
  if (all.length <= mostSamples && readings <= mostReadings) return all;
  return all.flatMap((one, at) => {
    if (at % 2 === 1) return [];
    const next = all[at + 1];
    return [next === undefined ? one : merged(one, next)];
  });
}

/** Those that no look will change. */
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
  const gpus = next.gpus.map((reading): Reading => {
    const before = one.gpus.find(({ index }) => index === reading.index);
    return { ...reading, load: mean(before?.load, reading.load), used: mean(before?.used, reading.used) };
  });
  return { at: next.at, looks, gpus };
}
