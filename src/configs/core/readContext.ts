import type { LocatorTarget } from './code/classes.ts';
import { namedPaths, searchFolders, type ReferenceRequest } from './code/namedPaths.ts';
import { targetOf, writtenNames, type WrittenName } from './code/writtenLocators.ts';
import { compose } from './compose.ts';
import { configScriptOf } from './configScript.ts';
import type { ConfigContext, ConfigEnvironment, ResolvedReferences } from './context.ts';
import type { Dialect } from './dialect.ts';
import type { ConfigDocument } from './parse.ts';

/** Composes a config and resolves its references. Rejects only when a file exists but cannot be read. */
export async function readContext(
  document: ConfigDocument,
  written: Dialect,
  configEnvironment: ConfigEnvironment,
): Promise<ConfigContext> {
  const composition = await compose({
    ...configEnvironment,
    text: document.text,
    document,
    dialect: written,
  });
  const { dialect = written } = composition;
  const references = await resolveReferences({
    document,
    dialect,
    composition,
    configEnvironment,
  });
  return { document, dialect, file: configEnvironment.file, composition, references };
}

/**
 * Looks up the paths, search folders and locators that a config names, so that rules are synchronous. Never rejects:
 * what cannot be looked up is unknown.
 */
async function resolveReferences(request: ReferenceRequest): Promise<ResolvedReferences> {
  const { document, dialect, configEnvironment } = request;
  const { script: findScript = () => configScriptOf(configEnvironment.file, configEnvironment) } =
    configEnvironment;
  const isWhole = dialect.id === 'trinity' && document.text.includes('default_workflow_type');
  const [targets, folders, script] = await Promise.all([
    locatorTargets(request),
    searchFolders(request).catch(() => new Map<string, string>()),
    isWhole ? undefined : findScript().catch(() => undefined),
  ]);
  // The paths are meant for the workspace that has the config's code.
  const isProject = [...targets.values()].some(({ status }) => status === 'found' || status === 'no-name');
  const paths = await namedPaths(request, isProject);
  return {
    exists: (text) => paths.get(text)?.exists,
    locator: (text) => targets.get(text),
    file: (text) => paths.get(text)?.file ?? folders.get(text),
    similar: (text) => paths.get(text)?.similar,
    rows: (text) => paths.get(text)?.rows,
    script,
  };
}

async function locatorTargets(request: ReferenceRequest): Promise<Map<string, LocatorTarget>> {
  const { file, cwd, paths, classes } = request.configEnvironment;
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
