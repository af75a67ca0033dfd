/** The mark of a new project: says what the first window on its folder shows, until that window opens. */
import { lstat, mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

export const projectKinds = ['example', 'project'] as const;
export type ProjectKind = (typeof projectKinds)[number];

/** Relative to the folder of the project. `activationEvents` in `package.json` names it, too. */
export const firstWindowFile = '.agentjet/first-window';

export async function expectFirstWindow(folder: string, kind: ProjectKind): Promise<void> {
  const file = path.join(folder, firstWindowFile);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, kind);
}

/** Returns the kind of a project that no window has shown yet. Removes the file that says so. */
export async function takeFirstWindow(folder: string): Promise<ProjectKind | undefined> {
  const file = path.join(folder, firstWindowFile);
  const status = await lstat(file).catch(() => undefined);
  if (status === undefined || !status.isFile() || status.size > 20) return undefined;
  const kind = await readFile(file, 'utf8');
  await rm(file, { force: true });
  // The folder stays if it has the types of the SDK.
  await rmdir(path.dirname(file)).catch(() => undefined);
  return projectKinds.find((known) => known === kind);
}
