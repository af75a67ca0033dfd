/** Resolves the user's classes that a config names. */

import { CodedError, type Location } from '../../../base/core/errors.ts';
import {
  builtInJudge,
  locatorOfJudge,
  misspelledJudge,
  type BuiltInJudge,
} from '../../../configs/core/builtInJudges.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';
import { parseLocator, type Locator } from '../../../configs/core/locator.ts';
import { tasksetPath, workflowKey } from '../../../configs/core/trinity/trinityRun.ts';
import type { RunRequest } from '../protocol/run.ts';
import { FunctionWorkflow, type WorkflowClass } from '../function-form/functionWorkflow.ts';
import type { RunPlan } from './runPlan.ts';
import type { FileReader, PathRules } from '../../../base/core/ports.ts';

export type ResolveLocator = (
  text: string,
  what: 'workflow' | 'judge',
  location: Location,
) => Promise<ResolvedLocator>;

export interface ResolvedLocator {
  /** Absolute path; the dotted name for a Python module outside of the searched folders. */
  readonly file: string;
  readonly locator: Locator;
  readonly configLocation: Location;
}

/** Adds the location in the config to errors that have no line. */
export async function atConfigLocation<T>(location: Location, loading: Promise<T>): Promise<T> {
  try {
    return await loading;
  } catch (error) {
    throw relocated(error, location);
  }
}

/** Adds the location in the user's code to errors that have no line. */
export async function atCodeLocation<T>(make: () => T, place: () => Promise<Location>): Promise<T> {
  try {
    return make();
  } catch (error) {
    throw relocated(error, await place());
  }
}

function relocated(error: unknown, location: Location): unknown {
  if (!(error instanceof CodedError) || error.location?.line !== undefined) return error;
  const { code, message, hint } = error;
  return new CodedError({ code, message, location, hint, cause: error });
}

export function locatorResolver(request: RunRequest, ports: ResolvePorts): ResolveLocator {
  return async (text, what, location) => {
    const parsed = parseLocator(text);
    if (!parsed.ok) throw new CodedError({ ...parsed.problem, location });
    const { kind, where, name } = parsed.locator;
    if (kind === 'module') {
      const found = await findModule(where, request, ports);
      const meant = found === undefined && what === 'judge' ? misspelledJudge(parsed.locator) : undefined;
      if (meant !== undefined) throw noSuchJudge(text, meant, location);
      const file = found ?? where;
      return { file, locator: parsed.locator, configLocation: location };
    }
    const file = await resolveFile(where, request, ports);
    if (!(await ports.files.exists(file))) throw noSuchFile(what, file, location);
    return { file, locator: { kind, where: file, name }, configLocation: location };
  };
}

/** Resolves the workflow. The default workflow is an example of upstream that users do not have, so it throws. */
export function workflowOf(
  plan: RunPlan,
  config: Config,
  { locate, split }: { readonly locate: ResolveLocator; readonly split: RunRequest['split'] },
): Promise<ResolvedLocator> {
  if (plan.rules === 'trinity') {
    const where = tasksetPath(config, split) ?? '';
    const location = config.locate(workflowKey(config, split));
    if (parseLocator(plan.workflow).ok) return locate(plan.workflow, 'workflow', location);
    const place: Locator = { kind: 'trinity', where, name: plan.workflow };
    return Promise.resolve({ file: plan.workflow, locator: place, configLocation: location });
  }
  const key = 'ajet.rollout.user_workflow';
  if (config.get(key)?.origin.kind !== 'file') throw noWorkflow(config.locate(key));
  return locate(plan.workflow, 'workflow', config.locate(key));
}

export type JudgeSource =
  | ({ readonly kind: 'file' } & ResolvedLocator)
  | { readonly kind: 'built-in'; readonly judge: BuiltInJudge; readonly configLocation: Location }
  /** `judge_type: rubrics_auto_grader`. */
  | { readonly kind: 'auto-grader'; readonly configLocation: Location };

/** Called only when an episode needs it. The built-in judges replace AgentJet's own. */
export async function judgeOf(plan: RunPlan, config: Config, locate: ResolveLocator): Promise<JudgeSource> {
  const typeLocation = config.locate('ajet.task_judge.judge_type');
  if (plan.judgeType === 'rubrics_auto_grader') return { kind: 'auto-grader', configLocation: typeLocation };
  if (plan.judgeType !== 'customized_protocol') {
    throw noJudge(`judge_type ${plan.judgeType} is not supported in debug runs`, typeLocation);
  }
  const key = 'ajet.task_judge.judge_protocol';
  const location = config.locate(key);
  if (plan.judge === null) throw noJudge('judge_protocol is null', location);
  const parsed = parseLocator(plan.judge);
  const judge = parsed.ok ? builtInJudge(parsed.locator) : undefined;
  const origin = config.get(key)?.origin;
  // The default judge needs an environment service.
  const isMeant = origin?.kind === 'file' || config.string('ajet.task_reader.type') === 'env_service';
  if (!isMeant) throw noJudge('the config names none', location);
  if (judge !== undefined) return { kind: 'built-in', judge, configLocation: location };
  return { kind: 'file', ...(await locate(plan.judge, 'judge', location)) };
}

