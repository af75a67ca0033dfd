import { CodedError, type ErrorReport } from '../../../base/core/errors.ts';
import { parseJson } from '../../../base/core/parseJson.ts';
import type { Clock } from '../../../base/core/ports.ts';
import {
  hostMethods,
  limitOf,
  scopeOf,
  type HostMethod,
  type HostNotice,
  type HostNotices,
  type HostParams,
  type HostResults,
} from '../protocol/hostRpc.ts';
import type { RunOrder, RunRecord } from '../protocol/runs.ts';
import {
  closeCodes,
  decodeChunk,
  rpcErrors,
  rpcRequest,
  wireLimits,
  wireVersions,
  type RpcRequest,
} from '../protocol/wire.ts';
import type { HostServices, WireSocket } from '../contracts.ts';
import { wireErrors } from './failures.ts';
import { HostAnswers, type WireClient } from './hostAnswers.ts';
import { Sender } from './outgoingStreams.ts';
import { reportOf, Uploads } from './uploads.ts';

type Details = Readonly<Record<string, unknown>>;

export interface SessionOptions {
  readonly services: HostServices;
  readonly client: WireClient;
  readonly clock: Pick<Clock, 'after'>;
  /** Records changes with their outcome, and refused requests (`refused` with `method`, `scope` and parameters). */
  readonly audit: (what: string, details: Details) => void;
}

/** The number of malformed messages after which a connection is closed. */
const mostMalformed = 20;
/** The number of requests that can wait, in addition to those being answered. */
const mostWaiting = 4_096;

/** The details of results for the audit log, for methods that change something or send data. */
const audited: { readonly [M in HostMethod]?: (result: HostResults[M]) => Details } = {
  'run.start': (started) => ({ run: started.id, ...ordered(started) }),
  'run.cancel': ({ state }) => ({ state }),
  'tinker.start': ({ id, state, tinker }) => ({ run: id, state, ...tinker }),
  'run.remove': () => ({}),
  preflight: ({ length: findings }) => ({ findings }),
  'sync.manifest': ({ kept }) => ({ kept }),
  'sync.get': () => ({}),
  'file.get': () => ({}),
};

/** The host's side of one connection. Messages are not trusted until they are decoded. */
export class HostSession {
  readonly #socket: WireSocket;
  readonly #options: SessionOptions;
  readonly #sender: Sender;
  readonly #uploads: Uploads;
  readonly #answers: HostAnswers;
  readonly #waiting: RpcRequest[] = [];
  readonly #hello: { dispose(): void };
  #greeted = false;
  /** The number of requests that are being answered, by limit. */
  readonly #pending = { pending: 0, calls: 0 };
  #malformed = 0;
  #closed = false;
  readonly #held = new Set<string>();

