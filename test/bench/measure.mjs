/** What every bench shares: sides that alternate, medians and quartiles, one shape of result. */

/**
 * @typedef {object} Bench
 * @property {string} name
 * @property {string} metric what is measured, with its unit
 * @property {string} baselineName the peer or floor, with its version
 * @property {number} target the ratio ours / baseline must not be above it (or below it, with `atLeast`)
 * @property {boolean} [atLeast]
 * @property {() => Promise<{ ours: number[], baseline: number[], note?: string }>} measure samples of both sides,
 *   alternately taken, and what else is worth telling
 */

export const leastRuns = 7;

/** Takes `runs` samples of each side, in turns, so that a slow spell of the machine meets both. */
export async function alternate(runs, ours, baseline) {
  const samples = { ours: [], baseline: [] };
  for (let run = 0; run < runs; run++) {
    const sides = [
      ['ours', ours],
      ['baseline', baseline],
    ];
    // Who goes first changes as well: the second of a pair may find warmer caches.
    if (run % 2 === 1) sides.reverse();
    for (const [side, sample] of sides) samples[side].push(await sample());
  }
  return samples;
}

export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const low = Math.floor(place);
  const high = Math.ceil(place);
  return sorted[low] + (sorted[high] - sorted[low]) * (place - low);
}

function quartiles(values) {
  return [round(quantile(values, 0.25)), round(quantile(values, 0.75))];
}

function round(value) {
  return Number(value.toPrecision(6));
}

/** The row of a bench. Throws when a side has too few samples: a bench that cannot run its baseline fails. */
export async function resultOf(bench) {
  const { ours, baseline, note } = await bench.measure();
  for (const [side, samples] of Object.entries({ ours, baseline })) {
    const bad = samples.some((value) => !Number.isFinite(value) || value <= 0);
    if (samples.length < leastRuns || bad)
      throw new Error(`${bench.name}: ${side} has no ${leastRuns} good samples.`);
  }
  const ratio = quantile(ours, 0.5) / quantile(baseline, 0.5);
  const pass = bench.atLeast === true ? ratio >= bench.target : ratio <= bench.target;
  return {
    bench: bench.name,
    metric: bench.metric,
    ours: round(quantile(ours, 0.5)),
    baseline: round(quantile(baseline, 0.5)),
    baselineName: bench.baselineName,
    ratio: Math.round(ratio * 1000) / 1000,
    target: bench.target,
    pass,
    runs: ours.length,
    oursQuartiles: quartiles(ours),
    baselineQuartiles: quartiles(baseline),
    ...(note !== undefined && { note }),
  };
}

/** The row of a bench, also of one that cannot be run: it says why, and that it did not pass. */
export async function resultOrReason(bench) {
  try {
    return await resultOf(bench);
  } catch (error) {
    const { name, metric, baselineName, target } = bench;
    const notRun = error instanceof Error ? error.message : String(error);
    return { bench: name, metric, baselineName, target, pass: false, notRun };
  }
}
