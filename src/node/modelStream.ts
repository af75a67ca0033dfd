import { createParser } from 'eventsource-parser';
import type { ChatCompletionChunk } from '../backbone/model-tuner/model.ts';

/** What a server sent as one event of a stream: a chunk, or an error as some servers send it in mid-stream. */
export type StreamEvent =
  | { readonly kind: 'chunk'; readonly chunk: ChatCompletionChunk }
  | { readonly kind: 'error'; readonly body: string }
  | { readonly kind: 'garbage'; readonly text: string }
  | { readonly kind: 'done' };

/** The events in a text stream, as soon as each is whole. */
export async function* readEvents(text: AsyncIterable<string>): AsyncGenerator<StreamEvent> {
  let ready: StreamEvent[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => ready.push(readEvent(event, data)) });
  for await (const part of text) {
    parser.feed(part);
    yield* ready;
    ready = [];
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
