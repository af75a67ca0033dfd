/**
 * Returns the reward by which oversampling compares episodes: NumPy's mean over the timelines, which all have the same
 * reward. Rounding makes it depend on the number of timelines: `numpy.mean([0.1] * 3)` is not 0.1.
 *
 * @param timelines with 0, no sample was saved and the result is the episode's own reward
 */
export function performanceReward(reward: number, timelines: number): number {
  return timelines === 0 ? reward : sumOf(reward, timelines) / timelines;
}

const lanes = 8;
const block = 128;

/** NumPy's pairwise sum of `count` equal values. */
function sumOf(value: number, count: number): number {
  if (count < lanes) return repeated(value, count);
  if (count > block) {
    const half = Math.floor(count / 2);
    const left = half - (half % lanes);
    return sumOf(value, left) + sumOf(value, count - left);
  }
  const lane = repeated(value, Math.floor(count / lanes));
  const four = lane + lane + (lane + lane);
  let total = four + four;
  for (let rest = count % lanes; rest > 0; rest--) total += value;
  return total;
}

function repeated(value: number, count: number): number {
  let total = 0;
  for (let left = count; left > 0; left--) total += value;
  return total;
}
