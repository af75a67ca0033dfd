import { CodedError, type ErrorReport } from '../base/errors.ts';
import type { Span } from './text.ts';

/** What is wrong with a config that was read for a run; an `error` means that training would not start either. */
export interface ConfigProblem extends Omit<ErrorReport, 'stack'> {
  readonly severity: 'error' | 'warning';
  /** The place in the text that was composed; absent where the problem is in another file. */
  readonly span?: Span;
}

/** A problem with a value: `inside` is the place within the value's text. */
export interface LocatedProblem extends ConfigProblem {
  readonly inside?: Span;
}

/** The first error as something to throw; undefined when there are warnings at most. */
export function firstError(problems: readonly ConfigProblem[]): CodedError | undefined {
  const error = problems.find((problem) => problem.severity === 'error');
  return error && new CodedError(error);
}
