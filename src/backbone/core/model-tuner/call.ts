import { CancellationSource, type CancellationToken } from '../../../base/core/cancellation.ts';
import { DisposableStore } from '../../../base/core/disposable.ts';
import type { Clock } from '../../../base/core/ports.ts';
import type { CallSource } from '../../../tracking/core/records/trace.ts';
import { failures } from './failures.ts';
import type { CallIdentity, CannedReply, ChatCompletion, ChatRequest, ModelFailure } from './model.ts';
import type { ContextCheck } from '../../../tracking/core/tracker.ts';

export interface FinishedCall extends CallIdentity {
  readonly episodeUuid: string;
  /** The debug model that answered, so that the call is not tracked; null for the model being trained. */
  readonly debugModel: string | null;
  /** The canned reply; null if a model answered. */
  readonly canned: CannedReply | null;
  /** The request to the model, with the run's sampling values, the call's seed and `logprobs`. */
  readonly request: ChatRequest;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Duration from the arrival of the request to the end of the answer. */
  readonly seconds: number;
  /** Seconds from the arrival of the request until it was passed to a model; null if it was not. */
  readonly askedAfter: number | null;
  /** Seconds from the arrival of the request to the first streamed part; null for an answer that was not streamed. */
  readonly firstAfter: number | null;
  /** 200 for an answered call, 499 for a canceled one. */
  readonly status: number;
  /** The whole answer, assembled from the stream. After a failure: the part received until then. */
  readonly completion: ChatCompletion | undefined;
  readonly failure: ModelFailure | undefined;
  readonly source?: CallSource | undefined;
}

export type CallOutcome =
  | { readonly kind: 'answered'; readonly completion: ChatCompletion }
  | { readonly kind: 'failed'; readonly failure: ModelFailure; readonly partial?: ChatCompletion | undefined }
  /** Canceled by the client, or because the episode ended. */
  | { readonly kind: 'cancelled'; readonly partial?: ChatCompletion | undefined };

export interface CallStart {
  readonly identity: CallIdentity;
  readonly episodeUuid: string;
  readonly debugModel: string | null;
  readonly request: ChatRequest;
  readonly source?: CallSource | undefined;
  readonly clock: Clock;
  readonly cancelledBy: readonly CancellationToken[];
  readonly onFinished: (call: FinishedCall) => void;
}

/** A call in flight. It finishes exactly once; later calls of `finish` have no effect. */
export class Call {
  readonly identity: CallIdentity;
  readonly request: ChatRequest;
  readonly #start: CallStart;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly #startedMonotonic: number;
  readonly #cancellation = new CancellationSource();
  readonly #subscriptions = new DisposableStore();
  #askedAfter: number | null = null;
  #firstAfter: number | null = null;
  #canned: CannedReply | null = null;
  #isFinished = false;

  constructor(start: CallStart) {
    this.identity = start.identity;
    this.request = start.request;
    this.#start = start;
    this.startedAt = start.clock.now();
    this.#startedMonotonic = start.clock.monotonic();
    for (const token of start.cancelledBy) {
      this.#subscriptions.add(token.onCancelled(() => this.#cancellation.cancel()));
    }
  }

  get debugModel(): string | null {
    return this.#start.debugModel;
  }

  get cancellation(): CancellationToken {
    return this.#cancellation.token;
  }

  asksModel(): void {
    this.#askedAfter = this.#secondsSoFar();
  }

  partCame(): void {
    this.#firstAfter ??= this.#secondsSoFar();
  }

  answerCanned(reply: CannedReply): void {
    this.#canned = reply;
  }

  finish(outcome: CallOutcome): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#subscriptions.dispose();
    const failure = failureOf(outcome);
    this.#start.onFinished({
      ...this.identity,
      episodeUuid: this.#start.episodeUuid,
      debugModel: this.debugModel,
      canned: this.#canned,
      request: this.request,
      startedAt: this.startedAt,
      seconds: this.#secondsSoFar(),
      askedAfter: this.#askedAfter,
      firstAfter: this.#firstAfter,
      status: failure?.status ?? 200,
      completion: outcome.kind === 'answered' ? outcome.completion : outcome.partial,
      failure,
      ...(this.#start.source && { source: this.#start.source }),
    });
  }

  #secondsSoFar(): number {
    return (this.#start.clock.monotonic() - this.#startedMonotonic) / 1000;
  }
}

function failureOf(outcome: CallOutcome): ModelFailure | undefined {
  switch (outcome.kind) {
    case 'answered':
      return undefined;
    case 'failed':
      return outcome.failure;
    case 'cancelled':
      return failures.cancelled();
  }
}

export type PendingCall = Pick<FinishedCall, 'episode' | 'call' | 'agentName' | 'request' | 'startedAt'>;

/** The Context Tracker's check of a call before it reaches the model. Never rejects. */
export type ContextGuard = (call: PendingCall) => Promise<ContextCheck>;

/** Returns upstream's answer to a prompt that overflows the context: a text without tokens and usage. */
export function overflowCompletion(now: number): ChatCompletion {
  const message = { role: 'assistant', content: 'ajet_proxy: Exceeded max model context length.' } as const;
  return {
    id: 'overflow_response' satisfies CannedReply,
    object: 'chat.completion',
    created: Math.floor(now / 1000),
    model: 'unknown',
    choices: [{ index: 0, message: { ...message, refusal: null }, logprobs: null, finish_reason: 'stop' }],
  };
}
