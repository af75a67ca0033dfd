import { CodedError, messageOf } from '../../core/errors.ts';
import type { ProcessExit } from './processTree.ts';

export const processErrors = {
  cannotStart: (executable: string, cause: unknown) =>
    new CodedError({
      code: 'run/cannot-start',
      message: `${executable} could not be started: ${messageOf(cause)}.`,
      hint: 'Check --runtime FILE (launch.json: runtimeExecutable), and check that the working directory of the run exists.',
      cause,
    }),

  died: (exit: ProcessExit, lastLines: readonly string[]) =>
    new CodedError({
      code: 'run/process-died',
      message: `The process of the run ended before the run: ${howItEnded(exit)}.${quoted(lastLines)}`,
      hint: hintFor(exit, lastLines),
    }),

  noInspector: () =>
    new CodedError({
      code: 'run/no-inspector',
      message: 'The process of the run ended before a debugger could attach to it.',
      hint: 'See the output of the process on stderr.',
    }),
};

function howItEnded({ code, signal }: ProcessExit): string {
  return signal === null ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`;
}

function quoted(lines: readonly string[]): string {
  return lines.length === 0 ? '' : ` Its last lines on stderr:\n${lines.join('\n')}`;
}

function hintFor({ code, signal }: ProcessExit, lastLines: readonly string[]): string {
  // Node.js writes fatal errors to stderr. A call of process.exit() may write nothing.
  if (code === 0 || (code !== null && lastLines.length === 0)) {
    return 'The workflow or one of its packages called process.exit(). Return from execute() or throw an error instead.';
  }
  if (signal === 'SIGKILL') {
    return 'Another process killed it. On Linux, the usual cause is that the system is out of memory.';
  }
  if (signal === 'SIGABRT' || code === 134) {
    return 'Node.js aborted, usually because it was out of memory. Run fewer episodes in parallel, or increase --max-old-space-size.';
  }
  return 'See its output on stderr. An error thrown in a timer or event handler ends the whole process.';
}
