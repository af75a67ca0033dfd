/**
 * The requests that a viewer sends to a trace server, by method, with the schema of their parameters. `methods.ts`
 * defines their results. A request reads a window: no result grows with the run.
 */
import * as z from 'zod/mini';
import type { ErrorReport } from '../../../base/core/errors.ts';
import { episodeNote } from '../notes.ts';
import { sourceOf } from './codeRpc.ts';
import { conversation, count, trace } from './episodeRpc.ts';
import { bySetting, mergeSetting } from './mergingRpc.ts';
import { comparedTrace, wanted } from './tokenRpc.ts';
import { episodeSorts, groupSorts, listWindow, sortBy } from './traceLists.ts';

/** The most rows, tokens or characters of one result. */
export const largestWindow = {
  episodes: 500,
  tokens: 8_192,
  text: 65_536,
  json: 262_144,
  /** Sections of a timeline's strip. */
  stretches: 2_048,
  /** Characters of a message in a list of messages. */
  listed: 16_384,
  matches: 1_000,
} as const;

/** The most columns of metadata. */
export const mostMetadata = 8;

/** A timeline of the run, or the one that another merge setting would give. */
const timelineOf = { episode: count, timeline: count, ...bySetting };

export const traceParams = {
  run: z.object({ trace }),
  /** Entries `from` … `from + limit` of the episodes that the filter selects, in the requested order. */
  episodes: z.object({
    trace,
    ...listWindow,
    sort: z.optional(sortBy(episodeSorts)),
    /** Names of metadata that the rows have. */
    metadata: z.optional(z.array(z.string()).check(z.maxLength(mostMetadata))),
  }),
  /** The episodes before and after an episode in a list. */
  neighbors: z.object({
    trace,
    episode: count,
    filter: listWindow.filter,
    sort: z.optional(sortBy(episodeSorts)),
  }),
  /** The task of an episode, for its name. */
  label: z.object({ trace, episode: count }),
  /** Entries `from` … `from + limit` of the groups that have an episode that the filter selects. */
  groups: z.object({ trace, ...listWindow, sort: z.optional(sortBy(groupSorts)) }),
  group: z.object({ trace, group: count }),
  histograms: z.object({ trace }),
  names: z.object({ trace }),
  episode: z.object({ trace, episode: count }),
  outcome: z.object({ trace, episode: count }),
  /** Replaces the note and the tags of an episode. Empty ones are removed. */
  annotate: z.extend(episodeNote, { trace, episode: count }),
  /** The spans of an episode other than its ended LLM calls. */
  spans: z.object({ trace, episode: count }),
  call: z.object({ trace, episode: count, call: count }),
  timeline: z.object({ trace, ...timelineOf }),
  /** Tokens `from` … `from + limit` of a timeline. */
  tokens: z.object({ trace, ...timelineOf, from: count, limit: count }),
  token: z.object({ trace, ...timelineOf, token: count }),
  /** The whole timeline, summarized in at most `stretches` sections. */
  strip: z.object({ trace, ...timelineOf, stretches: count }),
  /** Matches of a text, a pattern or a token id in a timeline, from token `from` on. */
  find: z.object({ trace, ...timelineOf, wanted, from: count }),
  /** Characters `from` … `from + limit` of a message's text. */
  text: z.object({ trace, episode: count, conversation, message: count, from: count, limit: count }),
  /** Matches of a text in the messages of a conversation, including the parts that lists cut off. */
  search: z.object({ trace, episode: count, conversation, text: z.string(), matchCase: z.boolean() }),
  /** Messages of a call's request that training excludes. */
  excluded: z.object({ trace, episode: count, call: count }),
  /** Characters `from` … `from + limit` of the base64 of data in such a message. */
  binary: z.object({ trace, hash: count, from: count, limit: count }),
  /** The location in the user's code that a call, a tool call or the reward of an episode comes from. */
  source: z.object({ trace, episode: count, of: sourceOf }),
  /** Shows that location in the editor, if there is one. */
  show: z.object({ trace, episode: count, of: sourceOf }),
  /** Replays the episode's recorded calls under the debugger, if there is an editor. It stops at `call`, or at its start. */
  debug: z.object({ trace, episode: count, call: z.optional(count) }),
  /** Numbers of the run's calls by the lines of code that made them, and of its tools, workflow and judge. */
  lines: z.object({ trace }),
  /** An episode's calls as timelines of a merge setting; null: of the run's own. */
  merging: z.object({ trace, episode: count, setting: z.nullable(mergeSetting) }),
  /** Compares two timelines; each side may be of another trace. */
  compare: z.object({ trace, left: comparedTrace, right: comparedTrace }),
  otherRuns: z.object({ trace }),
  /** The runs for a table over runs. An editor lists those of its folders, a server those that it was started with. */
  runs: z.object({ trace }),
  /** Opens the viewer of one of these runs, if there is an editor. */
  openRun: z.object({ trace, other: trace }),
  /** The episodes of another run that have the task of an episode of this one. */
  counterparts: z.object({ trace, episode: count, other: trace }),
  /** Starts `changed` notifications whenever the trace has grown. */
  watch: z.object({ trace }),
  unwatch: z.object({ trace }),
  /** One summary for each trace, including traces that cannot be read. */
  summaries: z.object({ traces: z.array(z.string()) }),
};

export type TraceMethod = keyof typeof traceParams;
export type ParamsOf<M extends TraceMethod> = z.infer<(typeof traceParams)[M]>;

/** A request as it is sent, with its method among its parameters. */
export type TraceRequest = { [M in TraceMethod]: { method: M } & ParamsOf<M> }[TraceMethod];

export const traceRequest = z.discriminatedUnion(
  'method',
  Object.entries(traceParams).map(([method, params]) =>
    z.extend(params, { method: z.literal(method) }),
  ) as unknown as readonly [z.ZodMiniObject<{ method: z.ZodMiniLiteral<TraceMethod> }>],
) as unknown as z.ZodMiniType<TraceRequest>;

/** The notification that a watched trace has grown, and its parameters. */
export const changedNotification = 'changed';
export const changedParams = z.object({ trace });

/** A request of a page with its id; the reply has the same id. */
export const traceCall = z.object({ id: z.int(), request: traceRequest });
export type TraceCall = z.infer<typeof traceCall>;

export type TraceReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: ErrorReport }
  | { readonly notice: 'changed'; readonly trace: string };
