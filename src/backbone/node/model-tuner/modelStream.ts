import { createParser } from 'eventsource-parser';
import type { ChatCompletionChunk } from '../../core/model-tuner/model.ts';

/** What a server sent as one event of a stream: a chunk, or an error as some servers send it in mid-stream. */
export type StreamEvent =
  | { readonly kind: 'chunk'; readonly chunk: ChatCompletionChunk }
  | { readonly kind: 'error'; readonly body: string }
  | { readonly kind: 'garbage'; readonly text: string }
  | { readonly kind: 'done' };

/** Finds the events in the text of a stream. */
export class EventReader {
  #ready: StreamEvent[] = [];
  readonly #parser = createParser({ onEvent: ({ event, data }) => this.#ready.push(readEvent(event, data)) });

  /** The events that this part of the text completes. */
  read(text: string): readonly StreamEvent[] {
    this.#ready = [];
    this.#parser.feed(text);
    return this.#ready;
  }
}

function readEvent(name: string | undefined, data: string): StreamEvent {
  if (data === '[DONE]') return { kind: 'done' };
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return name === 'error' ? { kind: 'error', body: data } : { kind: 'garbage', text: data };
  }
  if (typeof value !== 'object' || value === null) return { kind: 'garbage', text: data };
  const hasError = 'error' in value && value.error !== null && value.error !== undefined;
  if (name === 'error' || hasError) return { kind: 'error', body: data };
  return { kind: 'chunk', chunk: value as ChatCompletionChunk };
}
