import type { TimelineView } from '../protocol/episodeRpc.ts';
import { ConversationViews } from './conversationViews.ts';
import type { FindMatches } from './findTokens.ts';
import type { FoundParts } from './foundParts.ts';
import { messageViews } from './messageViews.ts';
import { timelineRow } from './partRows.ts';
import type { TokenTable } from './tokenTable.ts';
import { TokenViews } from './tokenViews.ts';

/** Views of an episode's timelines: those that the run made, or those that another setting would have given. */
export class TimelineViews {
  readonly #parts: FoundParts;
  readonly #advantageOf: (episode: number) => number | null;
  readonly tokens: TokenViews;
  readonly conversations: ConversationViews;

  /** @param advantageOf the advantage of an episode by these timelines; null: it is not known */
  constructor(
    parts: FoundParts,
    table: TokenTable,
    matches: FindMatches,
    advantageOf: (episode: number) => number | null,
  ) {
    this.#parts = parts;
    this.#advantageOf = advantageOf;
    this.tokens = new TokenViews(parts, table, matches);
    this.conversations = new ConversationViews(parts);
  }

  timeline(episode: number, timeline: number): TimelineView {
    const { content, found } = this.#parts.timeline(episode, timeline);
    return {
      row: timelineRow(found, timeline, content),
      advantage: this.#advantageOf(episode),
      exact: this.#parts.run().tokenizer.exact,
      messages: messageViews(found.messages, content.messages()),
    };
  }
}
