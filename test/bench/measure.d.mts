export function alternate<Sample>(
  runs: number,
  ours: () => Promise<Sample>,
  baseline: () => Promise<Sample>,
): Promise<{ readonly ours: readonly Sample[]; readonly baseline: readonly Sample[] }>;

export interface Bench {
  readonly name: string;
  readonly metric: string;
  readonly baselineName: string;
  readonly target: number;
  readonly atLeast?: boolean;
  readonly measure: () => Promise<{
    readonly ours: readonly number[];
    readonly baseline: readonly number[];
    readonly note?: string;
  }>;
}

export function resultOrReason(
  bench: Bench,
): Promise<{ readonly bench: string; readonly pass: boolean; readonly notRun?: string }>;
