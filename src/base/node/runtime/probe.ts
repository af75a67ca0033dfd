import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import process from 'node:process';
import { isRecord } from '../../core/isRecord.ts';
import { parseJson } from '../../core/parseJson.ts';
import { childEnvironment } from '../process/environment.ts';

export interface RuntimeFeatures {
  /** Has synchronous module hooks, which are needed to load user code. */
  readonly registerHooks: boolean;
  /** Runs TypeScript without its compiler. */
  readonly stripTypes: boolean;
  readonly sqlite: boolean;
}

export type ProbeResult =
  | { readonly ok: true; readonly version: string; readonly features: RuntimeFeatures }
  /** A clause that follows "which", e.g. `cannot be run: …`. */
  | { readonly ok: false; readonly reason: string };

/** The reason if the file does not exist. */
export const missing = 'does not exist';

/** @param env variables that make the executable run as Node.js, added to the environment of this process */
export type Probe = (executable: string, env: Readonly<Record<string, string>>) => Promise<ProbeResult>;

const timeLimit = 10_000;

const program = `JSON.stringify({
  version: process.versions.node,
  registerHooks: typeof require('node:module').registerHooks === 'function',
  stripTypes: Boolean(process.features.typescript),
  sqlite: require('node:module').isBuiltin('node:sqlite'),
})`;

/** Returns a probe that runs each executable once (about 50 ms), and again if the file changes. */
export function createProbe(): Probe {
  const known = new Map<string, ProbeResult>();
  return async (executable, env) => {
    const file = await stat(executable).catch(() => undefined);
    if (file === undefined) return { ok: false, reason: missing };
    const key = JSON.stringify([executable, file.mtimeMs, file.size, env]);
    const before = known.get(key);
    if (before !== undefined) return before;
    const result = await run(executable, env);
    // Failures are not cached, since they can be temporary, such as a slow disk.
    if (result.ok) known.set(key, result);
    return result;
  };
}

function run(executable: string, env: Readonly<Record<string, string>>): Promise<ProbeResult> {
  const options = {
    env: childEnvironment(process.env, [env], process.platform),
    timeout: timeLimit,
    windowsHide: true,
  };
  return new Promise((resolve) => {
    execFile(executable, ['-p', program], options, (error, stdout, stderr) => {
      if (error === null) resolve(parse(stdout));
      else if (error.killed === true) resolve(unusable(`did not respond within ${timeLimit / 1000} s`));
      else resolve(unusable(`cannot be run: ${firstLine(stderr) || error.message}`));
    });
  });
}

function parse(stdout: string): ProbeResult {
  const answer = parseJson(stdout);
  if (!isRecord(answer) || typeof answer['version'] !== 'string') return unusable('is not Node');
  const has = (feature: keyof RuntimeFeatures): boolean => answer[feature] === true;
  const features = {
    registerHooks: has('registerHooks'),
    stripTypes: has('stripTypes'),
    sqlite: has('sqlite'),
  };
  return { ok: true, version: answer['version'], features };
}

function unusable(reason: string): ProbeResult {
  return { ok: false, reason };
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
