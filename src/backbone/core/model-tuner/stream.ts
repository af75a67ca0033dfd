import { Assembler } from './assemble.ts';
import type { Call } from './call.ts';
import type { ApiAnswer, HttpReply } from './apis/api.ts';
import { failures } from './failures.ts';
import {
  ModelFailureError,
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChunkBatches,
  type ModelFailure,
} from './model.ts';

type Chunks = ChunkBatches | Iterable<readonly ChatCompletionChunk[]>;

/** Assembles a stream. Rejects with the error of the model. */
export async function collect(chunks: Chunks, call?: Call): Promise<ChatCompletion> {
  const assembler = new Assembler();
  for await (const batch of chunks) {
    call?.partCame();
    if (call?.cancellation.isCancelled === true) break;
    for (const chunk of batch) assembler.add(chunk);
  }
  return whole(assembler);
}

export function* oneByOne(chunks: Iterable<ChatCompletionChunk>): Generator<readonly ChatCompletionChunk[]> {
  for (const chunk of chunks) yield [chunk];
}

/** Yields the received part of an answer, then rejects with its failure. */
export async function* brokenOff(
  received: Iterable<ChatCompletionChunk>,
  failure: ModelFailure,
): AsyncGenerator<readonly ChatCompletionChunk[]> {
  yield* oneByOne(received);
  await Promise.reject(new ModelFailureError(failure));
}

/** Streams the chunks as server-sent events, and finishes the call with the assembled completion. */
export function streamReply(call: Call, chunks: Chunks, answer: ApiAnswer): HttpReply {
  const assembler = new Assembler();
  // Not left to the body's generator: a client may be gone before it takes the first part.
  call.cancellation.onCancelled(() => giveUp(call, assembler));
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    body: writeEvents(call, chunks, answer, assembler),
  };
}

async function* writeEvents(
  call: Call,
  chunks: Chunks,
  answer: ApiAnswer,
  assembler: Assembler,
): AsyncGenerator<string> {
  // Others were cut from an answer that came whole.
  const isModels = Symbol.asyncIterator in chunks;
  try {
    for await (const batch of chunks) {
      if (isModels) call.partCame();
      if (call.cancellation.isCancelled) break;
      let events = '';
      for (const chunk of batch) {
        assembler.add(chunk);
        events += answer.chunk(chunk);
      }
      if (events !== '') yield events;
    }
    if (call.cancellation.isCancelled) {
      yield answer.failed(failures.cancelled());
    } else {
      // Before the last event: a client that has seen it may count on the call being recorded.
      const completion = whole(assembler);
      call.finish({ kind: 'answered', completion });
      yield answer.end(completion);
    }
  } catch (error) {
    const failure = call.cancellation.isCancelled ? failures.cancelled() : failureFrom(error);
    call.finish({ kind: 'failed', failure, partial: assembler.completion() });
    yield answer.failed(failure);
  } finally {
    giveUp(call, assembler);
  }
}

function whole(assembler: Assembler): ChatCompletion {
  const completion = assembler.completion();
  if (completion === undefined) throw new Error('The stream was empty.');
  return completion;
}

export function failureFrom(error: unknown): ModelFailure {
  return error instanceof ModelFailureError ? error.failure : failures.modelThrew(error);
}

/** Cancels the call. No effect on a finished call: a client may disconnect as soon as it has the whole answer. */
function giveUp(call: Call, assembler: Assembler): void {
  const partial = assembler.completion();
  const isWhole = assembler.isComplete && partial !== undefined;
  call.finish(isWhole ? { kind: 'answered', completion: partial } : { kind: 'cancelled', partial });
}
