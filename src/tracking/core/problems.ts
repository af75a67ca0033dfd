import type { EpisodeTracking } from './records/episodeResult.ts';
import type { FindingCode } from './findings.ts';

export type Problem = EpisodeTracking['problems'][number];

/** What a call was found to have; the sentence goes on from "In call N, ". */
export interface CallProblem {
  readonly code: FindingCode;
  readonly severity: Problem['severity'];
  readonly clause: string;
  /** What sets problems of one code apart that are told one by one. */
  readonly about?: string;
}

interface Entry {
  readonly first: CallProblem;
  readonly calls: Set<number>;
}

/** An episode's problems: each code once, worded by its first call, with how many more calls have it. */
export class Problems {
  readonly #entries = new Map<string, Entry>();
  readonly #untold: ReadonlySet<string>;

  /** @param untold codes of what is no problem in this run */
  constructor(untold: ReadonlySet<string> = new Set()) {
    this.#untold = untold;
  }

  add(call: number, problem: CallProblem): void {
    if (this.#untold.has(problem.code)) return;
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
