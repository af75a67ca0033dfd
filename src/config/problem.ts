import { CodedError, type ErrorReport } from '../base/errors.ts';

/** What is wrong with a config that was read for a run; an `error` means that training would not start either. */
export interface ConfigProblem extends Omit<ErrorReport, 'stack'> {
  readonly severity: 'error' | 'warning';
}

/** The first error as something to throw; undefined when there are warnings at most. */
export function firstError(problems: readonly ConfigProblem[]): CodedError | undefined {
  const error = problems.find((problem) => problem.severity === 'error');
  return error && new CodedError(error);
}
