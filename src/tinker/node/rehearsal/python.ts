/** Finds a Python that the packages of a rehearsal are pinned for. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import * as z from 'zod/mini';
import { parseJson } from '../../../base/core/parseJson.ts';
import { type CacheEnvironment, notEmpty } from '../../../base/node/cacheFolder.ts';
import { localFiles } from '../../../base/node/files.ts';
import { rehearsalErrors } from './errors.ts';

const answer = z.object({
  executable: z.string(),
  /** E.g. `3.12.1`. */
  version: z.string(),
  /** Debian ships Python without the modules that create environments. */
  hasVenv: z.boolean(),
});
export type FoundPython = z.infer<typeof answer>;

/** Runs a Python. Resolves to undefined if it does not exist or only fails, such as a shim of pyenv. */
export type PythonProbe = (executable: string) => Promise<FoundPython | undefined>;

const program = `import importlib.util, json, sys
has = all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))
print(json.dumps({"executable": sys.executable, "version": "%d.%d.%d" % sys.version_info[:3], "hasVenv": has}))`;
const timeLimit = 10_000;

export function pythonProbe(env: Readonly<Record<string, string>>): PythonProbe {
  return (executable) =>
    new Promise((resolve) => {
      const options = { env, timeout: timeLimit, windowsHide: true };
      execFile(executable, ['-I', '-c', program], options, (_, stdout) =>
        resolve(answer.safeParse(parseJson(stdout)).data),
      );
    });
}

/**
 * Resolves to the chosen Python, or the first suitable one. Python 3.11 is the last choice, because it has an older
 * server. Rejects with `rehearsal/no-python`.
 */
export async function findRehearsalPython(
  candidates: readonly string[],
  probe: PythonProbe,
): Promise<FoundPython> {
  const tried = new Map<string, string>();
  let older: FoundPython | undefined;
  for (const candidate of candidates) {
    const found = await probe(candidate);
    if (found === undefined) {
      // Most candidates do not exist, but a chosen one should.
      if (candidates.length === 1) tried.set(candidate, `${candidate} does not run`);
      continue;
    }
    const { executable, version, hasVenv } = found;
    const [, minor] = /^3\.(1[123])\./.exec(version) ?? [];
    if (minor !== undefined && hasVenv) {
      if (minor !== '11') return found;
      older ??= found;
    }
    const problem = minor !== undefined && !hasVenv ? ' without the module venv' : '';
    tried.set(executable, `${executable} is Python ${version}${problem}`);
  }
  if (older === undefined) throw rehearsalErrors.noPython([...tried.values()]);
  return older;
}

/** Returns the names and paths that a suitable Python can have, the best first. */
export async function pythonCandidates(places: CacheEnvironment): Promise<readonly string[]> {
  const { env, home, platform } = places;
  const pyenv = path.join(notEmpty(env['PYENV_ROOT']) ?? path.join(home, '.pyenv'), 'versions');
  const uv = path.join(home, '.local', 'share', 'uv', 'python');
  const installed = (
    await Promise.all(
      [pyenv, uv].map(async (folder) =>
        ((await localFiles.folders?.(folder)) ?? [])
          .filter((name) => /^(?:cpython-)?3\.1[123]\./.test(name))
          .map((name) => path.join(folder, name, 'bin', 'python3')),
      ),
    )
  ).flat();
  // The editor's PATH on macOS does not have the folders of Homebrew.
  const folders = platform === 'darwin' ? ['', '/opt/homebrew/bin/', '/usr/local/bin/'] : [''];
  const names = platform === 'win32' ? ['python'] : ['python3.12', 'python3.13', 'python3', 'python3.11'];
  return [...folders.flatMap((folder) => names.map((name) => folder + name)), ...installed];
}
