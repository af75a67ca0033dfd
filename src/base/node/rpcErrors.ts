/** Carries error reports as the errors of JSON-RPC responses. */
import { ResponseError } from 'vscode-jsonrpc/node';
import { CodedError, type ErrorReport } from '../core/errors.ts';
import { errorReport } from '../core/errorReport.ts';

/** The code of responses that carry a report; JSON-RPC leaves -32000 to -32099 to applications. */
const reportCode = -32000;

export function responseError(report: ErrorReport): ResponseError<ErrorReport> {
  return new ResponseError(reportCode, report.message, report);
}

/** Returns the error whose report a response carries; undefined: it carries none, so the connection itself failed. */
export function reportedError(error: unknown): CodedError | undefined {
  if (!(error instanceof ResponseError) || error.code !== reportCode) return undefined;
  const report = errorReport.safeParse(error.data);
  return report.success ? new CodedError(report.data) : undefined;
}