/** Returns the judge that the config file names; undefined for the default. */
export function configuredJudge(config: Config): string | undefined {
  const key = 'ajet.task_judge.judge_protocol';
  return config.get(key)?.origin.kind === 'file' ? (config.stringOrNull(key) ?? undefined) : undefined;
}

/** Returns whose reward counts. For a function workflow it is the judge's, if the config names one. */
export function rewardSource(Workflow: WorkflowClass, config: Config): 'workflow' | 'judge' {
  return isFunction(Workflow) && namesJudge(config) ? 'judge' : 'workflow';
}

export function isFunction(Workflow: WorkflowClass): boolean {
  return (Workflow.prototype as unknown) instanceof FunctionWorkflow;
}

/** Warns that AgentJet cannot train a function: it creates an object of the class that a config names. */
export function functionNotTrained({ locator: { name } }: ResolvedLocator, location: Location): CodedError {
  return new CodedError({
    code: 'workflow/not-a-class',
    message: `${name} is a function. AgentJet cannot train functions; here it runs as AgentScope's tuner runs it.`,
    location,
    hint: `To train it, call tune(workflow_func=${name}, …) of agentscope.tuner in a script, or write a class that extends Workflow.`,
  });
}

function namesJudge(config: Config): boolean {
  if (config.string('ajet.task_judge.judge_type') === 'rubrics_auto_grader') return true;
  const named = configuredJudge(config);
  if (named === undefined) return false;
  const parsed = parseLocator(named);
  // The config of a job has the default judge too, which only works with an environment service.
  const isDefault = parsed.ok && builtInJudge(parsed.locator)?.name === 'EnvServiceJudge';
  return !isDefault || config.string('ajet.task_reader.type') === 'env_service';
}

function noWorkflow(location: Location): CodedError {
  return new CodedError({
    code: 'launcher/no-workflow',
    message: 'The config names no workflow.',
    location,
    hint: 'Name a class or a function, for example ajet.rollout.user_workflow: workflow.ts->Name.',
  });
}

function noSuchJudge(text: string, meant: BuiltInJudge, location: Location): CodedError {
  return new CodedError({
    code: 'launcher/judge-not-found',
    message: `AgentJet does not have the judge ${text}.`,
    location,
    hint: `Did you mean ${locatorOfJudge(meant)}?`,
  });
}

function noSuchFile(what: string, file: string, location: Location): CodedError {
  return new CodedError({
    code: `launcher/${what}-not-found`,
    message: `The file of the ${what} does not exist: ${file}.`,
    location,
    hint: 'Correct the path. It is relative to the working directory, then to the folder of the config.',
  });
}

function noJudge(why: string, location: Location): CodedError {
  return new CodedError({
    code: 'task-judge/none',
    message: `The workflow returned no reward, and no judge can compute one: ${why}.`,
    location,
    hint: 'Return a reward from the workflow, or set ajet.task_judge.judge_protocol to a judge, for example judge.ts->Name.',
  });
}

export interface ResolvePorts {
  readonly files: Pick<FileReader, 'exists'>;
  readonly paths: PathRules;
}

/** Resolves a file that the config names: below the working directory, as in upstream, else next to the config. */
export async function resolveFile(
  file: string,
  request: Pick<RunRequest, 'cwd' | 'config'>,
  ports: ResolvePorts,
): Promise<string> {
  const inWorkingDirectory = ports.paths.resolve(request.cwd, file);
  if (await ports.files.exists(inWorkingDirectory)) return inWorkingDirectory;
  return ports.paths.resolve(ports.paths.dirname(request.config), file);
}

/** Returns the file of a dotted Python module in the working directory or the config's folder; else undefined. */
async function findModule(
  module: string,
  request: Pick<RunRequest, 'cwd' | 'config'>,
  ports: ResolvePorts,
): Promise<string | undefined> {
  const { paths, files } = ports;
  const parts = module.split('.');
  for (const folder of [request.cwd, paths.dirname(request.config)]) {
    const stem = paths.resolve(folder, ...parts);
    for (const file of [`${stem}.py`, paths.resolve(stem, '__init__.py')]) {
      if (await files.exists(file)) return file;
    }
  }
  return undefined;
}
