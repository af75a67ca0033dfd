/** The time slices of an episode, in lanes without overlaps. */
import type { SpanRow } from '../protocol/episodeRpc.ts';
import { clip } from '../clip.ts';
import type { ExportedEpisode } from './episode.ts';

export interface Slice {
  readonly lane: string;
  readonly name: string;
  readonly category: string;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly seconds: number;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface PlacedSlice extends Slice {
  /** Position of its lane. */
  readonly thread: number;
  /** Whole microseconds since the given start, and the length. */
  readonly start: number;
  readonly length: number;
}

/** Returns the slices, the episode's own first. */
export function slicesOf({ row, calls, spans, missing }: ExportedEpisode): readonly Slice[] {
  return [episodeSlice(row, missing), ...calls.map(callSlice), ...spans.map(spanSlice)];
}

/** The most characters of a message in a slice. */
const longestText = 1_000;

function episodeSlice(row: ExportedEpisode['row'], missing: ExportedEpisode['missing']): Slice {
  const { episode, taskId, repeat, reward, isSuccess, advantage, tokens, trainableTokens, query } = row;
  const args = { taskId, repeat, reward, isSuccess, advantage, tokens, trainableTokens };
  return {
    lane: 'episode',
    name: `episode ${episode}`,
    category: 'episode',
    startedAt: row.startedAt,
    seconds: row.seconds ?? 0,
    args: { ...args, query: clip(query, longestText), ...(missing.length > 0 && { missing }) },
  };
}

function callSlice({ row, messages, reply }: ExportedEpisode['calls'][number]): Slice {
  const { call, agent, promptTokens, replyTokens, finishReason, status, error, timeline } = row;
  return {
    lane: agent === '' ? 'calls' : agent,
    name: `call ${call}`,
    category: 'llm',
    startedAt: row.startedAt,
    seconds: row.seconds,
    args: {
      ...{ call, promptTokens, replyTokens, finishReason, status, error, timeline },
      last: clip(messages.at(-1)?.text ?? '', longestText),
      reply: clip(reply?.text ?? '', longestText),
    },
  };
}

function spanSlice({ kind, name, startedAt, seconds, state, error }: SpanRow): Slice {
  return { lane: kind, name, category: kind, startedAt, seconds: seconds ?? 0, args: { state, error } };
}

/**
 * Places slices in order on lanes of their name. Overlapping slices use several lanes, because slices of one lane may
 * only nest.
 *
 * @param beginning milliseconds since the Unix epoch
 */
export function placedSlices(
  slices: readonly Slice[],
  beginning: number,
): { readonly slices: readonly PlacedSlice[]; readonly lanes: readonly string[] } {
  const lanes: { readonly name: string; end: number }[] = [];
  const found = slices
    .toSorted((a, b) => a.startedAt - b.startedAt)
    .map((slice): PlacedSlice => {
      const start = Math.max(0, Math.round((slice.startedAt - beginning) * 1_000));
      const length = Math.max(0, Math.round(slice.seconds * 1e6));
      let thread = lanes.findIndex((one) => one.name === slice.lane && one.end <= start);
      if (thread < 0) thread = lanes.push({ name: slice.lane, end: 0 }) - 1;
      const lane = lanes[thread];
      if (lane !== undefined) lane.end = start + length;
      return { ...slice, thread, start, length };
    });
  return { slices: found, lanes: lanes.map(({ name }) => name) };
}