  constructor(socket: WireSocket, options: SessionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#sender = new Sender(socket);
    this.#uploads = new Uploads(
      (transfer, error) => this.#notify('transfer.ended', { transfer, ...(error && { error }) }),
      (reads) => this.#hold('uploads', !reads),
    );
    this.#answers = new HostAnswers({
      services: options.services,
      client: options.client,
      socket,
      sender: this.#sender,
      uploads: this.#uploads,
      notify: (notice, params) => this.#notify(notice, params),
    });
    this.#hello = options.clock.after(wireLimits.hello * 1_000, () =>
      this.close(closeCodes.noHello, 'no hello arrived'),
    );
  }

  text(text: string): void {
    if (this.#closed) return;
    const json = parseJson(text);
    if (json === undefined) {
      this.#refuse(null, rpcErrors.parse, 'The message is not valid JSON.');
      return;
    }
    const request = rpcRequest.safeParse(json);
    if (!request.success) {
      this.#refuse(null, rpcErrors.invalidRequest, 'The message is not a JSON-RPC 2.0 request.');
      return;
    }
    this.#queue(request.data);
  }

  bytes(frame: Uint8Array): void {
    if (this.#closed) return;
    const chunk = this.#greeted ? decodeChunk(frame) : undefined;
    if (chunk === undefined || !this.#answers.isTransfer(chunk.transfer)) {
      this.#strike();
      return;
    }
    this.#uploads.take(chunk);
  }

  close(code: number, reason: string): void {
    if (this.#closed) return;
    this.#options.audit('closed', { code, reason });
    this.#socket.close(code, reason);
    this.closed();
  }

  closed(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#hello.dispose();
    this.#waiting.length = 0;
    this.#sender.close();
    this.#answers.dispose();
    void this.#uploads.stop();
  }

  #queue(request: RpcRequest): void {
    if (this.#hasRoom(request)) {
      void this.#handle(request);
      return;
    }
    this.#waiting.push(request);
    if (this.#waiting.length > mostWaiting) this.close(closeCodes.tooFast, 'too many requests at once');
    else this.#hold('requests', true);
  }

  #hasRoom({ method }: RpcRequest): boolean {
    const limit = limitOf(method);
    return this.#pending[limit] < wireLimits[limit];
  }

  async #handle(request: RpcRequest): Promise<void> {
    const limit = limitOf(request.method);
    this.#pending[limit] += 1;
    try {
      await this.#answer(request);
    } finally {
      this.#pending[limit] -= 1;
      const at = this.#waiting.findIndex((one) => this.#hasRoom(one));
      const [next] = at < 0 ? [] : this.#waiting.splice(at, 1);
      if (next !== undefined) void this.#handle(next);
      else if (this.#waiting.length === 0) this.#hold('requests', false);
    }
  }

  async #answer({ id, method, params = {} }: RpcRequest): Promise<void> {
    if (!isMethod(method)) {
      this.#refuse(id, rpcErrors.methodNotFound, 'The host has no such method.');
      return;
    }
    if (this.#greeted === (method === 'hello')) {
      const why = this.#greeted ? 'a second hello arrived' : 'a request arrived before the hello';
      this.close(closeCodes.noHello, why);
      return;
    }
    const parsed = hostMethods[method].params.safeParse(params);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const at = issue?.path.map(String).join('.') ?? '';
      this.#refuse(id, rpcErrors.invalidParams, `Invalid parameters of ${method}${at && `: ${at}`}.`);
      return;
    }
    if (method === 'hello') {
      this.#greet(id, parsed.data as HostParams<'hello'>);
      return;
    }
    try {
      this.#check(method, parsed.data);
      const result = await this.#audited(method, parsed.data, () =>
        this.#answers.answer(method, parsed.data),
      );
      this.#send({ jsonrpc: '2.0', id, result });
      this.#answers.answered(method, result);
    } catch (error) {
      this.#fail(id, reportOf(error), error);
    }
  }

  #check(method: HostMethod, params: Details): void {
    const { runs } = this.#options.services;
    const scope = scopeOf(method, params, (of) => runs.list().find(({ id }) => id === of)?.stages);
    if (this.#options.client.scopes.has(scope)) return;
    this.#options.audit('refused', { method, scope, ...askedOf(params) });
    throw wireErrors.notAllowed(method, scope);
  }

  /** Writes the outcome to the audit log, even if the client is gone. */
  async #audited(method: HostMethod, params: Details, answer: () => unknown): Promise<unknown> {
    const resultOf = audited[method] as ((result: unknown) => Details) | undefined;
    // A manifest comes in pages. Only the last one is logged.
    if (resultOf === undefined || params['done'] === false) return answer();
    const { audit } = this.#options;
    const asked = askedOf(params);
    try {
      const result = await answer();
      audit(method, { ...asked, ...resultOf(result), outcome: 'done' });
      return result;
    } catch (error) {
      audit(method, { ...asked, outcome: 'failed', error: reportOf(error).code });
      throw error;
    }
  }

  #greet(id: number, { versions }: HostParams<'hello'>): void {
    const version = Math.min(versions.max, wireVersions.max);
    if (version < Math.max(versions.min, wireVersions.min)) {
      this.#fail(id, reportOf(wireErrors.noVersion(wireVersions.min, wireVersions.max)));
      this.close(closeCodes.versions, `supported versions: ${wireVersions.min} to ${wireVersions.max}`);
      return;
    }
    this.#greeted = true;
    this.#hello.dispose();
    const { services, client } = this.#options;
    const result: HostResults['hello'] = {
      version,
      host: services.identity,
      scopes: [...client.scopes],
      as: client.name,
    };
    this.#send({ jsonrpc: '2.0', id, result });
  }

  #fail(id: number, data: ErrorReport, error?: unknown): void {
    const code =
      error === undefined || error instanceof CodedError ? rpcErrors.application : rpcErrors.internal;
    if (code === rpcErrors.internal) this.#options.audit('failed', { message: data.message });
    this.#send({ jsonrpc: '2.0', id, error: { code, message: data.message, data } });
  }

  #refuse(id: number | null, code: number, message: string): void {
    this.#send({ jsonrpc: '2.0', id, error: { code, message } });
    this.#strike();
  }

  #strike(): void {
    this.#malformed += 1;
    if (this.#malformed > mostMalformed) this.close(closeCodes.malformed, 'too many invalid messages');
  }

  #notify<N extends HostNotice>(method: N, params: HostNotices[N]): void {
    this.#send({ jsonrpc: '2.0', method, params });
  }

  #send(message: object): void {
    if (this.#closed) return;
    this.#socket.sendText(JSON.stringify(message));
    if (this.#socket.buffered > wireLimits.buffered && !this.#held.has('answers')) void this.#holdAnswers();
  }

  /** Stops reading while a client does not take its answers, so that they do not pile up. */
  async #holdAnswers(): Promise<void> {
    this.#hold('answers', true);
    while (this.#socket.buffered > wireLimits.buffered) await this.#socket.drained();
    this.#hold('answers', false);
  }

  #hold(why: string, holds: boolean): void {
    const before = this.#held.size;
    if (holds) this.#held.add(why);
    else this.#held.delete(why);
    if ((before === 0) !== (this.#held.size === 0) && !this.#closed) {
      this.#socket.setReading(this.#held.size === 0);
    }
  }
}

/** Returns the parameters for the audit log, without contents and possible secrets. */
function askedOf({ order, run, path, sha256, snapshot, checkpoints }: Details): Details {
  const target = { run, path, sha256, snapshot, checkpoints };
  return order === undefined ? target : { ...target, ...ordered(order as RunOrder) };
}

function ordered({ name, launcher, config, snapshot }: RunOrder | RunRecord): Details {
  return { name, launcher, config, snapshot };
}

function isMethod(method: string): method is HostMethod {
  return Object.hasOwn(hostMethods, method);
}
