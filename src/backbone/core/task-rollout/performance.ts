/**
 * The reward that oversampling compares episodes by: NumPy's mean of the rewards of its timelines, which are all the
 * same. For an episode's reward that is no sum of powers of two it depends on their number, so that equal rewards may
 * differ: `numpy.mean([0.1] * 3)` is not 0.1.
 *
 * @param timelines 0: nothing was saved, and the episode's own reward counts
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
