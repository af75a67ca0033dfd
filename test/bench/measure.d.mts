export function alternate(
  runs: number,
  ours: () => Promise<number>,
  baseline: () => Promise<number>,
): Promise<{ readonly ours: readonly number[]; readonly baseline: readonly number[] }>;
