/** Requests to a Tinker server: what a status means, what is tried again, and how a result is waited for. */
import * as z from 'zod/mini';
import { backoff } from '../../base/core/backoff.ts';
import { waitFor, type CancellationToken } from '../../base/core/cancellation.ts';
import { DisposableStore } from '../../base/core/disposable.ts';
import { messageOf, type CodedError } from '../../base/core/errors.ts';
import { excerpt, formatFieldErrors } from '../../base/core/httpTexts.ts';
import { isRecord } from '../../base/core/isRecord.ts';
import { parseJson } from '../../base/core/parseJson.ts';
import type { Clock } from '../../base/core/ports.ts';
import { checked } from './checked.ts';
import type { Credentials } from './credentials.ts';
import { tinkerErrors, type Task } from './errors.ts';
import type { TinkerNotice, TokenKind } from './service.ts';
import { TransportFailure, type HttpAnswer, type HttpCall, type Transport } from './transport.ts';

export interface ConnectionParts {
  /** The address of the server, for messages. */
  readonly server: string;
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly clock: Pick<Clock, 'after'>;
  /** Returns an id that no other request has. */
  readonly newId: () => string;
  readonly onNotice: (notice: TinkerNotice) => void;
  /** Called with the number of tokens that the server has processed. */
  readonly onTokens: (kind: TokenKind, count: number) => void;
}

export interface Request {
  readonly task: Task;
  readonly method?: HttpCall['method'];
  readonly path: string;
  /** An object is sent as JSON, bytes as protobuf. */
  readonly body?: object | Uint8Array;
  readonly headers?: HttpCall['headers'];
  readonly cancellation: CancellationToken;
  /** Fails at once where other requests wait for a server that does not answer. */
  readonly isFirst?: boolean;
}

/** The result of a request that takes long. */
export type Result = { readonly protobuf: Uint8Array } | { readonly json: unknown };

/** A state that passes: first and longest pause, and the sum of all pauses until the request fails, in milliseconds. */
interface PassingState {
  readonly first: number;
  readonly most: number;
  readonly limit: number;
  readonly text: string;
  /** `why`: the words of the server, or of the connection. */
  failure(server: string, task: Task, why: string): CodedError;
}

const minutes = 60_000;

const passingStates = {
  unreachable: {
    ...{ first: 500, most: 10_000, limit: 5 * minutes },
    text: 'the Tinker server does not answer',
    failure: (server, _, why) => tinkerErrors.noServer(server, why),
  },
  failing: {
    ...{ first: 500, most: 10_000, limit: 15_000 },
    text: 'the Tinker server reports an internal error',
    failure: (_, task, why) => tinkerErrors.serverFailed(task, why),
  },
  early: {
    ...{ first: 1_000, most: 1_000, limit: 5 * minutes },
    text: 'the weights are still being written',
    failure: (_, task, why) => tinkerErrors.busy(task, why),
  },
  busy: {
    ...{ first: 1_000, most: 30_000, limit: 30 * minutes },
    text: 'the Tinker server is busy',
    failure: (_, task, why) => tinkerErrors.busy(task, why),
  },
  unpaid: {
    ...{ first: 5_000, most: 5_000, limit: 60 * minutes },
    text: 'the account is out of funds. Add funds in the console of the service',
    failure: (server, _, why) => tinkerErrors.noFunds(server, why),
  },
} satisfies Record<string, PassingState>;

const pauses = {
  paused_capacity: 'the Tinker service has no free capacity',
  paused_rate_limit: 'the Tinker service limits the rate of requests',
} as const;

/** Milliseconds that the server may hold a request for a result. Then the client sends the request again. */
const pollTimeout = 45_000;
const sendTimeout = 60_000;

const located = z.looseObject({ url: z.string() });
const submitted = z.looseObject({ request_id: z.union([z.string(), z.number()]) });
const pending = z.looseObject({
  type: z.optional(z.string()),
  queue_state: z.optional(z.nullable(z.string())),
  queue_state_reason: z.optional(z.nullable(z.string())),
});

