import { execFile } from 'node:child_process';

interface ProgramOptions {
  readonly milliseconds: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** `failed`: with another exit code than 0, or it took too long or printed too much. */
interface ProgramResult {
  readonly kind: 'answered' | 'failed' | 'absent';
  readonly text: string;
}

/** What a program printed; null: it is not there, failed, took too long or printed too much. */
export async function outputOf(
  command: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<string | null> {
  const { kind, text } = await runProgram(command, args, options);
  return kind === 'answered' ? text : null;
}

/** No shell is involved. */
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
      // The second and third: of a folder on PATH that is none, or that may not be looked into.
      const isAbsent = ['ENOENT', 'ENOTDIR', 'EACCES'].includes(String(error?.code));
      resolve({ kind: error === null ? 'answered' : isAbsent ? 'absent' : 'failed', text: stdout });
    });
    child.stdin?.end();
  });
}
