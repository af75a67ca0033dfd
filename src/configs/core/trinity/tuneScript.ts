/** The script that completes a Trinity-RFT config with a call of AgentScope's `tune(…)`. */
import type { FileReader, PathRules } from '../../../base/core/ports.ts';
import { scanTuneCalls } from '../code/tuneScan.ts';
import type { TuneCall } from './tuneCall.ts';
import { keysSetBy } from './tuneConfig.ts';

export interface TuneScript {
  readonly package: TuneCall['package'];
  /** The keys that the call sets, dotted. */
  readonly sets: readonly string[];
}

const mostScripts = 50;

/** Finds the script in the folder of the config or the one above: it names the config, and calls `tune`. */
export async function tuneScriptOf(
  file: string,
  { files, paths }: { readonly files: FileReader; readonly paths: PathRules },
): Promise<TuneScript | undefined> {
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
    }
  }
  return undefined;
}

/** Returns true if the script sets a key, or all of its section. */
export function isSetBy(script: TuneScript | undefined, path: string): boolean {
  return script?.sets.some((set) => path === set || path.startsWith(`${set}.`)) === true;
}