export class Connection {
  readonly #parts: ConnectionParts;
  /** The reasons for which requests wait, by request. */
  readonly #waits = new Map<object, string>();
  #shownWait: string | undefined;
  #end: CodedError | undefined;
  readonly #onEnd = new Set<() => void>();

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  get server(): string {
    return this.#parts.server;
  }

  get clock(): ConnectionParts['clock'] {
    return this.#parts.clock;
  }

  notify(notice: TinkerNotice): void {
    this.#parts.onNotice(notice);
  }

  countTokens(kind: TokenKind, count: number): void {
    this.#parts.onTokens(kind, count);
  }

  /** Fails all requests that are waiting and all later ones. */
  end(reason: CodedError): void {
    this.#end ??= reason;
    for (const listener of [...this.#onEnd]) listener();
  }

  /** Sends a request and reads its JSON. */
  async json<T>(schema: z.ZodMiniType<T>, request: Request): Promise<T> {
    const answer = await this.send(request);
    return this.#read(schema, parseJson(textOf(answer)), request.task);
  }

  /** Sends a request that takes long. Resolves once the server has it, to what is needed to wait for its result. */
  async submit(request: Request): Promise<{ readonly requestId: string; readonly answer: unknown }> {
    const answer = await this.json(submitted, request);
    return { requestId: String(answer.request_id), answer };
  }

  /** Waits for the result of a request that {@link submit} has sent. */
  async result(
    requestId: string,
    task: Task,
    cancellation: CancellationToken,
    protobuf = false,
  ): Promise<Result> {
    const wait = {};
    const request: Request = {
      ...{ task, path: '/api/v1/retrieve_future', cancellation },
      body: { request_id: requestId, allow_metadata_only: false },
    };
    try {
      for (;;) {
        const answer = await this.#attempt(request, { isPoll: true, protobuf });
        const found = answer === 'pending' ? 'pending' : this.#readResult(answer, task);
        if (found !== 'pending' && 'result' in found) return found.result;
        this.#wait(wait, found === 'pending' ? undefined : found.paused);
      }
    } finally {
      this.#wait(wait, undefined);
    }
  }

  /** Submits a request and waits for its JSON result. */
  async run<T>(schema: z.ZodMiniType<T>, request: Request): Promise<T> {
    const { requestId } = await this.submit(request);
    return this.readJson(
      schema,
      await this.result(requestId, request.task, request.cancellation),
      request.task,
    );
  }

  readJson<T>(schema: z.ZodMiniType<T>, result: Result, task: Task): T {
    return this.#read(schema, 'json' in result ? result.json : undefined, task);
  }

  /** Sends a request, again while the server is in a state that passes. Rejects for all statuses but 2xx. */
  async send(request: Request): Promise<HttpAnswer> {
    const answer = await this.#attempt(request, { isPoll: false, protobuf: false });
    if (answer === 'pending') throw tinkerErrors.badAnswer(request.task, 'the request timed out');
    if (!isGood(answer)) throw this.#refusal(answer, request.task);
    return answer;
  }

  /** Sends a request for a file, and returns the URL at which the file is. It can be relative to that of the server. */
  async locate(request: Request): Promise<string> {
    const answer = await this.#attempt(request, { isPoll: false, protobuf: false });
    if (answer === 'pending') throw tinkerErrors.badAnswer(request.task, 'the request timed out');
    const { location } = answer.headers;
    if (answer.status >= 300 && answer.status < 400 && location !== undefined) return location;
    if (!isGood(answer)) throw this.#refusal(answer, request.task);
    return this.#read(located, parseJson(textOf(answer)), request.task).url;
  }

  #read<T>(schema: z.ZodMiniType<T>, value: unknown, task: Task): T {
    return readAnswer(task, () => checked(schema, value));
  }

  /** Returns the result, or the reason for which there is none yet. */
  #readResult(
    answer: HttpAnswer,
    task: Task,
  ): { readonly result: Result } | { readonly paused: string | undefined } {
    if (answer.status === 408) return { paused: pausedText(parseJson(textOf(answer))) };
    if (!isGood(answer)) throw this.#refusal(answer, task);
    if (answer.headers['content-type']?.includes('x-protobuf') === true)
      return { result: { protobuf: answer.body } };
    const json = parseJson(textOf(answer));
    if (!isRecord(json)) throw tinkerErrors.badAnswer(task, excerpt(textOf(answer)));
    if (json['type'] === 'try_again') return { paused: pausedText(json) };
    const { error } = json;
    if (typeof error === 'string')
      throw this.#knownFailure(task, error) ?? tinkerErrors.serverFailed(task, error);
    return { result: { json } };
  }

