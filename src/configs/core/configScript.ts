/** The Python script that completes a config: with a call of AgentScope's `tune(…)`, or as the base of an `AgentJetJob`. */
import type { FileReader, PathRules } from '../../base/core/ports.ts';
import { scanJobArguments, scanTuneCalls } from './code/tuneScan.ts';
import { jobArguments } from './jobTree.ts';
import type { TuneCall } from './trinity/tuneCall.ts';
import { keysSetBy } from './trinity/tuneConfig.ts';

export interface ConfigScript {
  /** The package of `tune`; undefined for a job. */
  readonly package?: TuneCall['package'];
  /** The keys that the script sets, dotted. */
  readonly sets: readonly string[];
}

const mostScripts = 50;

/** Finds the script in the folder of the config or the one above. It names the config. */
export async function configScriptOf(
  file: string,
  { files, paths }: { readonly files: FileReader; readonly paths: PathRules },
): Promise<ConfigScript | undefined> {
  const folder = paths.dirname(file);
  const name = paths.basename(file);
  for (const at of [folder, paths.dirname(folder)]) {
    const scripts = (await files.list(at)).filter((one) => one.endsWith('.py')).slice(0, mostScripts);
    for (const script of scripts) {
      const text = await files.readText(paths.resolve(at, script)).catch(() => undefined); // as good as none
      if (text?.includes(name) !== true) continue;
      const calls = scanTuneCalls(text).flatMap(({ given }) => (given === undefined ? [] : [given]));
      const isOlder = /\bagentscope\.tune\b|\bagentscope\s+import\s+tune\b/.test(text);
      if (calls.length > 0) return { package: isOlder ? 'tune' : 'tuner', sets: keysSetBy(calls.flat()) };
      const jobs = scanJobArguments(text).filter((given) => given.includes('base_yaml_config'));
      if (jobs.length > 0) return { sets: keysOfJob(jobs.flat(), text) };
    }
  }
  return undefined;
}

/** Returns the keys that arguments, methods and assignments to `job.config` set. */
function keysOfJob(given: readonly string[], text: string): string[] {
  const assigned = [...text.matchAll(/\.config\.ajet\.([\w.]+)\s*=(?!=)/g)].map(([, key = '']) => key);
  return [
    ...given.flatMap((name) => jobArguments[name] ?? []),
    ...(/\.set_workflow\s*\(/.test(text) ? ['rollout.user_workflow'] : []),
    ...(/\.set_data\s*\(|\.ajet\.task_reader\b/.test(text) ? ['task_reader'] : []),
    ...assigned,
  ].map((key) => `ajet.${key}`);
}

/** Returns true if the script sets a key, or all of its section. */
export function isSetBy(script: ConfigScript | undefined, path: string): boolean {
  return script?.sets.some((set) => path === set || path.startsWith(`${set}.`)) === true;
}
