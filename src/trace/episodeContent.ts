import type { MergeRules, TracedMessage, TracedTimeline } from '../protocol/trace.ts';
import { takenOverMask } from '../tracking/lossMask.ts';
import { mergeCalls, type MergeableCall } from '../tracking/mergeCalls.ts';
import { traceErrors } from './errors.ts';
import type { EpisodeRecord, MessageRecord, MessageTextRecord } from './records.ts';
import { trainableTokensOf } from './recorder.ts';
import type { StoredTokens, StoredTrace } from './stored.ts';

/** The timelines of an episode, and messages that are stored nowhere since merging made them just now. */
interface Merged {
  readonly timelines: readonly TracedTimeline[];
  readonly made: ReadonlyMap<number, TracedMessage>;
}

/** What an episode consists of, whether it has ended or its timelines are still to be merged from its calls. */
export interface EpisodeContent {
  readonly timelines: readonly TracedTimeline[];
  /** The timelines are merged from the calls so far. */
  readonly provisional: boolean;
  /** By position; asks for all of them at once. */
  messages(): MessageLookup;
}

export interface MessageLookup {
  head(position: number): MessageRecord;
  text(position: number): MessageTextRecord;
  tokens(position: number): StoredTokens;
}

/** Opens episodes, and remembers what it merged until their next call. */
export class EpisodeContents {
  readonly #trace: StoredTrace;
  readonly #merged = new Map<number, { readonly calls: number; readonly content: Merged }>();

  constructor(trace: StoredTrace) {
    this.#trace = trace;
  }

  open({ episode, ended, calls }: EpisodeRecord): EpisodeContent {
    const merged: Merged =
      ended === 0
        ? this.#mergedSoFar(episode, calls)
        : { timelines: this.#trace.timelines(episode), made: new Map() };
    return {
      timelines: merged.timelines,
      provisional: ended === 0,
      messages: () => lookup(this.#trace, episode, merged.made),
    };
  }

  #mergedSoFar(episode: number, calls: number): Merged {
    const known = this.#merged.get(episode);
    if (known?.calls === calls) return known.content;
    const content = merge(this.#trace, episode);
    this.#merged.delete(episode);
    this.#merged.set(episode, { calls, content });
    for (const oldest of this.#merged.keys()) {
      if (this.#merged.size <= mostRemembered) break;
      this.#merged.delete(oldest);
    }
    return content;
  }
}

/** More episodes than run at a time, other than in very wide runs. */
const mostRemembered = 256;

/** Upstream's defaults. */
const upstreamRules: MergeRules = { compareLevel: 'text', ignoreTools: true };

function merge(trace: StoredTrace, episode: number): Merged {
  const rules = trace.merging() ?? upstreamRules;
  const stored = lookup(trace, episode, new Map());
  const special = new Set(trace.specialTokens());
  // What overflowed was answered with a canned reply, which is in no timeline.
  const isTracked = ({ reply }: MergeableCall): boolean =>
    reply === null || stored.head(reply).author !== 'llm(do_not_train)';
  const { timelines, added } = mergeCalls(
    trace.mergeableCalls(episode).filter(isTracked),
    (position) => ({ ...stored.head(position), ...stored.text(position), ...stored.tokens(position) }),
    {
      ...rules,
      lossMaskOf: (reply) => takenOverMask(reply, (id) => special.has(id)),
      nextPosition: stored.nextPosition,
    },
  );
  return { timelines, made: new Map(added.map(({ position, message }) => [position, message])) };
}

function lookup(
  trace: StoredTrace,
  episode: number,
  made: ReadonlyMap<number, TracedMessage>,
): MessageLookup & { readonly nextPosition: number } {
  const rows = trace.messages(episode);
  const heads = new Map(rows.map((row) => [row.position, row]));
  return {
    nextPosition: (rows.at(-1)?.position ?? -1) + 1,
    head: (position) => {
      const message = made.get(position);
      if (message !== undefined) return headOf(position, message);
      const head = heads.get(position);
      if (head !== undefined) return head;
      throw traceErrors.damaged(trace.file, `episode ${episode} has no message ${position}`);
    },
    text: (position) => made.get(position) ?? trace.messageText(episode, position),
    tokens: (position) => made.get(position) ?? trace.messageTokens(episode, position),
  };
}

function headOf(position: number, message: TracedMessage): MessageRecord {
  const { role, author, toolCallId, tokenIds } = message;
  return {
    position,
    role,
    author,
    toolCallId,
    tokens: tokenIds.length,
    trainableTokens: trainableTokensOf(message),
  };
}
