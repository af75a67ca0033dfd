import { CodedError, type ErrorReport } from '../../base/core/errors.ts';

/** A viewer sees the trace that it was opened for, and no other file. */
export function otherTrace(asked: string): CodedError {
  return new CodedError({
    code: 'trace/other-trace',
    message: `This viewer was opened for another trace than ${asked}.`,
    hint: 'Open that trace in a viewer of its own.',
  });
}

/** The first line on stdout of a server that serves browsers, as JSON. */
export type HttpGreeting = { readonly url: string } | { readonly error: ErrorReport };
