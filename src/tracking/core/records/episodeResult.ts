import * as z from 'zod/mini';
import { location, errorReport } from '../../../base/core/errorReport.ts';

/** What can be made to go wrong with an LLM call. */
export const faultKinds = [
  'timeout',
  'rate-limit',
  'server-error',
  'tool-json',
  'length',
  'cut',
  'empty',
] as const;

export type FaultKind = (typeof faultKinds)[number];

/** Whose tokenizer counted; see TokenizerNote of the trace. */
export const tokenizerInfo = z.object({ name: z.string(), exact: z.boolean(), file: z.nullable(z.string()) });

export const episodeId = {
  /** Position in the run, from 0: task position × repeats + repeat (upstream's `task_thread_index`). */
  episode: z.number(),
  taskId: z.string(),
  repeat: z.number(),
};

/** What training would make of an episode's calls. */
export const episodeTracking = z.object({
  timelines: z.number(),
  /** Over all timelines. */
  tokens: z.number(),
  /** Those that count in the loss. */
  trainableTokens: z.number(),
  /** What training gives each timeline in place of the episode's reward, where a reply was degenerate. */
  madnessReward: z.optional(z.number()),
  /** What training would refuse, cut or leave out; worded, one sentence each. */
  problems: z.array(
    z.object({
      /** e.g. `overlong`. */
      code: z.string(),
      /** `error`: the episode adds nothing to training. */
      severity: z.enum(['warning', 'error']),
      message: z.string(),
      /** Those concerned, by position in the episode; absent where there was none to name. */
      calls: z.optional(z.array(z.number())),
    }),
  ),
});

export type EpisodeTracking = z.infer<typeof episodeTracking>;

/** A fault that was injected into a call, which is not the model's doing. */
const injectedFault = z.object({ call: z.number(), agent: z.string(), kind: z.enum(faultKinds) });

export type InjectedFault = z.infer<typeof injectedFault>;

/** LLM calls that code of an episode's made around the tuner, to one host from one place. */
export const outsideCalls = z.object({ host: z.string(), calls: z.number(), location: z.optional(location) });

export type OutsideCalls = z.infer<typeof outsideCalls>;

/** What became of an episode's calls by their targets; those plainly trained are left out. */
export const episodeRouting = z.object({
  /** Answered by debug models, so not trained. */
  debug: z.array(z.object({ target: z.string(), model: z.string(), calls: z.number() })),
  /** Trained although the target is not to be. */
  trainedAnyway: z.array(
    z.object({ target: z.string(), why: z.enum(['no-debug-model', 'base-url']), calls: z.number() }),
  ),
});

export type EpisodeRouting = z.infer<typeof episodeRouting>;

/** One episode's outcome. */
export const episodeResult = z.object({
  ...episodeId,
  /** Null exactly when the episode ended with an error. */
  reward: z.nullable(z.number()),
  isSuccess: z.boolean(),
  /** Who gave the reward, and whether with `isSuccess`, which else counts as false; absent: there is none. */
  scoredBy: z.optional(z.enum(['workflow', 'judge'])),
  successGiven: z.optional(z.boolean()),
  /** What the workflow returned for a reward, where the judge's counts all the same. */
  rewardUnused: z.optional(z.number()),
  /** Numbers that the workflow logs, and the judge: absent where there are none. */
  metrics: z.optional(z.record(z.string(), z.number())),
  /** LLM calls through the tuner that were answered by the model being trained. */
  llmCalls: z.number(),
  /** Absent where there were none. */
  outside: z.optional(z.array(outsideCalls)),
  /** Absent where every call was for a target that is trained. */
  routing: z.optional(episodeRouting),
  /** Wall-clock seconds from start to end, time held by a debugger included. */
  seconds: z.number(),
  error: z.nullable(errorReport),
  /** What was injected into its calls; absent: nothing. */
  faults: z.optional(z.array(injectedFault)),
  /** How often it was tried, where more than once. */
  attempts: z.optional(z.number()),
  /** Whether it was told to stop, because its task needed no more episodes. */
  stopped: z.optional(z.boolean()),
  /** How often training takes it, where more episodes were started than train; told when the run is over. */
  selected: z.optional(z.number()),
  /** Of an episode that was scored again, or replayed by its number: what its trace has. */
  recorded: z.optional(z.object({ reward: z.nullable(z.number()), isSuccess: z.boolean() })),
  /** Absent where the process went before it could tell. */
  tracking: z.optional(episodeTracking),
});

export type EpisodeResult = z.infer<typeof episodeResult>;

/** What of the user's files notes about a run can be at. */
export const runLocations = z.object({
  /** `execute` of the workflow's class. */
  execute: z.optional(location),
  /** `computeReward` of the judge's class; absent: the config names no judge. */
  judge: z.optional(location),
  /** Where the config, or one that it is composed of, sets them. */
  keys: z.record(z.string(), location),
});

export type RunLocations = z.infer<typeof runLocations>;

/** How often an episode of an oversampled rollout trains; 0: training leaves it out. */
export interface Selection {
  readonly episode: number;
  readonly times: number;
}

/** The results of a rollout that is over, each with how often training takes it. */
export function withSelection(
  results: readonly EpisodeResult[],
  selection: readonly Selection[] | undefined,
): readonly EpisodeResult[] {
  if (selection === undefined) return results;
  const times = new Map(selection.map((one) => [one.episode, one.times]));
  return results.map((result) => {
    const selected = times.get(result.episode);
    return selected === undefined ? result : { ...result, selected };
  });
}
