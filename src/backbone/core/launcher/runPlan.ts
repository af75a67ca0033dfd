import { CodedError, type Location } from '../../../base/core/errors.ts';
import type { PathRules, Clock } from '../../../base/core/ports.ts';
import { omit } from '../../../base/core/omit.ts';
import { strftime } from '../../../base/core/strftime.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';
import {
  auxiliaryModels,
  isTrinityRun,
  rewardFnKey,
  workflowKey,
} from '../../../configs/core/trinity/trinityRun.ts';
import type { RunRequest, RunEvent } from '../protocol/run.ts';
import type { TrackerOptions } from '../../../tracking/core/tracker.ts';
import type { Sampling } from '../model-tuner/gateway.ts';
import type { ChatModel } from '../model-tuner/model.ts';
import { rehearsal } from '../trainer/trainPlan.ts';
import { oversamplingOf, type Oversampling } from '../task-rollout/oversampling.ts';
import type { Composition } from '../../../configs/core/compose.ts';
import { firstError } from '../../../configs/core/finding.ts';
import type { Event } from '../../../base/core/event.ts';
import type { ModelTextSource } from '../context-tracker/modelTextSource.ts';
import type { FinishedCall, ContextGuard } from '../model-tuner/call.ts';
import type { EpisodeCalls, EpisodeSlot } from '../task-runner/episode.ts';
import type { TracedEpisode } from '../../../tracking/core/records/trace.ts';
import type { TracedRun } from '../../../tracking/core/records/tracedRun.ts';

/** All that is decided before the user's code is loaded. */
export interface RunPlan {
  /** The framework whose rules apply to workflows, rewards and sampling. */
  readonly rules: 'ajet' | 'trinity';
  readonly experiment: string;
  readonly folder: string;
  readonly workflow: string;
  /** The registered name of Trinity-RFT's reward function, if the config names one. */
  readonly rewardFn: { readonly name: string; readonly namedAt: Location } | undefined;
  /** The parser of tool calls that the config names. Only models whose tokens AgentJet samples need it. */
  readonly toolParser: { readonly name: string; readonly namedAt: Location } | undefined;
  readonly judgeType: string;
  readonly judge: string | null;
  readonly firstTasks: number;
  /** Episodes per task, all that are started. */
  readonly repeat: number;
  /** Undefined: all that are started train. */
  readonly oversampling: Oversampling | undefined;
  /** Processes that train: nodes × GPUs of each. */
  readonly worldSize: number;
  readonly parallel: number;
  readonly seed: number;
  readonly mode: 'sample' | 'validate';
  /** Names of the auxiliary models that functions receive; undefined: the names of the debug models. */
  readonly auxiliaryModels: readonly string[] | undefined;
  readonly sampling: Sampling;
  /** `ajet.model.path`: whose tokenizer training counts with. */
  readonly modelPath: string | null;
  readonly tracking: Omit<TrackerOptions, 'text'>;
  /** `ajet.rollout.multi_turn.max_sample_per_task`: the most samples that an episode gives. */
  readonly samplesPerEpisode: number;
}

/** Tokens that upstream keeps back of a turn's length. */
const reservedTokens = 16;

/** The request wins over `ajet.debug`. By default, tasks are those of training; upstream's debug runs validate. */
export function planRun(request: RunRequest, config: Config, now: Date, paths: PathRules): RunPlan {
  const mode = request.mode ?? 'sample';
  const rules = isTrinityRun(config) ? 'trinity' : 'ajet';
  const repeat = request.repeat ?? count(config, repeatKeys[mode]);
  const oversampling = mode === 'validate' ? undefined : oversamplingOf(config, repeat);
  const experiment = experimentName(config.stringOrNull('ajet.experiment_name'), request.config, now, paths);
  return {
    rules,
    experiment,
    folder: paths.resolve(request.cwd, request.expDir ?? 'saved_experiments', experiment),
    workflow: config.string(
      rules === 'trinity' ? workflowKey(config, request.split) : 'ajet.rollout.user_workflow',
    ),
    rewardFn: rules === 'trinity' ? rewardFnOf(config, request.split) : undefined,
    toolParser: toolParserOf(config, rules),
    judgeType: config.string('ajet.task_judge.judge_type'),
    judge: config.stringOrNull('ajet.task_judge.judge_protocol'),
    firstTasks: request.firstTasks ?? count(config, 'ajet.debug.debug_first_n_tasks'),
    repeat: oversampling?.over ?? repeat,
    oversampling,
    worldSize: worldSizeOf(config),
    parallel:
      request.parallel ??
      count(
        config,
        request.train === undefined ? 'ajet.debug.debug_max_parallel' : 'ajet.rollout.max_env_worker',
      ),
    seed: request.seed ?? config.integer('ajet.debug.debug_vllm_seed'),
    mode,
    auxiliaryModels: rules === 'trinity' ? auxiliaryModels(config) : undefined,
    sampling: samplingOf(config, mode, rules, request.asUpstreamDebug === true),
    modelPath: config.stringOrNull('ajet.model.path'),
    tracking: trackingOf(config, rules),
    samplesPerEpisode: config.integer('ajet.rollout.multi_turn.max_sample_per_task'),
  };
}

