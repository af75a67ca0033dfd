import type { HostMethod, HostParams, HostResults } from '../protocol/hostRpc.ts';
import { hostResults } from '../protocol/hostResults.ts';
import { rpcErrors, wireLimits, type RpcFromHost } from '../protocol/wire.ts';
import { wireErrors } from './failures.ts';
import { retryPolicy } from './repeatable.ts';

interface Request {
  readonly method: HostMethod;
  readonly params: object;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Nobody waits for its answer; that it was sent cannot be taken back. */
  isForgotten: boolean;
}

/** A request under way. */
export interface PendingRequest<M extends HostMethod> {
  readonly answer: Promise<HostResults[M]>;
  /** Nobody waits for it any more. */
  forget(error: Error): void;
}

/** Requests of a client: those that wait to be sent, and those that wait for their answers. */
export class Requests {
  #next = 0;
  #waiting: Request[] = [];
  readonly #sent = new Map<number, Request>();
  #send: ((text: string) => void) | undefined;

  /**
   * Asks, now or when there is a connection.
   *
   * @param first before all that waits
   * @param answered called with the answer before anything else that the host sent is looked at
   */
  ask<M extends HostMethod>(
    method: M,
    params: HostParams<M>,
    { first = false, answered }: { first?: boolean; answered?: (result: HostResults[M]) => void } = {},
  ): PendingRequest<M> {
    let forget: PendingRequest<M>['forget'] = () => undefined;
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
      forget = (error) => {
        request.isForgotten = true;
        this.#waiting = this.#waiting.filter((one) => one !== request);
        reject(error);
      };
      if (first) this.#waiting.unshift(request);
      else this.#waiting.push(request);
    });
    this.#flush();
    return { answer, forget };
  }

  /** There is a connection. */
  connected(send: (text: string) => void): void {
    this.#send = send;
    this.#flush();
  }

  /** The connection went: what can be asked again, and is still wanted, waits for the next one. */
  disconnected(): void {
    this.#send = undefined;
    const asked = [...this.#sent.values()];
    this.#sent.clear();
    const again = asked.filter(({ method, isForgotten }) => !isForgotten && retryPolicy[method] === 'again');
    const bound = this.#waiting.filter(({ method }) => retryPolicy[method] === 'bound');
    this.#waiting = [...again, ...this.#waiting.filter((one) => !bound.includes(one))];
    for (const one of [...asked.filter((one) => !again.includes(one)), ...bound]) {
      one.reject(wireErrors.connectionLost(one.method));
    }
  }

  /** There will be no other connection. */
  rejectAll(error: Error): void {
    const all = [...this.#sent.values(), ...this.#waiting];
    this.#sent.clear();
    this.#waiting = [];
    for (const one of all) one.reject(error);
  }

  /** What the host answered. */
  answered(message: Extract<RpcFromHost, { id: unknown }>): void {
    const request = message.id === null ? undefined : this.#sent.get(message.id);
    if (message.id === null || request === undefined) return;
    this.#sent.delete(message.id);
    if ('error' in message) {
      const { code, data, message: text } = message.error;
      const refused = (): Error =>
        code === rpcErrors.methodNotFound
          ? wireErrors.olderHost(request.method)
          : wireErrors.badAnswer(request.method, text);
      request.reject(data === undefined ? refused() : wireErrors.report(data));
    } else {
      const parsed = hostResults[request.method].safeParse(message.result);
      if (parsed.success) request.resolve(parsed.data);
      else request.reject(wireErrors.badAnswer(request.method, 'it is of another form'));
    }
    this.#flush();
  }

  #flush(): void {
    while (this.#send !== undefined && this.#sent.size < wireLimits.pending) {
      const request = this.#waiting.shift();
      if (request === undefined) return;
      const id = this.#next++;
      this.#sent.set(id, request);
      this.#send(JSON.stringify({ jsonrpc: '2.0', id, method: request.method, params: request.params }));
    }
  }
}
