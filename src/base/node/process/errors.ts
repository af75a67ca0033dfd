import { CodedError } from '../../core/errors.ts';
import type { ProcessExit } from './processTree.ts';

export const processErrors = {
  cannotStart: (executable: string, cause: unknown) =>
    new CodedError(
      {
        code: 'run/cannot-start',
        message: `${executable} could not be started: ${cause instanceof Error ? cause.message : String(cause)}.`,
        hint: 'Check "agentjet.runtimeExecutable" and that the working folder of the run exists.',
      },
      { cause },
    ),

  died: (exit: ProcessExit, lastLines: readonly string[]) =>
    new CodedError({
      code: 'run/process-died',
      message: `The process of the run ended before the run did: ${howItEnded(exit)}.${quoted(lastLines)}`,
      hint: hintFor(exit, lastLines),
    }),

  noInspector: () =>
    new CodedError({
      code: 'run/no-inspector',
      message: 'The process of the run ended before a debugger could attach to it.',
      hint: 'See what the process wrote to stderr.',
    }),
};

function howItEnded({ code, signal }: ProcessExit): string {
  return signal === null ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`;
}

function quoted(lines: readonly string[]): string {
  return lines.length === 0 ? '' : ` The last it wrote to stderr:\n${lines.join('\n')}`;
}

function hintFor({ code, signal }: ProcessExit, lastLines: readonly string[]): string {
  // Node.js writes fatal errors to stderr. A call of process.exit() may write nothing.
  if (code === 0 || (code !== null && lastLines.length === 0)) {
    return 'The workflow, or a package it uses, called process.exit(): return from execute() or throw instead.';
  }
  if (signal === 'SIGKILL') {
    return 'Something outside the run killed it; on Linux that is often the system running out of memory.';
  }
  if (signal === 'SIGABRT' || code === 134) {
    return 'Node aborted, most often for lack of memory: run fewer episodes in parallel or raise --max-old-space-size.';
  }
  return 'See what it wrote to stderr; an error thrown in a timer or event handler ends the whole process.';
}
