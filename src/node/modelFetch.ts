import { failureReply, failures } from '../backbone/model-tuner/failures.ts';
import type { HttpReply, RequestHandler } from '../backbone/model-tuner/http.ts';
import { CancellationSource } from '../base/cancellation.ts';
import { defaultBodyLimit, type ModelServerOptions } from './modelServer.ts';

/** The same as going through the socket, within this process: no port, no copy through the kernel. */
export function createModelFetch(handle: RequestHandler, options: ModelServerOptions = {}): typeof fetch {
  const bodyLimit = options.bodyLimit ?? defaultBodyLimit;
  return async (input, init) => {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    const cancellation = new CancellationSource();
    request.signal.addEventListener('abort', () => cancellation.cancel());
    return Promise.race([answer(request, handle, bodyLimit, cancellation), aborted(request.signal)]);
  };
}

async function answer(
  request: Request,
  handle: RequestHandler,
  bodyLimit: number,
  cancellation: CancellationSource,
): Promise<Response> {
  const body = await request.text();
  if (Buffer.byteLength(body) > bodyLimit) {
    return toResponse(failureReply(failures.tooLarge(bodyLimit)), request.signal, cancellation);
  }
  const url = new URL(request.url);
  const reply = await handle({
    method: request.method,
    path: url.pathname + url.search,
    headers: { ...Object.fromEntries(request.headers), host: url.host },
    body,
    cancellation: cancellation.token,
  });
  return toResponse(reply, request.signal, cancellation);
}

/** What `fetch` does on abortion: it rejects at once, with the signal's reason. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function toResponse(reply: HttpReply, signal: AbortSignal, cancellation: CancellationSource): Response {
  const body = typeof reply.body === 'string' ? reply.body : byteStream(reply.body, signal, cancellation);
  return new Response(body, { status: reply.status, headers: { ...reply.headers } });
}

/** Takes the next part only when it is read for: the reader sets the pace, as on a full socket. */
function byteStream(
  parts: AsyncIterable<string>,
  signal: AbortSignal,
  cancellation: CancellationSource,
): ReadableStream<Uint8Array> {
  const iterator = parts[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        signal.addEventListener('abort', () => controller.error(signal.reason), { once: true });
      },
      pull: async (controller) => {
        const next = await iterator.next();
        if (signal.aborted) return;
        if (next.done === true) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      },
      cancel: () => cancellation.cancel(),
    },
    { highWaterMark: 0 },
  );
}
