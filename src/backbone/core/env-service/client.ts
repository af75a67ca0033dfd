import { parseJson } from '../../../base/core/parseJson.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import { CancellationSource, waitFor, type CancellationToken } from '../../../base/core/cancellation.ts';
import { DisposableStore } from '../../../base/core/disposable.ts';
import { CodedError, type Location, messageOf } from '../../../base/core/errors.ts';
import type { Clock, Logger } from '../../../base/core/ports.ts';
import { afterRunningTime } from '../task-runner/runningTime.ts';
import { runInSpan, type BeginSpan } from '../context-tracker/spans.ts';

/** The timeout of a request in seconds of running time, as in upstream. */
const answerSeconds = 300;
const defaultTries = 3;
/** The shortest and the longest pause between tries, in seconds. */
const pauses = [3, 10] as const;

export type JsonObject = Readonly<Record<string, unknown>>;

export interface EnvClientOptions {
  /** `http:` or `https:`; endpoints are appended. */
  readonly baseUrl: string;
  readonly location?: Location | undefined;
  readonly transport: EnvTransport;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns a number in [0, 1). It selects the pause between tries. */
  random(): number;
  readonly beginSpan?: BeginSpan | undefined;
}

export interface RetryLimits {
  readonly tries?: number;
  readonly seconds?: number;
}

/** The five keys that every request has; only listing and creating name the real type. */
interface Fields {
  readonly env_type?: string;
  readonly task_id?: string;
  readonly instance_id?: string;
  readonly messages?: JsonObject;
  readonly params?: JsonObject;
}

interface Request extends RetryLimits {
  readonly endpoint: string;
  readonly fields: Fields;
  readonly cancellation: CancellationToken;
}

/** Thrown for a reply that cannot be used. It counts as a failed try. */
class Unusable extends Error {}

/**
 * A client for upstream's protocol of environment services: JSON over POST, always with the same five keys. A request has
 * 300 s for an answer and three tries with 3 to 10 s between them.
 *
 * Requests reject with a CodedError `env-service/…`, after cancellation with `env-service/episode-over`. Upstream has
 * fallback results instead, but its code never reaches them.
 *
 * Throws `env-service/bad-url`.
 */
export class EnvClient {
  /** Without a trailing slash, as in upstream. */
  readonly serviceUrl: string;
  readonly failures: ReturnType<typeof envServiceFailures>;
  readonly #options: EnvClientOptions;

  constructor(options: EnvClientOptions) {
    const url = URL.parse(options.baseUrl);
    if (url === null || !/^https?:$/.test(url.protocol))
      throw badServiceUrl(options.baseUrl, options.location);
    this.#options = options;
    this.serviceUrl = options.baseUrl.replace(/\/+$/, '');
    const shown = `${url.protocol}//${url.host}${url.pathname}`.replace(/\/+$/, '');
    this.failures = envServiceFailures(shown, options.location);
  }

