import { CodedError, type Location } from '../../../base/core/errors.ts';
import type { WorkerFailure } from '../../core/protocol/worker.ts';

/** What the user's Python raised, with its place and Python's own traceback. */
export class PythonError extends Error {
  override readonly name = 'PythonError';
  readonly location: Location | undefined;
  readonly #failure: WorkerFailure;

  constructor(failure: WorkerFailure) {
    super(failure.message);
    this.#failure = failure;
    const { file, line, stack } = failure;
    this.location = file === undefined ? undefined : { file, ...(line !== undefined && { line }) };
    if (stack !== undefined) this.stack = stack;
  }

  /** Where the worker knows what it is: an error with its code. */
  coded(): CodedError | undefined {
    const { code, message, hint } = this.#failure;
    if (code === undefined) return undefined;
    return new CodedError({ code, message, hint, location: this.location }, { cause: this });
  }
}
