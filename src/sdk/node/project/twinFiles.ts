import path from 'node:path';
import { filesBelow } from './copy.ts';
import type { Language, Twin } from './source.ts';

/** What it consists of in one of them: where a file lies, and its place in the project. */
export async function filesOfTwin(
  twin: Twin,
  language: Language,
): Promise<readonly { readonly from: string; readonly to: string }[]> {
  const own = await filesBelow(twin[language]);
  const shared = language === 'python' ? sharedWithPython(own, await filesBelow(twin.typescript)) : [];
  return [
    ...shared.map((file) => ({ from: path.join(twin.typescript, file), to: file })),
    ...own.map((file) => ({ from: path.join(twin[language], file), to: file })),
  ];
}

/**
 * The files of an example in Python: those of its own, and what it takes over from the one in TypeScript: data, and the
 * scripts that stand in for models, but nothing that has a namesake here. `llm_player.py` is the namesake of `llmPlayer.ts`.
 *
 * @param own in Python
 * @param other in TypeScript; as relative paths, like the others
 * @returns of `other`
 */
export function sharedWithPython(own: readonly string[], other: readonly string[]): readonly string[] {
  const taken = new Set(own.map(stemOf));
  const shared = other.filter((file) => !taken.has(stemOf(file)));
  if (shared.some(isScript)) return shared;
  return shared.filter((file) => !ofScripts.has(file));
}

/** What only serves scripts in TypeScript. */
const ofScripts: ReadonlySet<string> = new Set(['package.json', 'tsconfig.json']);

function isScript(file: string): boolean {
  return /\.m?ts$|\.mjs$/.test(file);
}

function stemOf(file: string): string {
  const { dir, name } = path.posix.parse(file);
  return path.posix.join(dir, name.replaceAll('_', '').toLowerCase());
}
