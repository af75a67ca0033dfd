/** Selects the Node.js that runs workflows or reads traces. */
import path from 'node:path';
import { missing, type Probe, type ProbeResult, type RuntimeFeatures } from './probe.ts';
import { CodedError } from '../../core/errors.ts';

export interface RuntimeSearch {
  /** `agentjet.runtimeExecutable`: a path, or a name on PATH. */
  readonly setting?: string | undefined;
  readonly path: string;
  /** The executable of the editor, which runs as Node.js with `ELECTRON_RUN_AS_NODE`; or a Node.js. */
  readonly editorExecPath?: string | undefined;
  readonly platform: NodeJS.Platform;
  readonly probe: Probe;
  readonly purpose?: Purpose | undefined;
}

/** The use of a runtime. `traces` accepts any Node.js with SQLite. */
export type Purpose = 'workflows' | 'traces';

export interface Runtime {
  readonly executable: string;
  /** Variables that its processes need in addition to their environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly version: string;
  readonly features: RuntimeFeatures;
  readonly why: 'setting' | 'path' | 'editor';
}

type Candidate = Pick<Runtime, 'executable' | 'env' | 'why'>;

/**
 * Returns the Node.js of the setting, or else the first usable `node` on PATH, or else that of the editor. Rejects with
 * `runtime/setting-unusable` or `runtime/none-found`. An unusable setting is not replaced by another runtime.
 */
export async function chooseRuntime(search: RuntimeSearch): Promise<Runtime> {
  const { setting } = search;
  if (setting !== undefined && setting !== '') return fromSetting(setting, search);
  const { probe, purpose = 'workflows' } = search;
  /** By what is wrong: several paths are often links to one Node.js. */
  const tried = new Map<string, string>();
  for (const candidate of [...nodesOnPath(search), ...editorsOwn(search)]) {
    const result = await probe(candidate.executable, candidate.env);
    if (isUsable(result, purpose))
      return { ...candidate, version: result.version, features: result.features };
    const problem = shortcoming(result, purpose);
    if (!isMissing(result) && !tried.has(problem))
      tried.set(problem, `${candidate.executable}, which ${problem}`);
  }
  throw runtimeErrors.noneFound(purpose, [...tried.values()]);
}

/** Returns one line for the log, e.g. `Node 24.1.0 at /usr/bin/node (first on PATH that will do)`. */
export function describeRuntime({ version, executable, why, features }: Runtime): string {
  const types = features.stripTypes ? '' : '; compiles TypeScript';
  return `Node ${version} at ${executable} (${reasons[why]})${types}`;
}

const reasons: Readonly<Record<Runtime['why'], string>> = {
  setting: 'set by "agentjet.runtimeExecutable"',
  path: 'the first suitable one on PATH',
  editor: 'that of the editor, because none on PATH is suitable',
};

async function fromSetting(setting: string, search: RuntimeSearch): Promise<Runtime> {
  const { probe, purpose = 'workflows' } = search;
  const isPath = /[\\/]/.test(setting);
  let failure: ProbeResult = { ok: false, reason: isPath ? missing : 'is not on PATH' };
  for (const executable of isPath ? [setting] : executablesOnPath(setting, search)) {
    const result = await probe(executable, {});
    if (isUsable(result, purpose)) {
      return { executable, env: {}, why: 'setting', version: result.version, features: result.features };
    }
    if (!isMissing(result)) failure = result;
  }
  throw runtimeErrors.settingUnusable(setting, shortcoming(failure, purpose));
}

function nodesOnPath(search: RuntimeSearch): Candidate[] {
  return executablesOnPath('node', search).map((executable) => ({ executable, env: {}, why: 'path' }));
}

function editorsOwn({ editorExecPath }: RuntimeSearch): Candidate[] {
  if (editorExecPath === undefined) return [];
  return [{ executable: editorExecPath, env: { ELECTRON_RUN_AS_NODE: '1' }, why: 'editor' }];
}

/** Returns the paths that a program can have in the folders of PATH. The files may not exist. */
function executablesOnPath(name: string, { path: folders, platform }: RuntimeSearch): string[] {
  const rules = platform === 'win32' ? path.win32 : path.posix;
  // Without a shell, Windows starts only .exe files. A shell would separate us from the process.
  const file = platform === 'win32' && !/\.exe$/i.test(name) ? `${name}.exe` : name;
  const named = folders.split(rules.delimiter).map((folder) => folder.replace(/^"(.*)"$/, '$1'));
  // Relative folders are ignored, since the runtime must not depend on the working directory.
  return [
    ...new Set(named.filter((folder) => rules.isAbsolute(folder)).map((folder) => rules.join(folder, file))),
  ];
}

function isUsable(result: ProbeResult, purpose: Purpose): result is Extract<ProbeResult, { ok: true }> {
  if (!result.ok) return false;
  const { sqlite, registerHooks } = result.features;
  return purpose === 'traces' ? sqlite : isNewEnough(result.version) && registerHooks;
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

function isMissing(result: ProbeResult): boolean {
  return !result.ok && result.reason === missing;
}

/** Returns a clause that follows "which". */
function shortcoming(result: ProbeResult, purpose: Purpose): string {
  if (!result.ok) return result.reason;
  if (purpose === 'traces') return `is Node ${result.version} without node:sqlite`;
  return isNewEnough(result.version)
    ? `is Node ${result.version} without module.registerHooks`
    : `is Node ${result.version}`;
}

const needed = 'Node.js 22.18 or later';
const option = '--runtime FILE (launch.json: runtimeExecutable)';

export const runtimeErrors = {
  settingUnusable: (value: string, found: string) =>
    new CodedError({
      code: 'runtime/setting-unusable',
      message: `The configured Node.js, ${value}, ${found}. AgentJet needs ${needed}.`,
      hint: `Set ${option} to such a version, or remove it so that AgentJet finds one.`,
    }),

  noneFound: (purpose: 'workflows' | 'traces', tried: readonly string[]) =>
    new CodedError({
      code: 'runtime/none-found',
      message: `AgentJet needs ${needed} to ${purpose === 'traces' ? 'read traces' : 'run a workflow'}, but found none. ${found(tried)}`,
      hint: `Install Node.js from nodejs.org, or set ${option} to its path.`,
    }),
};

function found(tried: readonly string[]): string {
  return tried.length === 0 ? 'PATH has no node.' : `Tried: ${tried.join('; ')}.`;
}
