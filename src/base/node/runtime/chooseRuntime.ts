/** Which Node runs a workflow, and which reads traces. */
import path from 'node:path';
import { runtimeErrors } from './errors.ts';
import { missing, type Probe, type ProbeResult, type RuntimeFeatures } from './probe.ts';

export interface RuntimeSearch {
  /** `agentjet.runtimeExecutable`: a path, or a name on PATH. */
  readonly setting?: string | undefined;
  /** The variable `PATH`. */
  readonly path: string;
  /** The editor's own executable, which becomes a Node when told to; a Node itself does as well. */
  readonly editorExecPath?: string | undefined;
  readonly platform: NodeJS.Platform;
  readonly probe: Probe;
  /** What it is for. Default: `workflows`. */
  readonly purpose?: Purpose | undefined;
}

/** `traces` takes any Node that has SQLite. */
export type Purpose = 'workflows' | 'traces';

export interface Runtime {
  readonly executable: string;
  /** What must be added to the environment of whatever runs under it. */
  readonly env: Readonly<Record<string, string>>;
  readonly version: string;
  readonly features: RuntimeFeatures;
  readonly why: RuntimeOrigin;
}

export type RuntimeOrigin = 'setting' | 'path' | 'editor';

interface Candidate {
  readonly executable: string;
  readonly env: Readonly<Record<string, string>>;
  readonly why: RuntimeOrigin;
}

/**
 * The setting's, which must do: never another one in its place. Else the first `node` on PATH that does, else the
 * editor's own. Rejects with `runtime/setting-unusable` or `runtime/none-found`.
 */
export async function chooseRuntime(search: RuntimeSearch): Promise<Runtime> {
  const { setting } = search;
  if (setting !== undefined && setting !== '') return fromSetting(setting, search);
  const { probe, purpose = 'workflows' } = search;
  const tried: string[] = [];
  for (const candidate of [...nodesOnPath(search), ...editorsOwn(search)]) {
    const result = await probe(candidate.executable, candidate.env);
    if (isUsable(result, purpose)) return toRuntime(candidate, result);
    if (!isMissing(result)) tried.push(`${candidate.executable}, which ${shortcoming(result, purpose)}`);
  }
  throw runtimeErrors.noneFound(purpose, tried);
}

/** One line for the log, e.g. `Node 24.1.0 at /usr/bin/node (first on PATH that will do)`. */
export function describeRuntime({ version, executable, why, features }: Runtime): string {
  const types = features.stripTypes ? '' : '; runs TypeScript through esbuild';
  return `Node ${version} at ${executable} (${reasons[why]})${types}`;
}

const reasons: Readonly<Record<RuntimeOrigin, string>> = {
  setting: 'named by "agentjet.runtimeExecutable"',
  path: 'first on PATH that will do',
  editor: 'our own, as none on PATH will do',
};

async function fromSetting(setting: string, search: RuntimeSearch): Promise<Runtime> {
  const { probe, purpose = 'workflows' } = search;
  const isPath = /[\\/]/.test(setting);
  let failure: ProbeResult = { ok: false, reason: isPath ? missing : 'is not on PATH' };
  for (const executable of isPath ? [setting] : executablesOnPath(setting, search)) {
    const result = await probe(executable, {});
    if (isUsable(result, purpose)) return toRuntime({ executable, env: {}, why: 'setting' }, result);
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

/** Where a program of this name would be, folder by folder; not whether it is there. */
function executablesOnPath(name: string, { path: folders, platform }: RuntimeSearch): string[] {
  const rules = platform === 'win32' ? path.win32 : path.posix;
  // Windows starts only an .exe without a shell, and a shell would come between us and the process.
  const file = platform === 'win32' && !/\.exe$/i.test(name) ? `${name}.exe` : name;
  const named = folders.split(rules.delimiter).map((folder) => folder.replace(/^"(.*)"$/, '$1'));
  // A relative folder depends on where one stands: what a run uses must not.
  return [
    ...new Set(named.filter((folder) => rules.isAbsolute(folder)).map((folder) => rules.join(folder, file))),
  ];
}

type Usable = Extract<ProbeResult, { ok: true }>;

function isUsable(result: ProbeResult, purpose: Purpose): result is Usable {
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

/** A clause that goes after "which". */
function shortcoming(result: ProbeResult, purpose: Purpose): string {
  if (!result.ok) return result.reason;
  if (purpose === 'traces') return `is Node ${result.version} without node:sqlite`;
  return isNewEnough(result.version)
    ? `is Node ${result.version} without module.registerHooks`
    : `is Node ${result.version}`;
}

function toRuntime(candidate: Candidate, { version, features }: Usable): Runtime {
  return { ...candidate, version, features };
}
