import type { Conversation, SearchView, TextView } from './protocol/conversationRpc.ts';
import type { TracedMessage } from '../../tracking/core/records/trace.ts';
import type { MessageLookup } from './episodeContent.ts';
import { traceErrors } from './errors.ts';
import type { FoundParts } from './foundParts.ts';
import { foundIn, textWindow, type Sought, type TextWindow } from './messageTexts.ts';

export interface CallMessages {
  readonly messages: readonly TracedMessage[];
  readonly reply: TracedMessage | null;
}

/** Views of the messages of calls and timelines, whole or in windows. */
export class ConversationViews {
  readonly #parts: FoundParts;

  constructor(parts: FoundParts) {
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

  search(episode: number, of: Conversation, sought: Sought): SearchView {
    const { positions, messages } = this.#conversation(episode, of);
    return foundIn(positions, messages, sought);
  }

  ofTimeline(episode: number, timeline: number): readonly TracedMessage[] {
    const { content, found } = this.#parts.timeline(episode, timeline);
    const messages = content.messages();
    return found.messages.map((position) => wholeMessage(messages, position));
  }

  ofCall(episode: number, call: number): CallMessages {
    const messages = this.#parts.content(episode).messages();
    const { reply } = this.#parts.call(episode, call);
    const asked = this.#parts.trace.calls.details(episode, call).messages;
    return {
      messages: asked.map((position) => wholeMessage(messages, position)),
      reply: reply === null ? null : wholeMessage(messages, reply),
    };
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
