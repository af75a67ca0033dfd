/**
 * From a launch configuration to what a run is started with, in two phases:
 *
 * 1. `withSettings`: what the configuration leaves open is taken from the editor's settings. Done by the editor,
 *    after it has substituted variables; an adapter outside VS Code has no settings and skips it.
 * 2. `resolveLaunch`: attributes are checked, paths made absolute, `envFile` read and the API key looked up.
 */
import path from 'node:path';
import { parse as parseEnvFile } from 'dotenv';
import type { FileReader } from '../base/ports.ts';
import { debugModelChoice, parseDebugModel } from '../protocol/debugModelText.ts';
import {
  faultKinds,
  runProtocolVersion,
  type HelperChoice,
  type ModelChoice,
  type RunRequest,
} from '../protocol/run.ts';
import { checkAttributes } from './checkAttributes.ts';
import { dotEnv } from './dotEnv.ts';
import { debugErrors } from './errors.ts';
import type { EndpointAttributes, LaunchAttributes } from './launchAttributes.ts';
import { pythonShare } from './pythonShare.ts';
import type { RunSpec } from './runLauncher.ts';

/** The settings that stand in for attributes a configuration does not give. Empty values count as not set. */
export interface LaunchDefaults {
  readonly model?: string | undefined;
  readonly script?: string | undefined;
  readonly endpoint?: unknown;
  readonly tokenizer?: string | undefined;
  readonly runtimeExecutable?: string | undefined;
  /** What the editor found, as `findInterpreter` does; undefined: the run looks for itself. */
  readonly python?: string | undefined;
  readonly parallel?: number | undefined;
}

/** Phase 1. The configuration's own values win; nothing is checked yet. */
export function withSettings<T extends Readonly<Record<string, unknown>>>(
  configuration: T,
  settings: LaunchDefaults,
): T {
  const set = Object.entries(settings).filter(
    ([name, value]) =>
      value !== undefined && value !== null && value !== '' && configuration[name] === undefined,
  );
  return { ...configuration, ...Object.fromEntries(set) };
}

export interface LaunchContext {
  readonly files: Pick<FileReader, 'exists' | 'readText'>;
  /** Variables of the adapter's own process, which the run inherits. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The key that the user saved for an endpoint, if any. */
  readonly savedApiKey: (baseUrl: string) => Promise<string | undefined>;
  /** Where debugpy may lie besides the interpreter, in order; absent: nowhere. */
  readonly debugpyFolders?: () => readonly string[];
}

export interface ResolvedLaunch {
  readonly spec: RunSpec;
  readonly verbose: boolean;
  readonly jsDebug: Readonly<Record<string, unknown>>;
  readonly pythonDebug: Readonly<Record<string, unknown>>;
}

/**
 * Phase 2.
 *
 * @throws CodedError that names the attribute at fault.
 */
export async function resolveLaunch(
  configuration: Readonly<Record<string, unknown>>,
  context: LaunchContext,
): Promise<ResolvedLaunch> {
  const attributes = checkAttributes(configuration);
  const debugging = configuration['noDebug'] !== true;
  const config = path.resolve(attributes.cwd ?? '', attributes.config);
  const cwd = path.resolve(attributes.cwd ?? path.dirname(config));
  await mustExist('config', config, context);
  await mustExist('cwd', cwd, context);
  const tokenizer = attributes.tokenizer === undefined ? undefined : path.resolve(cwd, attributes.tokenizer);
  if (tokenizer !== undefined) await mustExist('tokenizer', tokenizer, context);
  const env = await resolveEnvironment(attributes, cwd, context);
  const model = await resolveModel(attributes, cwd, env, context);
  const helper = await resolveHelper(attributes, cwd, env, context);
  const debugModels = resolveDebugModels(attributes, cwd, env, context);
  const recording = resolveRecording(attributes, cwd);
  const debugpy = context.debugpyFolders?.() ?? [];
  const resolved = { config, cwd, model, recording, helper, debugModels, tokenizer, debugging, debugpy };
  return {
    spec: {
      request: toRequest(attributes, resolved),
      inspect: debugging && !(await isAllPython(config, context)),
      env,
      runtimeExecutable: resolveExecutable(attributes.runtimeExecutable, cwd),
      runtimeArgs: attributes.runtimeArgs ?? [],
    },
    verbose: attributes.verbose ?? false,
    jsDebug: attributes.jsDebug ?? {},
    pythonDebug: attributes.pythonDebug ?? {},
  };
}

/** Whether no JavaScript debugger has anything to show. */
async function isAllPython(config: string, { files }: LaunchContext): Promise<boolean> {
  return pythonShare((await files.readText(config)) ?? '') === 'all';
}

