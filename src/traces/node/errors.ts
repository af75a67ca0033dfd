import { CodedError, type ErrorReport } from '../../base/core/errors.ts';

/** Returns the error for a request about a trace that the viewer was not opened for. */
export function otherTrace(asked: string): CodedError {
  return new CodedError({
    code: 'trace/other-trace',
    message: `This viewer cannot read ${asked}, because it was opened for another trace.`,
    hint: 'Open that trace in a separate viewer.',
  });
}

/** The first line on stdout of a server that serves browsers, as JSON. */
export type HttpGreeting = { readonly url: string } | { readonly error: ErrorReport };