function rewardFnOf(config: Config, split: RunRequest['split']): RunPlan['rewardFn'] {
  const key = rewardFnKey(config, split);
  return key === undefined ? undefined : { name: config.string(key), namedAt: config.locate(key) };
}

function toolParserOf(config: Config, rules: RunPlan['rules']): RunPlan['toolParser'] {
  const key =
    rules === 'trinity' ? 'explorer.rollout_model.tool_call_parser' : 'ajet.rollout.vllm_tool_parser';
  const name = config.stringOrNull(key);
  return name === null ? undefined : { name, namedAt: config.locate(key) };
}

const repeatKeys = {
  sample: 'ajet.rollout.num_repeat',
  validate: 'ajet.trainer_common.val_pass_n',
} as const;

/** Upstream's debug backbone samples as validation does, and keeps nothing back; neither does Trinity-RFT. */
function samplingOf(
  config: Config,
  mode: RunPlan['mode'],
  rules: RunPlan['rules'],
  asUpstreamDebug: boolean,
): Sampling {
  const turn = config.integer('ajet.rollout.max_response_length_in_one_turn');
  const maxTokens = asUpstreamDebug || rules === 'trinity' ? turn : turn - reservedTokens;
  const decides = rules === 'trinity' ? 'request' : 'config';
  if (mode === 'sample' && !asUpstreamDebug) {
    const temperature = config.number('ajet.rollout.temperature');
    return { decides, temperature, topP: config.number('ajet.rollout.top_p'), maxTokens };
  }
  const section = 'ajet.rollout.val_kwargs';
  const temperature = config.number(`${section}.temperature`);
  const topP = config.number(`${section}.top_p`);
  return { decides, temperature, topP, topK: config.integer(`${section}.top_k`), maxTokens, section };
}

function trackingOf(config: Config, rules: RunPlan['rules']): RunPlan['tracking'] {
  const merging = 'ajet.context_tracker.timeline_merging_policy';
  const turnLength = config.integer('ajet.rollout.max_response_length_in_one_turn');
  return {
    limits: {
      modelLength: config.integer('ajet.rollout.max_model_len'),
      promptLength: config.integer('ajet.data.max_prompt_length'),
      responseLength: config.integer('ajet.data.max_response_length'),
      // Trinity keeps no room free for a reply: vLLM refuses what is longer than the model's length, and nothing else.
      turnLength: rules === 'trinity' ? 0 : turnLength,
    },
    toolCallsDisabled: config.boolean('ajet.rollout.force_disable_toolcalls'),
    fixesDrift: config.boolean('ajet.context_tracker.fix_retokenization_drift'),
    detectsSnaps: config.boolean('ajet.context_tracker.detect_timeline_snap'),
    merging: {
      compareLevel: compareLevel(config, `${merging}.timeline_compare_level`),
      ignoreTools: config.boolean(`${merging}.ignore_tools`),
    },
    madness: {
      checklist: checklist(config, 'ajet.rollout.compute_madness_checklist'),
      reward: config.number('ajet.rollout.agent_madness_reward'),
      terminates: config.boolean('ajet.rollout.agent_madness_termination'),
    },
    ...(rules === 'trinity' && { suppressedFindings: agentJetsOwn }),
  };
}

/** Rules of AgentJet's tracker that Trinity-RFT, which trains on what workflows return, has none of. */
const agentJetsOwn: ReadonlySet<string> = new Set([
  'missing-system-message',
  'system-message-not-first',
  'tool-without-parameters',
  'tool-part-rejected',
  'reply-exceeds-turn-limit',
  'timeline-exceeds-model-len',
  'prompt-too-long',
  'response-cut',
  'near-limit',
  'not-merged',
  'reply-repeats-header',
  'sample-refused',
  'cut-reply-end-trained',
]);

/** A text is searched for names of detectors, as with Python's `in`. */
function checklist(config: Config, key: string): readonly string[] | string {
  return config.at(key)?.kind === 'scalar' ? config.string(key) : config.stringList(key);
}

function compareLevel(config: Config, key: string): 'text' | 'token' {
  const level = config.string(key);
  if (level === 'text' || level === 'token') return level;
  throw new CodedError({
    code: 'launcher/compare-level',
    message: `\`${key}\` has an unknown value: ${JSON.stringify(level)}.`,
    location: config.locate(key),
    hint: 'Set it to text or token.',
  });
}

/** Only oversampling needs it, and a config of the debug backbone may not mention GPUs. */
function worldSizeOf(config: Config): number {
  const section = 'ajet.trainer_common';
  return (
    (config.integerOrNull(`${section}.nnodes`) ?? 1) *
    (config.integerOrNull(`${section}.n_gpus_per_node`) ?? 1)
  );
}

/** Throws for 0, since such a run would end at once and look successful. */
function count(config: Config, key: string): number {
  const value = config.integer(key);
  if (value >= 1) return value;
  throw new CodedError({
    code: 'launcher/no-episodes',
    message: `\`${key}\` is ${value}, so there is nothing to run.`,
    location: config.locate(key),
    hint: 'Set it to 1 or more.',
  });
}

