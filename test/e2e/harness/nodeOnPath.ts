/** The PATH of the editor under test. Debuggees run the first `node` on it. */
import { mkdir, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { existsSync } from 'node:fs';

/** Returns the environment's PATH with the project's Node.js first (Node 24). */
export function pathWithProjectNode(root: string, current = process.env['PATH'] ?? ''): string {
  return [path.join(root, 'node_modules/node/bin'), ...withoutPackages(current)].join(path.delimiter);
}

/**
 * Returns the environment's PATH without any `node`. A folder that contains `node` and other programs, such as /usr/bin,
 * is replaced by a folder below `temp` with links to the others.
 */
export async function pathWithoutNode(temp: string, current = process.env['PATH'] ?? ''): Promise<string> {
  const folders = await Promise.all(
    withoutPackages(current).map(async (folder, index) =>
      hasNode(folder) ? linksWithoutNode(folder, path.join(temp, `path-${index}`)) : folder,
    ),
  );
  return folders.join(path.delimiter);
}

/** Removes the node_modules/.bin folders that npm adds to PATH, because users of the editor do not have them. */
function withoutPackages(searchPath: string): readonly string[] {
  const folders = searchPath.split(path.delimiter).filter((folder) => folder !== '');
  return [...new Set(folders)].filter((folder) => !folder.split(path.sep).includes('node_modules'));
}

function hasNode(folder: string): boolean {
  return ['node', 'node.exe', 'node.cmd'].some((name) => existsSync(path.join(folder, name)));
}

async function linksWithoutNode(folder: string, links: string): Promise<string> {
  await mkdir(links, { recursive: true });
  const names = (await readdir(folder)).filter((name) => !/^(node|nodejs|npm|npx|corepack)(\.|$)/.test(name));
  await Promise.all(names.map((name) => symlink(path.join(folder, name), path.join(links, name))));
  return links;
}
