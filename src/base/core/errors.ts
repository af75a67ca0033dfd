import { withoutControl } from './visibleText.ts';

/** A position in a file of the user. `line` and `column` are 1-based. */
export interface Location {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** The fields of a {@link CodedError} that are sent to other processes. */
export interface ErrorReport {
  /** Stable, e.g. `task-reader/broken-jsonl`. Tests and documentation refer to it. */
  readonly code: string;
  /** One sentence that says what failed. */
  readonly message: string;
  readonly location?: Location | undefined;
  /** One sentence that says what to do. */
  readonly hint?: string | undefined;
  /** The frames of the stack in the user's files, if there are several. */
  readonly userStack?: string | undefined;
  /** The stack, shown only with `--verbose`. */
  readonly stack?: string | undefined;
}

/**
 * An error for the user that says what failed, where, and what to do. Every failure has one factory next to the code
 * that throws it. Its code never changes.
 */
export class CodedError extends Error {
  override readonly name = 'CodedError';
  readonly code: string;
  readonly location: Location | undefined;
  readonly hint: string | undefined;

  constructor({ cause, ...report }: Omit<ErrorReport, 'stack' | 'userStack'> & { readonly cause?: unknown }) {
    super(report.message, cause === undefined ? undefined : { cause });
    this.code = report.code;
    this.location = report.location;
    this.hint = report.hint;
  }
}

/** Returns the report of any thrown value. Values other than {@link CodedError} get `fallbackCode`. */
export function toReport(error: unknown, fallbackCode: string): ErrorReport {
  if (error instanceof CodedError) {
    return {
      code: error.code,
      message: error.message,
      ...(error.location && { location: error.location }),
      ...(error.hint !== undefined && { hint: error.hint }),
      ...(error.stack !== undefined && { stack: error.stack }),
    };
  }
  if (error instanceof Error) {
    const message = error.message === '' ? error.name : error.message;
    return { code: fallbackCode, message, ...(error.stack !== undefined && { stack: error.stack }) };
  }
  return { code: fallbackCode, message: typeof error === 'string' ? error : String(error) };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns whether an error has one of these codes: of the system, such as `ENOENT`, or of a {@link CodedError}. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

export function formatLocation(location: Location): string {
  const line = location.line === undefined ? '' : `:${location.line}`;
  const column = location.line === undefined || location.column === undefined ? '' : `:${location.column}`;
  return `${location.file}${line}${column}`;
}

/**
 * Formats a report as `where: what` and a second line with the hint. The stack is added only with `verbose`. The texts
 * can be those of others: they control no terminal, and all of their lines after the first are indented.
 */
export function formatReport(
  report: ErrorReport,
  options: { readonly verbose?: boolean; readonly codeLast?: boolean } = {},
): string {
  const where = report.location ? `${formatLocation(report.location)}: ` : '';
  const code = `[${report.code}]`;
  if (options.codeLast === true) {
    return withoutControl([`${where}${report.message}`, report.hint ?? '', code].filter(Boolean).join(' '));
  }
  const lines = [`${where}${report.message} ${code}`];
  if (report.hint !== undefined) lines.push(report.hint);
  const stack = options.verbose === true ? (report.stack ?? report.userStack) : report.userStack;
  if (stack !== undefined) lines.push(stack);
  return withoutControl(lines.join('\n')).replace(/\n(?! {2})/g, '\n  ');
}