  /** Lists the task ids of a split: `data` of the reply, else `task_ids`, else none. One try. */
  listTasks(envType: string, split: string, cancellation: CancellationToken): Promise<readonly unknown[]> {
    const fields = { env_type: envType, params: { split } };
    return this.#ask({ endpoint: 'get_env_profile', fields, cancellation, tries: 1 }, (reply) =>
      taskIds('data' in reply ? reply['data'] : (reply['task_ids'] ?? [])),
    );
  }

  /** Creates an instance. Resolves to the reply of the service: `{state, …}`. */
  create(
    envType: string,
    taskId: string,
    instance: string,
    cancellation: CancellationToken,
  ): Promise<JsonObject> {
    const fields = { env_type: envType, task_id: taskId, instance_id: instance };
    return this.#ask({ endpoint: 'create', fields, cancellation }, dataObject);
  }

  /** Performs an action. Resolves to `{state, reward, is_terminated, info}` as the service sent it. */
  step(instance: string, action: JsonObject, cancellation: CancellationToken): Promise<JsonObject> {
    const fields = { instance_id: instance, messages: action };
    return this.#ask({ endpoint: 'step', fields, cancellation }, dataObject);
  }

  /** Returns the score of the instance; 0 for a reply without `data`. True is 1 and false 0, as in Python. */
  async evaluate(instance: string, messages: JsonObject, cancellation: CancellationToken): Promise<number> {
    const fields = { instance_id: instance, messages };
    const data = await this.#ask({ endpoint: 'evaluate', fields, cancellation }, (reply) =>
      'data' in reply ? reply['data'] : 0,
    );
    if (typeof data === 'boolean') return Number(data);
    if (typeof data === 'number') return data;
    const wrong = `a score that is not a number: ${excerpt(JSON.stringify(data))}`;
    throw this.failures.badReply({ endpoint: 'evaluate', tries: 1 }, wrong);
  }

  /** Releases an instance. Resolves to whether the service confirms it. */
  release(instance: string, cancellation: CancellationToken, patience?: RetryLimits): Promise<boolean> {
    const fields = { instance_id: instance };
    return this.#ask(
      { endpoint: 'release', fields, cancellation, ...patience },
      (reply) => reply['success'] === true,
    );
  }

  async #ask<T>(request: Request, read: (reply: JsonObject) => T): Promise<T> {
    const { endpoint, cancellation, tries = defaultTries } = request;
    for (let attempt = 1; ; attempt++) {
      const asked = { endpoint, tries: attempt };
      try {
        const span = { kind: 'environment', name: endpoint } as const;
        return await runInSpan(this.#options.beginSpan, span, async () =>
          read(await this.#post(request, asked)),
        );
      } catch (error) {
        if (cancellation.isCancelled) throw episodeOver();
        const failure = error instanceof Unusable ? this.failures.badReply(asked, error.message) : error;
        if (attempt >= tries || !(failure instanceof CodedError)) throw failure;
        const seconds = pauses[0] + this.#options.random() * (pauses[1] - pauses[0]);
        const next = `Attempt ${attempt + 1} of ${tries} follows in ${seconds.toFixed(1)} s.`;
        this.#options.logger.log('warn', `${failure.message} ${next}`);
        if (!(await waitFor(seconds * 1000, this.#options.clock, cancellation))) throw episodeOver();
      }
    }
  }

  async #post(
    { endpoint, fields, cancellation, seconds = answerSeconds }: Request,
    asked: ServiceRequest,
  ): Promise<JsonObject> {
    const { transport, clock } = this.#options;
    if (cancellation.isCancelled) throw episodeOver();
    const connection = new CancellationSource();
    const limit = new CancellationSource();
    const url = new URL(`${this.serviceUrl}/${endpoint}`);
    limit.token.onCancelled(() => connection.cancel());
    const stop = new DisposableStore();
    stop.add(cancellation.onCancelled(() => connection.cancel()));
    stop.add(afterRunningTime(clock, seconds, () => limit.cancel()));
    const answer = await transport
      .post(url, bodyOf(fields), connection.token)
      .catch((error: unknown) => {
        throw limit.token.isCancelled
          ? this.failures.timedOut(asked, seconds)
          : this.failures.unreachable(asked, error);
      })
      .finally(() => stop.dispose());
    const { status, body } = answer;
    if (status < 200 || status > 299) throw this.failures.refused(asked, status, body);
    return jsonObject(body);
  }
}

function bodyOf(fields: Fields): string {
  const { env_type = 'default', task_id = null, instance_id = null, messages = {}, params = {} } = fields;
  return JSON.stringify({ env_type, task_id, instance_id, messages, params });
}

function jsonObject(body: string): JsonObject {
  const value = parseJson(body);
  if (value === undefined) throw new Unusable(`invalid JSON: ${excerpt(body)}`);
  if (isRecord(value)) return value;
  throw new Unusable(`JSON that is not an object: ${excerpt(body)}`);
}

function dataObject(reply: JsonObject): JsonObject {
  const { data } = reply;
  if (isRecord(data)) return data;
  throw new Unusable(`\`data\` that is not an object: ${excerpt(JSON.stringify(reply))}`);
}

function taskIds(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Unusable(`a value that is not a list of task ids: ${excerpt(JSON.stringify(value))}`);
}

export interface EnvAnswer {
  readonly status: number;
  readonly body: string;
}

export interface EnvTransport {
  /** Resolves to the whole answer. Rejects with an Error with the reason. Cancellation closes the connection. */
  post(url: URL, body: string, cancellation: CancellationToken): Promise<EnvAnswer>;
}

interface ServiceRequest {
  readonly endpoint: string;
  readonly tries: number;
}

const urlKey = '`ajet.task_reader.env_service.env_url`';
const seeLog = "See the service's log for the reason.";

/** @param url without parts that may be secret */
function envServiceFailures(url: string, location: Location | undefined) {
  const failure = (
    code: string,
    { endpoint, tries }: ServiceRequest,
    [verb, what]: readonly [verb: string, what: string],
    hint: string,
    cause?: unknown,
  ): CodedError => {
    const often = tries > 1 ? ` (${tries} attempts)` : '';
    const message = `The environment service at ${url} ${verb} to ${endpoint}${what}${often}.`;
    return new CodedError({ code: `env-service/${code}`, message, location, hint, cause });
  };
  return {
    unreachable: (asked: ServiceRequest, cause: unknown) => {
      const hint = `Start the service, or correct ${urlKey}.`;
      return failure('unreachable', asked, ['did not respond', `: ${messageOf(cause)}`], hint, cause);
    },
    timedOut: (asked: ServiceRequest, seconds: number) => {
      const hint = `${seeLog} AgentJet has the same timeout.`;
      return failure('timed-out', asked, ['did not respond', ` within ${seconds} s`], hint);
    },
    refused: (asked: ServiceRequest, status: number, body: string) => {
      const said = body.trim() === '' ? 'without a message' : `and ${excerpt(body)}`;
      const hint =
        status === 404 ? `Check that ${urlKey} is the base URL of an environment service.` : seeLog;
      return failure('refused', asked, ['responded', ` with status ${status} ${said}`], hint);
    },
    badReply: (asked: ServiceRequest, wrong: string) => {
      const hint = 'Fix the service. AgentJet cannot use that response either.';
      return failure('bad-reply', asked, ['responded', ` with ${wrong}`], hint);
    },
    notReleased: (instance: string, cause: CodedError) =>
      new CodedError({
        code: 'env-service/not-released',
        message: `The instance ${instance} may still exist in the environment service: ${cause.message}`,
        location,
        hint: `${cause.hint ?? seeLog} In AgentJet this fails the episode.`,
        cause,
      }),
  };
}

function badServiceUrl(url: string, location: Location | undefined): CodedError {
  return new CodedError({
    code: 'env-service/bad-url',
    message: `The URL of the environment service is not an http or https URL: ${JSON.stringify(url)}.`,
    location,
    hint: `Correct ${urlKey}, e.g. http://127.0.0.1:8080.`,
  });
}

function episodeOver(): CodedError {
  return new CodedError({
    code: 'env-service/episode-over',
    message: 'The episode and its environment have ended.',
    hint: 'Await every call of gymEnv.step before execute returns.',
  });
}

export function noEnvironment(method: string): CodedError {
  return new CodedError({
    code: 'env-service/no-environment',
    message: `gymEnv.${method} is not available: the task does not belong to an environment service.`,
    hint: 'Set `ajet.task_reader.type` to env_service, or remove the call. AgentJet fails here too.',
  });
}

export function noReset(): CodedError {
  return new CodedError({
    code: 'env-service/no-reset',
    message: 'gymEnv.reset is not supported: every episode has its own new environment.',
    hint: 'Remove the call. AgentJet raises an error here too.',
  });
}

const longestExcerpt = 200;

export function show(value: unknown): string {
  return value === undefined ? 'nothing' : excerpt(JSON.stringify(value));
}

function excerpt(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return JSON.stringify(line.length > longestExcerpt ? `${line.slice(0, longestExcerpt)}…` : line);
}