/** Returns the file's stem and the time for null and `read_yaml_name`, as upstream. `-` replaces `|`, `/`, `\` and `:`. */
function experimentName(name: string | null, file: string, now: Date, paths: PathRules): string {
  const derived = name === null || name === 'read_yaml_name' || name === '';
  const text = derived
    ? `${paths.basename(file).replace(/\.ya?ml$/i, '')}_${strftime(now, '%Y%m%d_%H%M')}`
    : name;
  return text.replace(/[|/\\:]/g, '-').replace(/^\.+$/, '-');
}

export interface PlanPorts {
  readonly clock: Clock;
  readonly paths: PathRules;
  emit(event: RunEvent): void;
  /** Returns the effective config and its problems. Rejects only if there is no config at all. */
  readConfig(request: RunRequest): Promise<Composition>;
}

/** Changes a plan for the tiny random model of a rehearsal, whose replies are noise. */
function forRehearsal(plan: RunPlan): RunPlan {
  const { sampling, tracking, repeat, mode } = plan;
  const maxTokens = Math.min(sampling.maxTokens, rehearsal.replyTokens);
  return {
    ...plan,
    repeat: mode === 'sample' ? Math.max(repeat, rehearsal.repeat) : repeat,
    sampling: { ...sampling, temperature: 1, maxTokens },
    tracking: { ...tracking, madness: { ...tracking.madness, checklist: [] } },
  };
}

/** Reads the config of a run and emits its problems. Throws the first error among them. */
export async function readPlan(
  request: RunRequest,
  ports: PlanPorts,
): Promise<{ readonly plan: RunPlan; readonly config: Config }> {
  const { config, problems } = await ports.readConfig(request);
  const error = firstError(problems);
  for (const { severity, ...report } of problems) {
    // The first error ends the run, and is reported with `run-ended`.
    if (report.message !== error?.message) ports.emit({ type: 'problem', severity, report });
  }
  if (error !== undefined) throw error;
  const plan = planRun(request, config, new Date(ports.clock.now()), ports.paths);
  return { plan: request.train?.rehearsal === true ? forRehearsal(plan) : plan, config };
}

export interface ModelTuner {
  readonly description: string;
  readonly onCall: Event<FinishedCall>;
  /** @param guard checks each call before it reaches the model being trained; without a guard, no such calls are made */
  openCalls(slot: EpisodeSlot, episodeUuid: string, guard?: ContextGuard): EpisodeCalls;
  episodesEnded(): void;
  close(): Promise<void>;
}

export interface ModelPorts {
  /** Rejects with a CodedError `tokenizer/…` if the tokenizer of the request does not exist or is not readable. */
  findModelText(request: RunRequest, plan: RunPlan): Promise<ModelTextSource>;
  /** @param trained the model that is trained; absent: that of the request answers */
  openModelTuner(
    request: RunRequest,
    plan: RunPlan,
    text: ModelTextSource,
    trained?: ChatModel,
  ): Promise<ModelTuner>;
}

/** The facts about a run in its trace, without the text of the config, which is in the run's folder. */
export type RunFacts = Omit<TracedRun, 'configText'>;

export type FoundFacts = Pick<
  RunFacts,
  'workflowFile' | 'judge' | 'model' | 'tokenizer' | 'tasks' | 'episodes' | 'startedAt'
>;

export function factsOf(request: RunRequest, plan: RunPlan, found: FoundFacts): RunFacts {
  return {
    experiment: plan.experiment,
    config: request.config,
    workflow: plan.workflow,
    limits: plan.tracking.limits,
    merging: {
      ...plan.tracking.merging,
      fixesDrift: plan.tracking.fixesDrift,
      toolCallsDisabled: plan.tracking.toolCallsDisabled,
    },
    batch: { perEpisode: plan.samplesPerEpisode, seed: plan.seed },
    launch: {
      cwd: request.cwd,
      split: request.split,
      mode: plan.mode,
      asUpstreamDebug: request.asUpstreamDebug === true,
      ...(request.trainableTargets && { trainableTargets: request.trainableTargets }),
    },
    repeat: plan.repeat,
    ...found,
  };
}

/** @param place `trace` is undefined for a run without one, null if it could not be written */
export function runStarted(
  facts: RunFacts,
  place: {
    readonly folder: string;
    readonly trace: string | null | undefined;
    readonly parallel: number;
    readonly mode?: RunPlan['mode'];
  },
): RunEvent {
  const { folder, trace, parallel, mode } = place;
  return {
    type: 'run-started',
    ...omit(facts, 'limits', 'merging', 'batch', 'launch', 'training', 'startedAt'),
    folder,
    parallel,
    ...(trace !== undefined && { trace }),
    ...(mode === 'validate' && { mode }),
  };
}

export function tracedEpisode(slot: EpisodeSlot, uuid: string, startedAt: number): TracedEpisode {
  const { episode, task, taskIndex, repeat } = slot;
  const query = task.main_query === '' ? JSON.stringify(task.metadata) : task.main_query;
  return { episode, uuid, taskId: task.task_id, taskIndex, repeat, query, startedAt };
}
