import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../../base/core/ports.ts';
import { wirePath, wireSubprotocol } from '../../../core/protocol/wire.ts';
import { RateLimit } from '../../../core/wire/rateLimit.ts';
import type { HostTokens, TokenInfo } from './tokens.ts';

export interface Refusal {
  readonly status: number;
  readonly reason: string;
}

/** Longest token that is looked at. */
const longestToken = 200;

/** Decides who may connect, before a WebSocket is made. */
export class UpgradeCheck {
  readonly #tokens: HostTokens;
  /** Connections of an address, whoever makes them. */
  readonly #connections: RateLimit;
  /** Wrong tokens of an address. */
  readonly #failures: RateLimit;

  constructor(tokens: HostTokens, clock: Pick<Clock, 'monotonic'>) {
    this.#tokens = tokens;
    this.#connections = new RateLimit({ burst: 200, perSecond: 20 }, clock);
    this.#failures = new RateLimit({ burst: 20, perSecond: 0.2 }, clock);
  }

  check(request: IncomingMessage): Refusal | TokenInfo {
    const address = request.socket.remoteAddress ?? '';
    const { url = '', method, headers } = request;
    if (!this.#connections.take(address))
      return { status: 429, reason: 'Too many connections; wait a little.' };
    if (method !== 'GET' || url.split('?')[0] !== wirePath) {
      return { status: 404, reason: `The WebSocket of this host is at ${wirePath}.` };
    }
    // Browsers send it, and no client of ours does: pages have no business here.
    if (headers.origin !== undefined) return { status: 403, reason: 'Web pages may not connect.' };
    const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
    if (!offered.includes(wireSubprotocol)) {
      return { status: 400, reason: `The WebSocket subprotocol is ${wireSubprotocol}.` };
    }
    const token = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
    const found = token === undefined || token.length > longestToken ? undefined : this.#tokens.find(token);
    // Whoever has one is let in: behind a proxy, all who guess have the same address.
    if (found !== undefined) return found;
    if (!this.#failures.take(address))
      return { status: 429, reason: 'Too many wrong tokens; wait a minute.' };
    return {
      status: 401,
      reason: token === undefined ? 'A token is needed.' : 'The token is not one of this host.',
    };
  }
}
