import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { projectErrors } from './errors.ts';

/** What becomes of one file. */
export type Piece = { readonly to: string } & ({ readonly from: string } | { readonly content: string });

/** Not part of what is copied: what runs leave behind, the SDK's types, and a test's golden file. */
const leftOut = new Set(['.agentjet', 'saved_experiments', 'dataset', '__pycache__', 'expected.txt']);

/** All files below a folder, sorted, as relative paths with `/`; none where there is no such folder. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const lists = entries
    .filter(({ name }) => !leftOut.has(name))
    .map(async (entry) => {
      if (!entry.isDirectory()) return [entry.name];
      const below = await filesBelow(path.join(folder, entry.name));
      return below.map((file) => path.posix.join(entry.name, file));
    });
  return (await Promise.all(lists)).flat().sort();
}

/**
 * Makes a folder of these pieces. Rejects with `project/already-there` where there is anything of that name, and with
 * `project/cannot-write`; then nothing is left behind.
 *
 * @param folder absolute; its parent has to be there
 * @param types the file with the SDK's types; placed where there is a tsconfig.json to name it
 */
export async function makeProject(folder: string, pieces: readonly Piece[], types: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    throw isTaken(error) ? projectErrors.alreadyThere(folder) : projectErrors.cannotWrite(folder, error);
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

/** Where a folder keeps the SDK's types, which its tsconfig.json has to name. */
export const typesFile = '.agentjet/types/agentjet.d.ts';

/** Only the file; it is not meant for version control. Safe to repeat; a repeat refreshes it. */
export async function placeTypes(folder: string, types: string): Promise<void> {
  const to = path.join(folder, typesFile);
  await mkdir(path.dirname(to), { recursive: true });
  await copyFile(types, to);
  await writeFile(path.join(folder, '.agentjet/.gitignore'), '*\n');
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}
