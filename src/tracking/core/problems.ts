import type { EpisodeTracking } from './records/episodeResult.ts';
import type { FindingCode } from './findings.ts';

export type Problem = EpisodeTracking['problems'][number];

/** A problem of a call. Its clause follows "In call N, ". */
export interface CallProblem {
  readonly code: FindingCode;
  readonly severity: Problem['severity'];
  readonly clause: string;
  /** Separates problems of one code that are reported one by one. */
  readonly about?: string;
}

interface Entry {
  readonly first: CallProblem;
  readonly calls: Set<number>;
}

/** The problems of an episode. Each code is listed once, with the text of its first call and the number of other calls. */
export class Problems {
  readonly #entries = new Map<string, Entry>();
  readonly #suppressed: ReadonlySet<string>;

  /** @param suppressed codes that do not apply to this run */
  constructor(suppressed: ReadonlySet<string> = new Set()) {
    this.#suppressed = suppressed;
  }

  add(call: number, problem: CallProblem): void {
    if (this.#suppressed.has(problem.code)) return;
    const key = [problem.severity, problem.code, problem.about].join(' ');
    const entry = this.#entries.get(key);
    if (entry === undefined) this.#entries.set(key, { first: problem, calls: new Set([call]) });
    else entry.calls.add(call);
  }

  clear(): void {
    this.#entries.clear();
  }

  list(): readonly Problem[] {
    return [...this.#entries.values()].map(({ first, calls }) => {
      const { code, severity, clause } = first;
      return { code, severity, message: `In ${named([...calls])}, ${clause}`, calls: [...calls] };
    });
  }
}

function named(calls: readonly number[]): string {
  const more = calls.length - 1;
  if (more === 0) return `call ${calls[0] ?? 0}`;
  return `call ${calls[0] ?? 0} and ${more} more call${more === 1 ? '' : 's'}`;
}
