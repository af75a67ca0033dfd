/**
 * Prepares a TypeScript workflow or judge for training: the config that upstream loads instead, and the files it
 * needs on the host.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { CodedError } from '../../../base/core/errors.ts';
import { compose } from '../../../configs/core/compose.ts';
import { dialectOf } from '../../../configs/core/dialect.ts';
import type { Environment } from '../../../configs/core/interpolation/host.ts';
import { isPython, parseLocator } from '../../../configs/core/locator.ts';
import { valueAt, type MappingValue } from '../../../configs/core/value.ts';
import type { Finding } from '../../core/protocol/hostRpc.ts';
import { bridgedFile, bridgePackage, type BridgedCode } from '../../core/protocol/bridge.ts';
import { error, warning } from '../../core/launch/findings.ts';
import { setConfigKeys } from '../../core/launch/resume.ts';
import type { AddedFile, Tree } from '../../core/sync/tree.ts';
import { localFiles } from '../../../base/node/files.ts';
import { scanImports } from './importScan.ts';

export interface BridgeRequest {
  /** The absolute path of the config, and its text. */
  readonly config: string;
  readonly text: string;
  readonly tree: Pick<Tree, 'files'>;
  /** The absolute root of the dispatch. */
  readonly root: string;
  readonly environment: Environment;
}

export interface Bridge {
  /** The config to send, with the workflow or judge of the bridge. */
  readonly text: string;
  /** The files to add, without the config. */
  readonly files: readonly AddedFile[];
  readonly findings: readonly Finding[];
}

const serverKeys = ['enable_experimental_interchange_server', 'enable_interchange_server'];

const kinds = [
  { kind: 'workflow', key: 'ajet.rollout.user_workflow', bridge: `${bridgePackage}->TypeScriptWorkflow` },
  { kind: 'judge', key: 'ajet.task_judge.judge_protocol', bridge: `${bridgePackage}->TypeScriptJudge` },
] as const;

interface BridgedExport {
  readonly key: string;
  readonly where: string;
  readonly name: string;
  /** The path from the root, with `/`. */
  readonly file: string;
  readonly isSent: boolean;
}

/** Returns the changes for a config with TypeScript or JavaScript, or else undefined. Rejects with a CodedError. */
export async function bridgeTo(request: BridgeRequest): Promise<Bridge | undefined> {
  const { config, text, root, tree, environment } = request;
  const dialect = dialectOf(text);
  if (dialect?.id !== 'ajet') return undefined;
  const composed = await compose({
    ...{ file: config, text, dialect, cwd: root, files: localFiles, paths: path, environment },
  });
  const named = kinds.flatMap(({ kind, key, bridge }) => {
    const found = namedBy(composed.config.root, key, request);
    return found === undefined ? [] : [{ ...found, kind, bridge }];
  });
  if (named.length === 0) return undefined;
  if (tree.files.some((file) => new RegExp(`^${bridgePackage}(?:\\.py$|/)`).test(file.path)))
    throw nameTaken();
  const sent = named.filter(({ isSent }) => isSent).map(({ file }) => path.join(root, file));
  const imports = await scanImports(sent, root);
  const serves = serverKeys.some((key) => isTrue(composed.config.root, `ajet.${key}`));
  const server = imports.asksForKey && !serves ? [[`ajet.${serverKeys[0] ?? ''}`, true] as const] : [];
  const exports = Object.fromEntries(
    named.map(({ kind, file, name }): [string, BridgedCode] => [kind, { file, name }]),
  );
  return {
    text: setConfigKeys(text, [...named.map(({ key, bridge }) => [key, bridge] as const), ...server]),
    files: await filesOf({ workflow: null, judge: null, ...exports }, imports.needsCompiler),
    findings: [
      ...named.filter(({ isSent }) => !isSent).map(notSent),
      ...packageFindings(imports.packages, tree, named[0]?.key),
    ],
  };
}

function namedBy(config: MappingValue, key: string, request: BridgeRequest): BridgedExport | undefined {
  const value = valueAt(config, key);
  if (value?.kind !== 'scalar' || typeof value.value !== 'string') return undefined;
  const parsed = parseLocator(value.value);
  if (!parsed.ok || isPython(parsed.locator)) return undefined;
  const { where, name } = parsed.locator;
  const { root, config: file, tree } = request;
  const folders = [root, path.dirname(file)];
  const inside = folders.map((folder) =>
    path.relative(root, path.resolve(folder, where)).split(path.sep).join('/'),
  );
  const found = inside.find((one) => tree.files.some((sent) => sent.path === one));
  return { key, where, name, file: found ?? inside[0] ?? where, isSent: found !== undefined };
}

function isTrue(config: MappingValue, key: string): boolean {
  const value = valueAt(config, key);
  return value?.kind === 'scalar' && value.value === true;
}

/** Returns the Python modules, the program for its Node processes, and the files that both load. */
async function filesOf(exports: unknown, needsCompiler: boolean): Promise<AddedFile[]> {
  const own = import.meta.dirname;
  const python = path.join(own, 'python', bridgePackage);
  const sources = (await readdir(python)).filter((name) => name.endsWith('.py')).sort();
  const program = ['bridge.mjs', 'sdk.mjs', ...(needsCompiler ? ['typescript.cjs'] : [])];
  const read = async (folder: string, name: string): Promise<AddedFile> => ({
    path: `${bridgePackage}/${name}`,
    content: await readFile(path.join(folder, name)),
  });
  const files = await Promise.all([
    ...sources.map((name) => read(python, name)),
    ...program.map((name) => read(own, name)),
  ]);
  return [
    ...files,
    { path: `${bridgePackage}/${bridgedFile}`, content: Buffer.from(JSON.stringify(exports)) },
  ];
}

function notSent({ key, where }: BridgedExport): Finding {
  const hint =
    'Correct the path, which is relative to the folder that is sent or to the config. Also check that .gitignore and .agentjetignore do not exclude it.';
  return error('workflow-not-sent', `The file \`${where}\` is not sent.`, { hint, key });
}

function packageFindings(
  packages: ReadonlySet<string>,
  { files }: Pick<Tree, 'files'>,
  key: string | undefined,
): Finding[] {
  const sent = new Set(
    files.flatMap(({ path: file }) => /(?:^|\/)node_modules\/(.+)\/package\.json$/.exec(file)?.[1] ?? []),
  );
  const missing = [...packages].filter((name) => !sent.has(name)).sort();
  if (missing.length === 0) return [];
  const names = missing.map((name) => `\`${name}\``).join(', ');
  const message = `The workflow imports ${names}, which ${missing.length === 1 ? 'is' : 'are'} not sent: node_modules is excluded.`;
  const hint =
    'Add the line `!node_modules/` to .agentjetignore, or install the packages in a folder above the runs on the host.';
  return [warning('node-packages', message, { hint, key })];
}

function nameTaken(): CodedError {
  return new CodedError({
    code: 'dispatch/bridge-name',
    message: `The folder that is sent contains ${bridgePackage}, which is the name of the package that runs TypeScript in training.`,
    hint: 'Rename it, or exclude it in .agentjetignore.',
  });
}
