import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { Disposable } from '../../../base/core/disposable.ts';
import {
  type HostMethod,
  type HostParams,
  type HostResults,
  hostMethods,
  limitOf,
} from '../protocol/hostRpc.ts';
import { rpcErrors, wireLimits, type RpcFromHost } from '../protocol/wire.ts';
import { wireErrors } from './failures.ts';

interface Request {
  readonly method: HostMethod;
  readonly params: object;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Its answer is ignored. A request that was sent cannot be canceled. */
  isForgotten: boolean;
}

interface AskOptions<M extends HostMethod> {
  /** True if the request is sent before all waiting ones. */
  readonly first?: boolean;
  /** Called with the answer before any later message is handled. */
  readonly answered?: (result: HostResults[M]) => void;
  /** On cancellation, the answer is no longer waited for. */
  readonly cancellation?: CancellationToken | undefined;
}

export class Requests {
  #next = 0;
  #waiting: Request[] = [];
  readonly #sent = new Map<number, Request>();
  /** The number of requests that were sent, by limit. */
  #count = { pending: 0, calls: 0 };
  #send: ((text: string) => void) | undefined;

  /** Sends a request, now or when there is a connection. */
  async ask<M extends HostMethod>(
    method: M,
    params: HostParams<M>,
    { first = false, answered, cancellation }: AskOptions<M> = {},
  ): Promise<HostResults[M]> {
    let cancelled: Disposable | undefined;
    const answer = new Promise<HostResults[M]>((resolve, reject) => {
      const request: Request = {
        method,
        params,
        resolve: (result) => {
          answered?.(result as HostResults[M]);
          resolve(result as HostResults[M]);
        },
        reject,
        isForgotten: false,
      };
      if (first) this.#waiting.unshift(request);
      else this.#waiting.push(request);
      this.#flush();
      cancelled = cancellation?.onCancelled(() => {
        request.isForgotten = true;
        this.#waiting = this.#waiting.filter((one) => one !== request);
        reject(wireErrors.cancelled(method));
      });
    });
    try {
      return await answer;
    } finally {
      cancelled?.dispose();
    }
  }

  connected(send: (text: string) => void): void {
    this.#send = send;
    this.#flush();
  }

  /** Handles the loss of the connection. Repeatable requests wait for the next one. */
  disconnected(): void {
    this.#send = undefined;
    const asked = [...this.#sent.values()];
    this.#sent.clear();
    this.#count = { pending: 0, calls: 0 };
    const again = asked.filter(
      ({ method, isForgotten }) => !isForgotten && hostMethods[method].retry === 'again',
    );
    const bound = this.#waiting.filter(({ method }) => hostMethods[method].retry === 'bound');
    this.#waiting = [...again, ...this.#waiting.filter((one) => !bound.includes(one))];
    for (const one of [...asked.filter((one) => !again.includes(one)), ...bound]) {
      one.reject(wireErrors.connectionLost(one.method));
    }
  }

  /** Rejects all requests, because no connection follows. */
  rejectAll(error: Error): void {
    const all = [...this.#sent.values(), ...this.#waiting];
    this.#sent.clear();
    this.#count = { pending: 0, calls: 0 };
    this.#waiting = [];
    for (const one of all) one.reject(error);
  }

  answered(message: Extract<RpcFromHost, { id: unknown }>): void {
    const request = message.id === null ? undefined : this.#sent.get(message.id);
    if (message.id === null || request === undefined) return;
    this.#sent.delete(message.id);
    this.#count[limitOf(request.method)] -= 1;
    if ('error' in message) {
      const { code, data, message: text } = message.error;
      const refused = (): Error =>
        code === rpcErrors.methodNotFound
          ? wireErrors.olderHost(request.method)
          : wireErrors.badAnswer(request.method, text);
      request.reject(data === undefined ? refused() : wireErrors.report(data));
    } else {
      const parsed = hostMethods[request.method].result.safeParse(message.result);
      if (parsed.success) request.resolve(parsed.data);
      else request.reject(wireErrors.badAnswer(request.method, 'it has an unexpected format'));
    }
    this.#flush();
  }

  #flush(): void {
    while (this.#send !== undefined) {
      const at = this.#waiting.findIndex(({ method }) => {
        const limit = limitOf(method);
        return this.#count[limit] < wireLimits[limit];
      });
      const [request] = at < 0 ? [] : this.#waiting.splice(at, 1);
      if (request === undefined) return;
      const id = this.#next++;
      this.#sent.set(id, request);
      this.#count[limitOf(request.method)] += 1;
      this.#send(JSON.stringify({ jsonrpc: '2.0', id, method: request.method, params: request.params }));
    }
  }
}