function pythonOf(
  { python, ajetPackage, pluginDirs }: LaunchAttributes,
  cwd: string,
  debug: boolean,
  debugpy: readonly string[],
): Pick<RunRequest, 'python'> {
  const executable = resolveExecutable(python, cwd);
  if (executable === undefined && ajetPackage === undefined && pluginDirs === undefined && !debug) return {};
  return {
    python: {
      ...(executable !== undefined && { executable }),
      ...(ajetPackage !== undefined && { package: ajetPackage }),
      ...(pluginDirs !== undefined && { pluginDirs: [...pluginDirs] }),
      ...(debug && { debug }),
      ...(debug && debugpy.length > 0 && { debugpy: [...debugpy] }),
    },
  };
}

function toRequest(
  attributes: LaunchAttributes,
  resolved: {
    config: string;
    cwd: string;
    model: ModelChoice;
    recording: Pick<RunRequest, 'record' | 'replay' | 'faults'>;
    helper: HelperChoice | undefined;
    debugModels: RunRequest['debugModels'];
    tokenizer: string | undefined;
    debugging: boolean;
    debugpy: readonly string[];
  },
): RunRequest {
  // Stepping that jumps between episodes helps nobody, so a debugger gets one at a time unless told otherwise.
  const validates = attributes.mode === 'validate' || attributes.asUpstreamDebug === true;
  const parallel = attributes.parallel ?? (resolved.debugging ? 1 : 0);
  return {
    protocol: runProtocolVersion,
    config: resolved.config,
    cwd: resolved.cwd,
    model: resolved.model,
    ...pythonOf(attributes, resolved.cwd, resolved.debugging, resolved.debugpy),
    ...resolved.recording,
    ...(attributes.judgeTrace !== undefined && {
      judge: { trace: path.resolve(resolved.cwd, attributes.judgeTrace), ownConfig: true },
    }),
    ...(resolved.helper !== undefined && { helper: resolved.helper }),
    ...(resolved.debugModels !== undefined && { debugModels: resolved.debugModels }),
    ...(attributes.trainableTargets !== undefined && {
      trainableTargets: [...attributes.trainableTargets],
    }),
    split: attributes.split ?? (validates ? 'validation' : 'training'),
    // Launching means trust: editors ask for it before they start a session.
    allowEnvironment: true,
    ...(attributes.expDir !== undefined && { expDir: path.resolve(resolved.cwd, attributes.expDir) }),
    ...(resolved.tokenizer !== undefined && { tokenizer: resolved.tokenizer }),
    ...(attributes.seed !== undefined && { seed: attributes.seed }),
    ...(attributes.tasks !== undefined && { firstTasks: attributes.tasks }),
    ...(attributes.taskIds !== undefined && { taskIds: [...attributes.taskIds] }),
    ...(parallel > 0 && { parallel }),
    ...(attributes.repeat !== undefined && { repeat: attributes.repeat }),
    ...(attributes.mode !== undefined && { mode: attributes.mode }),
    ...(attributes.asUpstreamDebug !== undefined && { asUpstreamDebug: attributes.asUpstreamDebug }),
    ...(attributes.attempts !== undefined && { attempts: attributes.attempts }),
    ...(attributes.episodeTimeout !== undefined && { episodeTimeout: attributes.episodeTimeout }),
  };
}

type EnvironmentOverlay = Readonly<Record<string, string | null>>;

async function resolveEnvironment(
  attributes: LaunchAttributes,
  cwd: string,
  context: LaunchContext,
): Promise<EnvironmentOverlay> {
  const own = await dotEnv(cwd, context.files, context.environment);
  if (attributes.envFile === undefined) return { ...own, ...attributes.env };
  const file = path.resolve(cwd, attributes.envFile);
  const text = await context.files.readText(file);
  if (text === undefined) throw debugErrors.fileNotFound('envFile', file);
  return { ...own, ...parseEnvFile(text), ...attributes.env };
}

function resolveRecording(
  { record, recordOverwrite = false, replay, replayMiss = 'fail', episode, faults }: LaunchAttributes,
  cwd: string,
): Pick<RunRequest, 'record' | 'replay' | 'faults'> {
  return {
    ...(record !== undefined && { record: { file: path.resolve(cwd, record), overwrite: recordOverwrite } }),
    ...(replay !== undefined && {
      replay: {
        file: path.resolve(cwd, replay),
        miss: replayMiss,
        ...(episode !== undefined && { episode }),
      },
    }),
    ...(faults !== undefined && {
      faults: {
        rate: faults.rate,
        seed: faults.seed ?? 0,
        kinds: faults.kinds?.length ? [...faults.kinds] : [...faultKinds],
      },
    }),
  };
}

