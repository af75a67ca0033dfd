import type { FindView, StripView, TokenDetail, TokensView } from './protocol/tokenRpc.ts';
import { findTokens, type FindMatches, type TokenSearch } from './findTokens.ts';
import type { FoundParts, FoundTimeline } from './foundParts.ts';
import { stripView } from './stripView.ts';
import { tokenDetail } from './tokenDetail.ts';
import { TokenFactSource, type TimelineFacts } from './tokenFacts.ts';
import { tokensView } from './tokensView.ts';
import type { TokenTable } from './tokenTable.ts';

/** Views of the tokens of timelines. */
export class TokenViews {
  readonly #parts: FoundParts;
  readonly #facts: TokenFactSource;
  readonly #matches: FindMatches;

  constructor(parts: FoundParts, table: TokenTable, matches: FindMatches) {
    this.#parts = parts;
    this.#facts = new TokenFactSource(parts.trace, table);
    this.#matches = matches;
  }

  window(episode: number, timeline: number, from: number, limit: number): TokensView {
    const at = this.#parts.timeline(episode, timeline);
    return tokensView(at.found.messages, this.#factsOf(at), { from, limit });
  }

  token(episode: number, timeline: number, token: number): TokenDetail {
    const at = this.#parts.timeline(episode, timeline);
    return tokenDetail(this.#parts.trace, { ...at, timeline }, this.#factsOf(at), token);
  }

  strip(episode: number, timeline: number, stretches: number): StripView {
    const at = this.#parts.timeline(episode, timeline);
    return stripView(at.found.messages, this.#factsOf(at), stretches);
  }

  find(episode: number, timeline: number, search: TokenSearch): FindView {
    const at = this.#parts.timeline(episode, timeline);
    return findTokens(at.found.messages, this.#factsOf(at), search, this.#matches);
  }

  #factsOf(at: FoundTimeline): TimelineFacts {
    return this.#facts.of(at, this.#parts.run().tokenizer.exact);
  }
}
