export function alternate<Sample>(
  runs: number,
  ours: () => Promise<Sample>,
  baseline: () => Promise<Sample>,
): Promise<{ readonly ours: readonly Sample[]; readonly baseline: readonly Sample[] }>;
