import type { Conversation, SearchView, TextView, MessageView } from './protocol/episodeRpc.ts';
import type { TracedMessage } from '../../tracking/core/records/trace.ts';
import type { MessageLookup, TraceLookup } from './episodeContent.ts';
import { traceErrors } from './errors.ts';
import { searchMessages, textWindow, type TextQuery, type TextWindow } from './messageTexts.ts';
import { largestWindow } from './protocol/traceRpc.ts';
import { clip } from './clip.ts';

export interface CallMessages {
  readonly messages: readonly TracedMessage[];
  readonly reply: TracedMessage | null;
}

export class ConversationViews {
  readonly #parts: TraceLookup;

  constructor(parts: TraceLookup) {
    this.#parts = parts;
  }

  text(episode: number, of: Conversation, message: number, window: TextWindow): TextView {
    const { positions, messages } = this.#conversation(episode, of);
    const position = positions[message];
    if (position === undefined) {
      throw traceErrors.noSuchMessage(this.#parts.trace.rows.file, episode, message);
    }
    return textWindow(messages.text(position).text, window);
  }

  search(episode: number, of: Conversation, sought: TextQuery): SearchView {
    const { positions, messages } = this.#conversation(episode, of);
    return searchMessages(positions, messages, sought);
  }

  ofTimeline(episode: number, timeline: number): readonly TracedMessage[] {
    const { positions, messages } = this.#conversation(episode, { kind: 'timeline', timeline });
    return positions.map((position) => wholeMessage(messages, position));
  }

  ofCall(episode: number, call: number): CallMessages {
    const { positions, messages } = this.#conversation(episode, { kind: 'call', call });
    const whole = positions.map((position) => wholeMessage(messages, position));
    const hasReply = this.#parts.call(episode, call).reply !== null;
    return hasReply
      ? { messages: whole.slice(0, -1), reply: whole.at(-1) ?? null }
      : { messages: whole, reply: null };
  }

  #conversation(
    episode: number,
    of: Conversation,
  ): { readonly positions: readonly number[]; readonly messages: MessageLookup } {
    if (of.kind === 'timeline') {
      const { content, found } = this.#parts.timeline(episode, of.timeline);
      return { positions: found.messages, messages: content.messages() };
    }
    const messages = this.#parts.content(episode).messages();
    const { reply } = this.#parts.call(episode, of.call);
    const asked = this.#parts.trace.calls.details(episode, of.call).messages;
    return { positions: reply === null ? asked : [...asked, reply], messages };
  }
}

function wholeMessage(messages: MessageLookup, position: number): TracedMessage {
  const { role, author, toolCallId } = messages.head(position);
  return { role, author, toolCallId, ...messages.text(position), ...messages.tokens(position) };
}

export function messageViews(positions: readonly number[], messages: MessageLookup): readonly MessageView[] {
  let firstToken = 0;
  return positions.map((position, index) => {
    const { role, author, toolCallId, tokens, trainableTokens } = messages.head(position);
    const { text, toolCalls } = messages.text(position);
    const shown = clip(text, largestWindow.listed);
    const { length } = text;
    const truncated = shown.length < length;
    const counts = { firstToken, tokens, trainableTokens };
    firstToken += tokens;
    return { index, role, author, text: shown, length, truncated, toolCalls, toolCallId, ...counts };
  });
}
