import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../../../base/core/errors.ts';
import { projectErrors } from './errors.ts';
import type { Language, Twin } from './source.ts';

export type Piece = { readonly to: string } & ({ readonly from: string } | { readonly content: string });

/** Names that are not copied: outputs of runs, the types of the SDK, and the expected output of tests. */
const excluded = new Set(['.agentjet', 'saved_experiments', 'dataset', '__pycache__', 'expected.txt']);

/** Returns the sorted relative paths of all files below a folder, with `/`. Empty if the folder does not exist. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const lists = entries
    .filter(({ name }) => !excluded.has(name))
    .map(async (entry) => {
      if (!entry.isDirectory()) return [entry.name];
      const below = await filesBelow(path.join(folder, entry.name));
      return below.map((file) => path.posix.join(entry.name, file));
    });
  return (await Promise.all(lists)).flat().sort();
}

/**
 * Creates a folder with the given files. Rejects with `project/already-there` if the path exists, or with
 * `project/cannot-write`, and then removes the folder.
 *
 * @param folder absolute; its parent must exist
 * @param types the file with the types of the SDK; copied if the project has a tsconfig.json
 */
export async function makeProject(folder: string, pieces: readonly Piece[], types: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw projectErrors.alreadyThere(folder);
    throw projectErrors.cannotWrite(folder, error);
  }
  try {
    for (const piece of pieces) await put(folder, piece);
    if (pieces.some(({ to }) => to === 'tsconfig.json')) await placeTypes(folder, types);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw projectErrors.cannotWrite(folder, error);
  }
}

async function put(folder: string, piece: Piece): Promise<void> {
  const to = path.join(folder, piece.to);
  await mkdir(path.dirname(to), { recursive: true });
  if ('from' in piece) await copyFile(piece.from, to);
  else await writeFile(to, piece.content);
}

/** The path of the SDK types in a project. Its tsconfig.json refers to it. */
export const typesFile = '.agentjet/types/agentjet.d.ts';

/** Copies or updates the SDK types, without the tsconfig.json. Git ignores the file. */
export async function placeTypes(folder: string, types: string): Promise<void> {
  const to = path.join(folder, typesFile);
  await mkdir(path.dirname(to), { recursive: true });
  await copyFile(types, to);
  await writeFile(path.join(folder, '.agentjet/.gitignore'), '*\n');
}

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
 * Returns the files that a Python example shares with its TypeScript form: data, and scripts that replace models. A file
 * with a Python counterpart is not shared, such as `llmPlayer.ts` with `llm_player.py`.
 */
export function sharedWithPython(own: readonly string[], other: readonly string[]): readonly string[] {
  const taken = new Set(own.map(stemOf));
  const shared = other.filter((file) => !taken.has(stemOf(file)));
  const hasScripts = shared.some((file) => /\.m?ts$|\.mjs$/.test(file));
  return hasScripts ? shared : shared.filter((file) => !ofScripts.has(file));
}

const ofScripts: ReadonlySet<string> = new Set(['package.json', 'tsconfig.json']);

function stemOf(file: string): string {
  const { dir, name } = path.posix.parse(file);
  return path.posix.join(dir, name.replaceAll('_', '').toLowerCase());
}
