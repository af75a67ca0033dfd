import type { Disposable } from '../../base/core/disposable.ts';
import { otherTrace } from '../node/errors.ts';
import type { DebugResult, ShowResult, SourceView } from '../core/protocol/codeRpc.ts';
import {
  traceCall,
  type ParamsOf,
  type TraceMethod,
  type TraceReply,
  type TraceRequest,
} from '../core/protocol/traceRpc.ts';
import { reportOf } from '../core/errors.ts';
import type { RunsView } from '../core/protocol/runRpc.ts';
import { newestFirst, type TraceClient } from '../core/methods.ts';
import type { GoMessage, HeldMessage } from '../core/viewerPage.ts';

export interface RelayedActions {
  show(source: SourceView): Promise<void>;
  /** Replays an episode of the trace under the debugger. Rejects with a CodedError. */
  debug(trace: string, episode: number, call?: number): Promise<void>;
  /** Asks the user for a run to compare with. Null: the user chose none. */
  otherRun(trace: string): Promise<string | null>;
  mayRead(trace: string): boolean;
  /** Returns the traces of the window, and this one. */
  runs(trace: string): Promise<readonly string[]>;
  openRun(trace: string): Promise<void>;
}

/** Relays a page's requests about its own trace and the compared traces, and sends the replies back. */
export class TraceRelay implements Disposable {
  readonly #client: TraceClient;
  readonly #trace: string;
  readonly #post: (reply: TraceReply | GoMessage | HeldMessage) => void;
  readonly #actions: RelayedActions;
  readonly #notices: Disposable;
  #watching = false;
  /** The location that the page shows when it is ready. */
  #place: string | undefined;
  #held = false;
  /** The traces that the page may open. */
  #listed: readonly string[] = [];
  /** The number of earlier pages. Their request ids must not match those of this page. */
  #page = 0;

  constructor(
    client: TraceClient,
    trace: string,
    post: (reply: TraceReply | GoMessage | HeldMessage) => void,
    actions: RelayedActions,
  ) {
    this.#client = client;
    this.#trace = trace;
    this.#post = post;
    this.#actions = actions;
    this.#notices = client.onChanged((changed) => {
      if (this.#watching && changed === trace) post({ notice: 'changed', trace });
    });
  }

  /** Handles a message. Never rejects. Every call gets a reply, unless its page is gone. */
  async receive(message: unknown): Promise<void> {
    const page = this.#page;
    const call = traceCall.safeParse(message);
    if (!call.success) return; // an invalid call has no id to reply to
    const { id, request } = call.data;
    const reply = await this.#answer(request).then(
      (result): TraceReply => ({ id, result }),
      (error: unknown): TraceReply => ({ id, error: reportOf(error) }),
    );
    if (page !== this.#page) return;
    this.#post(reply);
    // A page sends `watch` first, and listens by then.
    if (request.method !== 'watch') return;
    if (this.#held) this.#post({ held: true });
    this.#sendPlace();
  }

  /** @param place parameters of the viewer's address */
  go(place: string): void {
    this.#place = place;
    if (this.#watching) this.#sendPlace();
  }

  /** Says whether a debugger holds the run. */
  setHeld(held: boolean): void {
    this.#held = held;
    if (this.#watching) this.#post({ held });
  }

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

  #sendPlace(): void {
    if (this.#place !== undefined) this.#post({ go: this.#place });
    this.#place = undefined;
  }

  async #answer(request: TraceRequest): Promise<unknown> {
    const other = tracesOf(request).find((trace) => trace !== this.#trace && !this.#mayRead(request, trace));
    if (other !== undefined) throw otherTrace(other);
    if (request.method === 'otherRuns') return { chosen: await this.#actions.otherRun(this.#trace) };
    if (request.method === 'runs') return this.#runs();
    if (request.method === 'openRun') return this.#openRun(request);
    if (request.method === 'show') return this.#show(request);
    if (request.method === 'debug') return this.#debug(request);
    const watches = request.method === 'watch' || request.method === 'unwatch';
    if (watches && (request.method === 'watch') === this.#watching) return null;
    if (watches) this.#watching = request.method === 'watch';
    const { method, ...parameters } = request;
    return this.#client.ask(method, parameters);
  }

  #mayRead({ method }: TraceRequest, trace: string): boolean {
    return comparing.has(method) && this.#actions.mayRead(trace);
  }

  /** Shows a source location. The page does not name the file: the trace server reads it from the trace. */
  async #show({ episode, of }: ParamsOf<'show'>): Promise<ShowResult> {
    const source = await this.#client.ask('source', { trace: this.#trace, episode, of });
    await this.#actions.show(source);
    return { source, shown: 'editor' };
  }

  async #runs(): Promise<RunsView> {
    this.#listed = await this.#actions.runs(this.#trace);
    return { runs: newestFirst(await this.#client.ask('summaries', { traces: [...this.#listed] })) };
  }

  async #openRun({ other }: ParamsOf<'openRun'>): Promise<null> {
    if (!this.#listed.includes(other)) throw otherTrace(other);
    await this.#actions.openRun(other);
    return null;
  }

  async #debug({ episode, call }: ParamsOf<'debug'>): Promise<DebugResult> {
    const { command } = await this.#client.ask('debug', { trace: this.#trace, episode });
    await this.#actions.debug(this.#trace, episode, call);
    return { started: 'editor', command };
  }
}

const comparing: ReadonlySet<TraceMethod> = new Set<TraceMethod>(['compare', 'counterparts', 'tokens']);

function tracesOf(request: TraceRequest): readonly string[] {
  switch (request.method) {
    case 'summaries':
      return request.traces;
    case 'compare':
      return [request.trace, request.left.trace, request.right.trace];
    case 'counterparts':
      return [request.trace, request.other];
    default:
      return [request.trace];
  }
}
