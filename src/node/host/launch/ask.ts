import { execFile } from 'node:child_process';

/** What a program printed; null: it is not there, failed, took too long or printed too much. No shell is involved. */
export function ask(
  command: string,
  args: readonly string[],
  options: { readonly milliseconds: number; readonly env?: NodeJS.ProcessEnv; readonly cwd?: string },
): Promise<string | null> {
  const { milliseconds, env, cwd } = options;
  return new Promise((resolve) => {
    const limits = { timeout: milliseconds, killSignal: 'SIGKILL', maxBuffer: 1024 * 1024 } as const;
    const place = { ...(env && { env }), ...(cwd !== undefined && { cwd }) };
    const child = execFile(command, [...args], { ...limits, ...place, encoding: 'utf8' }, (error, stdout) => {
      resolve(error === null ? stdout : null);
    });
    child.stdin?.end();
  });
}
