import type { Disposable } from '../../base/disposable.ts';
import { otherTrace, reportOf } from '../../node/trace/errors.ts';
import {
  traceCall,
  type TraceClient,
  type TraceMethod,
  type TraceReply,
  type TraceRequest,
} from '../../protocol/traceRpc.ts';

/** Passes a page's questions on, about its own trace only, and the answers back. */
export class TraceRelay implements Disposable {
  readonly #client: TraceClient;
  readonly #trace: string;
  readonly #post: (reply: TraceReply) => void;
  readonly #notices: Disposable;
  #watching = false;
  /** Pages that there were before this one: their questions have ids of their own. */
  #page = 0;

  constructor(client: TraceClient, trace: string, post: (reply: TraceReply) => void) {
    this.#client = client;
    this.#trace = trace;
    this.#post = post;
    this.#notices = client.onChanged((changed) => {
      if (this.#watching && changed === trace) post({ notice: 'changed', trace });
    });
  }

  /** Never rejects: every call is answered, unless its page is gone by then. */
  async receive(message: unknown): Promise<void> {
    const page = this.#page;
    const call = traceCall.safeParse(message);
    if (!call.success) return; // no call, so nobody waits for an answer
    const { id, request } = call.data;
    const reply = await this.#answer(request).then(
      (result): TraceReply => ({ id, result }),
      (error: unknown): TraceReply => ({ id, error: reportOf(error) }),
    );
    if (page === this.#page) this.#post(reply);
  }

  /** The page was unloaded; another one may come in its place. */
  pageGone(): void {
    this.#page += 1;
    if (!this.#watching) return;
    this.#watching = false;
    this.#client.ask('unwatch', { trace: this.#trace }).catch(() => undefined); // a server that died watches nothing
  }

  dispose(): void {
    this.pageGone();
    this.#notices.dispose();
  }

  async #answer(request: TraceRequest): Promise<unknown> {
    const asked = request.method === 'summaries' ? request.traces : [request.trace];
    const other = asked.find((trace) => trace !== this.#trace);
    if (other !== undefined) throw otherTrace(other);
    const watches = request.method === 'watch' || request.method === 'unwatch';
    if (watches && (request.method === 'watch') === this.#watching) return null;
    if (watches) this.#watching = request.method === 'watch';
    const { method, ...parameters } = request;
    return this.#client.ask<TraceMethod>(method, parameters);
  }
}
