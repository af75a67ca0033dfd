import * as z from 'zod/mini';
import { currentId, renamedFindings } from '../../../base/core/renamedIds.ts';
import { location, errorReport } from '../../../base/core/errorReport.ts';

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

export const episodeId = {
  /** Position in the run, from 0: task position × repeats + repeat (upstream's `task_thread_index`). */
  episode: z.number(),
  taskId: z.string(),
  repeat: z.number(),
};

/** The timelines that training would get from the calls of an episode. */
export const episodeTracking = z.object({
  timelines: z.number(),
  /** The sum over all timelines. */
  tokens: z.number(),
  trainableTokens: z.number(),
  /** The reward of each timeline in an episode with a degenerate reply. */
  madnessReward: z.optional(z.number()),
  /** The parts that training would reject, truncate or exclude. */
  problems: z.array(
    z.object({
      /** The id of a finding, such as `context-overflow`. Stored traces may have an old id. */
      code: z.pipe(
        z.string(),
        z.transform((code) => currentId(renamedFindings, code)),
      ),
      /** `error`: the episode is not trained. */
      severity: z.enum(['warning', 'error']),
      message: z.string(),
      /** The affected calls, by position in the episode. Absent if there are none. */
      calls: z.optional(z.array(z.number())),
    }),
  ),
});
export type EpisodeTracking = z.infer<typeof episodeTracking>;

const injectedFault = z.object({ call: z.number(), agent: z.string(), kind: z.enum(faultKinds) });
export type InjectedFault = z.infer<typeof injectedFault>;

/** LLM calls that bypassed the tuner, to one host from one location. */
export const outsideCalls = z.object({ host: z.string(), calls: z.number(), location: z.optional(location) });
export type OutsideCalls = z.infer<typeof outsideCalls>;

/** The calls of an episode by target, without those that are trained as configured. */
export const episodeRouting = z.object({
  /** Calls that debug models answered. They are not trained. */
  debug: z.array(z.object({ target: z.string(), model: z.string(), calls: z.number() })),
  /** Calls that are trained although `trainableTargets` excludes the target. */
  trainedAnyway: z.array(
    z.object({ target: z.string(), why: z.enum(['no-debug-model', 'base-url']), calls: z.number() }),
  ),
});
export type EpisodeRouting = z.infer<typeof episodeRouting>;

export const episodeResult = z.object({
  ...episodeId,
  /** Null if and only if the episode ended with an error. */
  reward: z.nullable(z.number()),
  isSuccess: z.boolean(),
  /** The source of the reward. Absent: there is no reward. */
  scoredBy: z.optional(z.enum(['workflow', 'judge'])),
  successGiven: z.optional(z.boolean()),
  /** The reward of the workflow, if the judge replaced it. */
  rewardUnused: z.optional(z.number()),
  /** The metrics of the workflow and the judge. Absent: none. */
  metrics: z.optional(z.record(z.string(), z.number())),
  /** The number of LLM calls that the trained model answered through the tuner. */
  llmCalls: z.number(),
  /** Absent: no call bypassed the tuner. */
  outside: z.optional(z.array(outsideCalls)),
  /** Absent: every call had a trained target. */
  routing: z.optional(episodeRouting),
  /** The duration in seconds, with pauses in the debugger. */
  seconds: z.number(),
  error: z.nullable(errorReport),
  /** The faults that were injected into its calls. Absent: none. */
  faults: z.optional(z.array(injectedFault)),
  /** The number of attempts, if more than one. */
  attempts: z.optional(z.number()),
  /** True if it was requested to stop because its task needed no more episodes. */
  stopped: z.optional(z.boolean()),
  /** The number of times that training uses it in an oversampled run. Known at the end of the run. */
  selected: z.optional(z.number()),
  /** The recorded result of an episode that was scored again or replayed. */
  recorded: z.optional(z.object({ reward: z.nullable(z.number()), isSuccess: z.boolean() })),
  /** Absent if the process ended before it could report. */
  tracking: z.optional(episodeTracking),
});
export type EpisodeResult = z.infer<typeof episodeResult>;

/** The locations in user files at which findings can be shown. */
export const runLocations = z.object({
  /** `execute` of the workflow class. */
  execute: z.optional(location),
  /** `computeReward` of the judge class. Absent: the config has no judge. */
  judge: z.optional(location),
  /** The lines that set keys, in the config or a config that it includes. */
  keys: z.record(z.string(), location),
});
export type RunLocations = z.infer<typeof runLocations>;

/** The number of times that training uses an episode of an oversampled run. 0: it is excluded. */
export interface Selection {
  readonly episode: number;
  readonly times: number;
}

/** Adds the selection of an oversampled run to its results. */
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
