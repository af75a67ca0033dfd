import type { LocatorTarget } from './classes.ts';
import { namedPaths, searchFolders, type FactRequest } from './code/namedPaths.ts';
import { targetOf, writtenNames, type WrittenName } from './code/writtenLocators.ts';
import type { WorkspaceFacts } from './context.ts';

/**
 * Looks up what the rules will ask about the workspace: the paths, search folders and locators that the config names.
 * Never rejects: what cannot be looked up is not known.
 */
export async function collectFacts(request: FactRequest): Promise<WorkspaceFacts> {
  const [targets, folders] = await Promise.all([
    locatorTargets(request),
    searchFolders(request).catch(() => new Map<string, string>()),
  ]);
  // A workspace that has the config's code is the one that its paths are meant for.
  const isProject = [...targets.values()].some(({ status }) => status === 'found' || status === 'no-name');
  const paths = await namedPaths(request, isProject);
  return {
    exists: (text) => paths.get(text)?.exists,
    locator: (text) => targets.get(text),
    file: (text) => paths.get(text)?.file ?? folders.get(text),
    rows: (text) => paths.get(text)?.rows,
  };
}

async function locatorTargets(request: FactRequest): Promise<Map<string, LocatorTarget>> {
  const { file, cwd, paths, classes } = request.surroundings;
  const lookUp = (name: WrittenName): Promise<LocatorTarget> => {
    return targetOf(name, classes, cwd, paths.dirname(file));
  };
  const names = new Map(writtenNames(request.document, request.dialect).map((name) => [name.text, name]));
  const looked = [...names.values()].map(
    async (name) => [name.text, await lookUp(name).catch(() => elsewhere)] as const,
  );
  return new Map(await Promise.all(looked));
}

const elsewhere: LocatorTarget = { status: 'elsewhere' };