  async #attempt(
    request: Request,
    { isPoll, protobuf }: { isPoll: boolean; protobuf: boolean },
  ): Promise<HttpAnswer | 'pending'> {
    const { task, cancellation } = request;
    const token = this.#untilEnd(cancellation);
    const id = this.#parts.newId();
    const waited = new Map<PassingState, { failures: number; sum: number }>();
    const wait = {};
    const check = (): void => {
      if (token.isCancelled) throw this.#end ?? tinkerErrors.cancelled(task);
    };
    try {
      for (;;) {
        check();
        const answer = await this.#once(request, { id, isPoll, protobuf }, token);
        check();
        if (isPoll && answer instanceof TransportFailure && answer.isTimeout) return 'pending';
        const state = stateOf(answer, isPoll);
        if (state === undefined) return answer as HttpAnswer;
        const past = waited.get(state) ?? { failures: 0, sum: 0 };
        const pause = retryAfter(answer) ?? backoff(past.failures + 1, state);
        const isFatal =
          request.isFirst === true && (state === passingStates.unreachable || state === passingStates.unpaid);
        if (isFatal || past.sum + pause > state.limit) {
          throw state.failure(
            this.server,
            task,
            answer instanceof TransportFailure ? answer.message : detailOf(answer),
          );
        }
        waited.set(state, { failures: past.failures + 1, sum: past.sum + pause });
        this.#wait(wait, state.text);
        await waitFor(pause, this.#parts.clock, token);
      }
    } finally {
      this.#wait(wait, undefined);
    }
  }

  async #once(
    { method = 'POST', path, body, headers }: Request,
    { id, isPoll, protobuf }: { id: string; isPoll: boolean; protobuf: boolean },
    token: CancellationToken,
  ): Promise<HttpAnswer | TransportFailure> {
    const { credentials, transport } = this.#parts;
    const isBytes = body instanceof Uint8Array;
    try {
      for (let tries = 1; ; tries += 1) {
        const answer = await transport(
          {
            ...{ method, path, timeout: isPoll ? pollTimeout : sendTimeout },
            headers: {
              ...(await credentials.headers(token)),
              ...(body !== undefined && {
                'content-type': isBytes ? 'application/x-protobuf' : 'application/json',
              }),
              ...(protobuf && { accept: 'application/x-protobuf' }),
              ...(method === 'POST' && !isPoll && { 'x-idempotency-key': id }),
              ...headers,
            },
            ...(body !== undefined && { body: isBytes ? body : JSON.stringify(body) }),
          },
          token,
        );
        if (answer.status !== 401 || tries > 1 || !credentials.renews(answer)) return answer;
      }
    } catch (error) {
      if (error instanceof TransportFailure) return error;
      throw error;
    }
  }

  /** Shows what requests wait for when that changes, and that nothing is waited for any more. */
  #wait(key: object, text: string | undefined): void {
    if (text === undefined) this.#waits.delete(key);
    else this.#waits.set(key, text);
    const [first] = this.#waits.values();
    const isSame = this.#shownWait !== undefined && [...this.#waits.values()].includes(this.#shownWait);
    if (isSame || first === this.#shownWait) return;
    this.#shownWait = first;
    if (first === undefined) this.notify({ kind: 'resumed', text: 'The Tinker server answers again.' });
    else this.notify({ kind: 'waiting', text: `Waiting: ${first}.` });
  }

  #untilEnd(cancellation: CancellationToken): CancellationToken {
    const hasEnded = (): boolean => this.#end !== undefined;
    return {
      get isCancelled() {
        return cancellation.isCancelled || hasEnded();
      },
      onCancelled: (listener) => {
        const store = new DisposableStore();
        this.#onEnd.add(listener);
        store.defer(() => this.#onEnd.delete(listener));
        store.add(cancellation.onCancelled(listener));
        if (hasEnded()) listener();
        return store;
      },
    };
  }

  #refusal(answer: HttpAnswer, task: Task): CodedError {
    const { status } = answer;
    const detail = detailOf(answer);
    const { credentials } = this.#parts;
    if (status === 401 || status === 403) {
      return credentials.hasKey
        ? tinkerErrors.wrongKey(this.server, detail)
        : tinkerErrors.noKey(this.server);
    }
    if (status === 410) return tinkerErrors.futureLost(task, detail);
    if (status === 415) return tinkerErrors.otherVersion(task, detail);
    return this.#knownFailure(task, detail) ?? tinkerErrors.rejected(task, status, detail);
  }

  /** Recognizes failures by the words of servers, which use one status for all. */
  #knownFailure(task: Task, detail: string): CodedError | undefined {
    const [, failure] = knownFailures.find(([words]) => words.test(detail)) ?? [];
    return failure?.(task, detail);
  }
}

