import { CancellationSource } from '../../base/core/cancellation.ts';
import type { Clock } from '../../base/core/ports.ts';
import type { Disposable } from '../../base/core/disposable.ts';
import { postTarget, readBytes, sendHttp } from '../../base/node/http.ts';
import { explainTransport } from '../../base/node/httpErrors.ts';
import { TransportFailure, type HttpCall, type Transport } from '../core/transport.ts';

/** Returns a transport to a server by HTTP. The base URL can have a path. */
export function httpTransport(baseUrl: URL, clock: Pick<Clock, 'after' | 'monotonic'>): Transport {
  return async (call, cancellation) => {
    const source = new CancellationSource();
    const listening = cancellation.onCancelled(() => source.cancel());
    const limit = timeLimit(call.timeout, clock, () => source.cancel());
    try {
      const response = await sendHttp(
        { target: targetOf(baseUrl, call), body: call.body ?? '' },
        source.token,
      );
      const body = await readBytes(response);
      return { status: response.statusCode ?? 0, headers: flat(response.headers), body };
    } catch (error) {
      if (limit.isOver()) throw new TransportFailure('no response in time', { isTimeout: true });
      throw new TransportFailure(explainTransport(error), { cause: error });
    } finally {
      limit.dispose();
      listening.dispose();
    }
  };
}

function targetOf(baseUrl: URL, { method, path, headers }: HttpCall) {
  const url = new URL(baseUrl);
  const [pathname, search = ''] = path.split('?', 2);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${pathname}`;
  url.search = search;
  const { request, options } = postTarget(url, headers, true);
  return { request, options: { ...options, method } };
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

/** Milliseconds by which a timer may be late before the process was held. */
const slack = 2_000;

/**
 * Calls `onOver` after some milliseconds. Time in which a debugger holds the process does not count: a timer that fires
 * late starts again. A response that has arrived in the meantime is then still read.
 */
export function timeLimit(
  milliseconds: number,
  clock: Pick<Clock, 'after' | 'monotonic'>,
  onOver: () => void,
): Disposable & { isOver(): boolean } {
  let over = false;
  const start = (): Disposable => {
    const due = clock.monotonic() + milliseconds;
    return clock.after(milliseconds, () => {
      if (clock.monotonic() > due + slack) timer = start();
      else {
        over = true;
        onOver();
      }
    });
  };
  let timer = start();
  return { isOver: () => over, dispose: () => timer.dispose() };
}
