import path from 'node:path';
import { companionSource } from '../../../core/runs/markers.ts';
import { entriesOf } from './entries.ts';

/** `<tag>.<hash>.<machine>.log`, in the launcher's working folder. */
const folder = 'saved_experiments/companion_logs/companion';
const named = /^(?<tag>.+)\.(?<hash>[0-9a-f]{8})\..+\.log$/;

/**
 * The logs of what AgentJet's launcher has started beside training, Ray with `--with-ray` and environment services, by the
 * names of their sources.
 *
 * @param code the launcher's working folder, absolute
 */
export async function companionLogs(code: string): Promise<(readonly [source: string, file: string])[]> {
  const found = new Map<string, string>();
  const entries = await entriesOf(path.join(code, folder));
  for (const { name } of entries.filter((entry) => entry.isFile()).sort(byName)) {
    const { tag, hash } = named.exec(name)?.groups ?? {};
    if (tag === undefined || hash === undefined) continue;
    const source = companionSource(tag);
    found.set(found.has(source) ? `${source}.${hash}` : source, path.join(code, folder, name));
  }
  return [...found];
}

const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name < other.name ? -1 : 1;
