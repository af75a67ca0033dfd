/**
 * Resolves a launch configuration to how a run starts, in two phases:
 *
 * 1. `withSettings` fills in the editor's settings. The editor calls it after it has substituted variables. An adapter
 *    outside VS Code has no settings and skips it.
 * 2. `resolveLaunch` checks the attributes and resolves them.
 */
import { attributeErrors } from './errors.ts';
import { readRunOptions } from '../../backbone/node/options/readRunOptions.ts';
import type { RunOptions } from '../../backbone/node/options/runOptions.ts';
import {
  ignoresEndpoint,
  modelKind,
  resolveRun,
  type RunContext,
} from '../../backbone/node/options/resolveRun.ts';
import type { RunSpec } from '../../backbone/node/client/runLauncher.ts';

/** Phase 1: returns the configuration with settings for what it leaves out. Empty settings count as not set. */
export function withSettings<T extends Readonly<Record<string, unknown>>>(
  configuration: T,
  settings: Readonly<Record<string, unknown>>,
): T {
  const set = Object.entries(settings).filter(
    ([name, value]) =>
      value !== undefined &&
      value !== null &&
      value !== '' &&
      configuration[name] === undefined &&
      !isOfOtherModel(name, configuration),
  );
  return { ...configuration, ...Object.fromEntries(set) };
}

const settingsField = '__agentjetSettings';

/** Returns a field with the names of the options that a configuration leaves to settings, so that errors name these. */
export function leftToSettings(
  configuration: Readonly<Record<string, unknown>>,
  settings: Readonly<Record<string, unknown>>,
): Readonly<Record<string, readonly string[]>> {
  const left = Object.keys(settings).filter((name) => configuration[name] === undefined);
  return { [settingsField]: [...settingsOf(configuration), ...left] };
}

/** Returns the names that {@link leftToSettings} noted. */
export function settingsOf(configuration: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const names = configuration[settingsField];
  return new Set(Array.isArray(names) ? names.map(String) : []);
}

/** The settings that choose a model, each with the model that it belongs to. */
const modelsOfSettings: Readonly<Record<string, string | undefined>> = {
  model: undefined,
  script: 'script',
  endpoint: 'endpoint',
  editorModel: 'editor',
};

/** Returns whether a setting belongs to another model than the one that the configuration chooses itself. */
function isOfOtherModel(
  setting: string,
  { model, endpoint, script, checkpoint }: Readonly<Record<string, unknown>>,
): boolean {
  if (!Object.hasOwn(modelsOfSettings, setting)) return false;
  if (model !== undefined) return modelsOfSettings[setting] !== model;
  return endpoint !== undefined || script !== undefined || checkpoint !== undefined;
}

export interface ResolvedLaunch {
  readonly spec: RunSpec;
  readonly verbose: boolean;
  readonly jsDebug: Readonly<Record<string, unknown>>;
  readonly pythonDebug: Readonly<Record<string, unknown>>;
  /** Notes about deprecated and unused attributes, without line breaks. */
  readonly notes: readonly string[];
}

/** Phase 2: checks and resolves the attributes. Throws a CodedError that names the invalid one. */
export async function resolveLaunch(
  configuration: Readonly<Record<string, unknown>>,
  context: RunContext,
): Promise<ResolvedLaunch> {
  const errors = attributeErrors(settingsOf(configuration));
  const { options, replaced } = readRunOptions(configuration, errors);
  const debugging = configuration['noDebug'] !== true;
  const spec = await resolveRun(options, context, { debugging, errors });
  return {
    spec: { ...spec, request: { ...spec.request, failFast: true } },
    verbose: options.verbose ?? false,
    jsDebug: options.jsDebug ?? {},
    pythonDebug: options.pythonDebug ?? {},
    notes: [
      ...replaced.map(([name, by]) => `Launch attribute '${name}' is deprecated. Use '${by}'.`),
      ...(ignoresEndpoint(options) ? [unusedEndpoint(options)] : []),
    ],
  };
}

function unusedEndpoint(options: RunOptions): string {
  return `The endpoint is not used, because 'model' is '${modelKind(options)}'. Run "AgentJet: Choose Model", or set 'model' to 'endpoint'.`;
}