/** Runs a reader of a response. Errors get the code `tinker/bad-answer`. */
export function readAnswer<T>(task: Task, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw tinkerErrors.badAnswer(task, messageOf(error));
  }
}

const knownFailures: readonly (readonly [RegExp, (task: Task, detail: string) => CodedError])[] = [
  [/LoRA rank \d+|rank .*(exceeds|must be)/i, (_, detail) => tinkerErrors.rank(detail)],
  [/maximum number of LoRA adapters/i, (_, detail) => tinkerErrors.noSlot(detail)],
  [/checkpoint .*not found|metadata for checkpoint/i, (_, detail) => tinkerErrors.noWeights(detail)],
  [/^checkpoint .*already exists/i, (_, detail) => tinkerErrors.nameTaken(detail)],
  [/^future not found|future with request id \S+ not found/i, tinkerErrors.futureLost],
  [/(?:^|: )session (?:\S+ )?not found/i, (_, detail) => tinkerErrors.sessionOver(detail)],
  [/^model .*(not found|not loaded)|unknown model: /i, tinkerErrors.modelLost],
];

function stateOf(answer: HttpAnswer | TransportFailure, isPoll: boolean): PassingState | undefined {
  if (answer instanceof TransportFailure) return passingStates.unreachable;
  const { status, headers, body } = answer;
  if (headers['x-should-retry'] === 'false') return undefined;
  if (status === 408) return isPoll ? undefined : passingStates.unreachable;
  if (status === 402) return passingStates.unpaid;
  if (status === 425) return passingStates.early;
  if (status === 429) return passingStates.busy;
  if ([502, 503, 504].includes(status)) return passingStates.unreachable;
  // An answer 400 with an empty body comes from a proxy between AgentJet and the service.
  if (status >= 500 || (status === 400 && body.length === 0)) return passingStates.failing;
  return undefined;
}

function retryAfter(answer: HttpAnswer | TransportFailure): number | undefined {
  if (answer instanceof TransportFailure) return undefined;
  const milliseconds = Number(
    answer.headers['retry-after-ms'] ?? Number(answer.headers['retry-after']) * 1000,
  );
  return milliseconds > 0 ? Math.min(milliseconds, minutes) : undefined;
}

const isGood = ({ status }: HttpAnswer): boolean => status >= 200 && status < 300;

const textOf = ({ body }: HttpAnswer): string => new TextDecoder().decode(body);

function pausedText(answer: unknown): string | undefined {
  const read = pending.safeParse(answer);
  const state = read.success ? (read.data.queue_state ?? '') : '';
  if (!(state in pauses)) return undefined;
  const text = pauses[state as keyof typeof pauses];
  const reason = read.success ? read.data.queue_state_reason : undefined;
  return reason ? `${text} (${reason})` : text;
}

/** Returns the words of the server, without a final stop. */
function detailOf(answer: HttpAnswer): string {
  const text = textOf(answer);
  const json = parseJson(text);
  const value = isRecord(json) ? (json['detail'] ?? json['error'] ?? json['message']) : undefined;
  const words = typeof value === 'string' ? value : (formatFieldErrors(value) ?? excerpt(text));
  return words.replace(/\.$/, '');
}
