import { failureReply } from '../../core/model-tuner/apis/index.ts';
import { failures } from '../../core/model-tuner/failures.ts';
import type { HttpReply, RequestHandler } from '../../core/model-tuner/apis/api.ts';
import { CancellationSource } from '../../../base/core/cancellation.ts';
import { toDisposable, type Disposable } from '../../../base/core/disposable.ts';
import { defaultBodyLimit, type ModelServerOptions } from './modelServer.ts';

/** Returns a `fetch` that calls the gateway within this process, without a socket. */
export function createModelFetch(handle: RequestHandler, options: ModelServerOptions = {}): typeof fetch {
  const bodyLimit = options.bodyLimit ?? defaultBodyLimit;
  return async (input, init) => {
    const client = new Client(init?.signal ?? (input instanceof Request ? input.signal : undefined));
    const request = new Request(input, { ...init, signal: null });
    const answered = answer(request, handle, bodyLimit, client);
    return Promise.race([answered, client.aborted]);
  };
}

/** The caller of one `fetch`, who may abort it. */
class Client implements Disposable {
  readonly cancellation = new CancellationSource();
  /** Rejects as `fetch` does on abortion: at once, with the signal's reason. */
  readonly aborted: Promise<never>;
  readonly #signal: AbortSignal | undefined;
  readonly #listening: Disposable;

  /**
   *
   * @param signal the signal of the caller. A `Request` made from it would pass abortions on only while it is
   *   referenced.
   */
  constructor(signal: AbortSignal | undefined) {
    signal?.throwIfAborted();
    this.#signal = signal;
    const cancel = (): void => this.cancellation.cancel();
    signal?.addEventListener('abort', cancel);
    this.#listening = toDisposable(() => signal?.removeEventListener('abort', cancel));
    this.aborted = new Promise((_, reject) => {
      this.cancellation.token.onCancelled(() => reject(this.reason));
    });
  }

  /** The reason of the abortion that the caller gave, mostly an error. */
  get reason(): Error {
    return this.#signal?.reason as Error;
  }

  /** Call it when the response is complete or no longer needed. */
  dispose(): void {
    this.#listening.dispose();
  }
}

async function answer(
  request: Request,
  handle: RequestHandler,
  bodyLimit: number,
  client: Client,
): Promise<Response> {
  const body = await request.text();
  if (Buffer.byteLength(body) > bodyLimit)
    return toResponse(failureReply(failures.tooLarge(bodyLimit), new URL(request.url).pathname), client);
  const url = new URL(request.url);
  const reply = await handle({
    method: request.method,
    path: url.pathname + url.search,
    headers: { ...Object.fromEntries(request.headers), host: url.host },
    body,
    cancellation: client.cancellation.token,
  });
  return toResponse(reply, client);
}

function toResponse(reply: HttpReply, client: Client): Response {
  const head = { status: reply.status, headers: { ...reply.headers } };
  if (typeof reply.body !== 'string') return new Response(byteStream(reply.body, client), head);
  client.dispose();
  return new Response(reply.body, head);
}

/** Reads the next part only on demand, so that the reader sets the pace, as on a full socket. */
function byteStream(parts: AsyncIterable<string>, client: Client): ReadableStream<Uint8Array> {
  const { token } = client.cancellation;
  const iterator = parts[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        token.onCancelled(() => controller.error(client.reason));
      },
      pull: async (controller) => {
        const next = await iterator.next();
        if (token.isCancelled) return;
        if (next.done !== true) {
          controller.enqueue(encoder.encode(next.value));
        } else {
          client.dispose();
          controller.close();
        }
      },
      cancel: () => {
        client.dispose();
        client.cancellation.cancel();
      },
    },
    { highWaterMark: 0 },
  );
}
