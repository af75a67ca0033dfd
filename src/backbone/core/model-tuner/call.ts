import { CancellationSource, type CancellationToken } from '../../../base/core/cancellation.ts';
import { DisposableStore } from '../../../base/core/disposable.ts';
import type { Clock } from '../../../base/core/ports.ts';
import type { CallSource } from '../../../tracking/core/records/trace.ts';
import { failures } from './failures.ts';
import type { CallIdentity, CannedReply, ChatCompletion, ChatRequest, ModelFailure } from './model.ts';

/** One LLM call, once it is over. */
export interface FinishedCall extends CallIdentity {
  readonly episodeUuid: string;
  /** The debug model that answered in place of the model being trained, so that nothing is tracked; null: none did. */
  readonly debugModel: string | null;
  /** What answered in place of any model; null: one did. */
  readonly canned: CannedReply | null;
  /** As the model got it, or would have: with the run's sampling values, the call's seed, and log probabilities asked for. */
  readonly request: ChatRequest;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** From the request's arrival to the last of its answer. */
  readonly seconds: number;
  /** Seconds from the request's arrival until a model was asked; null: none was. */
  readonly askedAfter: number | null;
  /** Seconds from the request's arrival to the first part of an answer that the model streamed; null: it did not. */
  readonly firstAfter: number | null;
  /** 200 exactly when the call was answered; 499 when it was given up before that. */
  readonly status: number;
  /** The answer, put together again where it was streamed. With a failure: what had come until then. */
  readonly completion: ChatCompletion | undefined;
  readonly failure: ModelFailure | undefined;
  /** The line of the user's code that asked; absent: it is not known. */
  readonly source?: CallSource | undefined;
}

/** How a call ends. */
export type CallOutcome =
  | { readonly kind: 'answered'; readonly completion: ChatCompletion }
  | { readonly kind: 'failed'; readonly failure: ModelFailure; readonly partial?: ChatCompletion | undefined }
  /** Given up: by its client, or because its episode is over. */
  | { readonly kind: 'cancelled'; readonly partial?: ChatCompletion | undefined };

export interface CallStart {
  readonly identity: CallIdentity;
  readonly episodeUuid: string;
  readonly debugModel: string | null;
  readonly request: ChatRequest;
  readonly source?: CallSource | undefined;
  readonly clock: Clock;
  /** What gives the call up. */
  readonly cancelledBy: readonly CancellationToken[];
  readonly onFinished: (call: FinishedCall) => void;
}

/** A call in flight: it is finished exactly once, by whatever ends it first. */
export class Call {
  readonly identity: CallIdentity;
  readonly request: ChatRequest;
  readonly #start: CallStart;
  readonly #startedAt: number;
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
    this.#startedAt = start.clock.now();
    this.#startedMonotonic = start.clock.monotonic();
    for (const token of start.cancelledBy) {
      this.#subscriptions.add(token.onCancelled(() => this.#cancellation.cancel()));
    }
  }

  get debugModel(): string | null {
    return this.#start.debugModel;
  }

  /** Milliseconds since the Unix epoch. */
  get startedAt(): number {
    return this.#startedAt;
  }

  get cancellation(): CancellationToken {
    return this.#cancellation.token;
  }

  /** From here on it waits for the model. */
  asksModel(): void {
    this.#askedAfter = this.#secondsSoFar();
  }

  /** A part of an answer has come from the model. */
  partCame(): void {
    this.#firstAfter ??= this.#secondsSoFar();
  }

  /** No model is asked: what it is answered with is canned. */
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
      startedAt: this.#startedAt,
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
