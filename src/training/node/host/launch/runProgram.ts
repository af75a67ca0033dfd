import { execFile } from 'node:child_process';

interface ProgramOptions {
  readonly milliseconds: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** `failed`: the exit code is not 0, or the program took too long or printed too much. */
interface ProgramResult {
  readonly kind: 'answered' | 'failed' | 'absent';
  readonly text: string;
}

/** Returns the output of a program. Null: it is missing or failed. */
export async function outputOf(
  command: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<string | null> {
  const { kind, text } = await runProgram(command, args, options);
  return kind === 'answered' ? text : null;
}

/** Runs a program without a shell. */
export function runProgram(
  command: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  const { milliseconds, env, cwd } = options;
  return new Promise((resolve) => {
    const limits = { timeout: milliseconds, killSignal: 'SIGKILL', maxBuffer: 1024 * 1024 } as const;
    const place = { ...(env && { env }), ...(cwd !== undefined && { cwd }) };
    const child = execFile(command, [...args], { ...limits, ...place, encoding: 'utf8' }, (error, stdout) => {
      // ENOTDIR and EACCES: PATH has an entry that is not a folder, or is not readable.
      const isAbsent = ['ENOENT', 'ENOTDIR', 'EACCES'].includes(String(error?.code));
      resolve({ kind: error === null ? 'answered' : isAbsent ? 'absent' : 'failed', text: stdout });
    });
    child.stdin?.end();
  });
}