async function resolveModel(
  attributes: LaunchAttributes,
  cwd: string,
  env: EnvironmentOverlay,
  context: LaunchContext,
): Promise<ModelChoice> {
  // A recording that alone answers needs no server and no key, whatever else the configuration names.
  const isUnasked = attributes.replay !== undefined && attributes.replayMiss !== 'rerecord';
  const kind = isUnasked ? 'embedded' : (attributes.model ?? 'embedded');
  switch (kind) {
    case 'embedded':
      return { kind: 'embedded' };
    case 'human':
      return { kind: 'human' };
    case 'script': {
      if (attributes.script === undefined) {
        throw debugErrors.missingAttribute('script', "the model 'script' needs the file that answers");
      }
      const file = path.resolve(cwd, attributes.script);
      await mustExist('script', file, context);
      return { kind: 'script', file };
    }
    case 'endpoint': {
      if (attributes.endpoint === undefined) {
        throw debugErrors.missingAttribute('endpoint', "the model 'endpoint' needs its server");
      }
      return resolveEndpoint(attributes.endpoint, env, context);
    }
  }
}

/** Servers get the key of the endpoint's variable, or of OPENAI_API_KEY. */
function resolveDebugModels(
  { debugModels, endpoint }: LaunchAttributes,
  cwd: string,
  env: EnvironmentOverlay,
  context: LaunchContext,
): RunRequest['debugModels'] {
  if (debugModels === undefined) return undefined;
  const variable = endpoint?.apiKeyEnv ?? 'OPENAI_API_KEY';
  const apiKey = (variable in env ? env[variable] : context.environment[variable]) ?? undefined;
  return Object.fromEntries(
    Object.entries(debugModels).map(([name, text]) => {
      const model = parseDebugModel(name, text);
      if (model === undefined) {
        const expected = "'embedded', the file of a script, or an http or https URL";
        throw debugErrors.badAttribute(`debugModels.${name}`, expected, `'${text}'`);
      }
      return [name, debugModelChoice(model, (file) => path.resolve(cwd, file), apiKey)];
    }),
  );
}

async function resolveEndpoint(
  { baseUrl, model, apiKeyEnv }: EndpointAttributes,
  env: EnvironmentOverlay,
  context: LaunchContext,
): Promise<ModelChoice> {
  const apiKey = await resolveKey('endpoint', baseUrl, apiKeyEnv, env, context);
  return { kind: 'endpoint', baseUrl, model, ...(apiKey !== undefined && { apiKey }) };
}

async function resolveHelper(
  { helper, script: ownScript }: LaunchAttributes,
  cwd: string,
  env: EnvironmentOverlay,
  context: LaunchContext,
): Promise<HelperChoice | undefined> {
  if (helper === undefined) return undefined;
  const { baseUrl, model, apiKeyEnv } = helper;
  const script = helper.script ?? (helper.kind === 'script' ? ownScript : undefined);
  switch (helper.kind ?? (script === undefined ? 'endpoint' : 'script')) {
    case 'embedded':
      return { kind: 'embedded' };
    case 'script': {
      if (script === undefined) {
        throw debugErrors.missingAttribute(
          'helper.script',
          "the helper 'script' needs the file that answers",
        );
      }
      const file = path.resolve(cwd, script);
      await mustExist('helper.script', file, context);
      return { kind: 'script', file };
    }
    case 'endpoint': {
      if (baseUrl === undefined) {
        throw debugErrors.missingAttribute('helper.baseUrl', "the helper 'endpoint' needs its server");
      }
      const apiKey = await resolveKey('helper', baseUrl, apiKeyEnv, env, context);
      return {
        kind: 'endpoint',
        baseUrl,
        ...(model !== undefined && { model }),
        ...(apiKey !== undefined && { apiKey }),
      };
    }
  }
}

/** The key of a server: from the variable named, else the one that was saved. */
async function resolveKey(
  attribute: 'endpoint' | 'helper',
  baseUrl: string,
  apiKeyEnv: string | undefined,
  env: EnvironmentOverlay,
  context: LaunchContext,
): Promise<string | undefined> {
  if (!isHttpUrl(baseUrl)) {
    throw debugErrors.badAttribute(`${attribute}.baseUrl`, 'an http or https URL', `'${baseUrl}'`);
  }
  if (apiKeyEnv === undefined) return context.savedApiKey(baseUrl);
  const apiKey = apiKeyEnv in env ? env[apiKeyEnv] : context.environment[apiKeyEnv];
  if (apiKey === undefined || apiKey === null || apiKey === '') {
    throw debugErrors.missingApiKey(attribute, apiKeyEnv);
  }
  return apiKey;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** A bare name is looked up on PATH by the launcher; anything with a separator is a path. */
function resolveExecutable(executable: string | undefined, cwd: string): string | undefined {
  return executable !== undefined && /[\\/]/.test(executable) ? path.resolve(cwd, executable) : executable;
}

async function mustExist(attribute: string, file: string, context: LaunchContext): Promise<void> {
  if (!(await context.files.exists(file))) throw debugErrors.fileNotFound(attribute, file);
}
