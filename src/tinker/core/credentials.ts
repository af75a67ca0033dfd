import * as z from 'zod/mini';
import { attempt } from '../../base/core/attempt.ts';
import type { CancellationToken } from '../../base/core/cancellation.ts';
import { parseJson } from '../../base/core/parseJson.ts';
import type { Clock } from '../../base/core/ports.ts';
import type { HttpAnswer, Transport } from './transport.ts';

const token = z.object({ jwt: z.string() });
const claims = z.object({ exp: z.number() });

/** Milliseconds before its end at which a token is renewed. */
const margin = 60_000;

/** The API key, or the short-lived token that some servers want in its place. */
export class Credentials {
  readonly #transport: Transport;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #key: string | undefined;
  #token: { readonly text: string; readonly ends: number } | undefined;
  /** Set if the server wants tokens. */
  usesTokens = false;

  constructor(key: string | undefined, transport: Transport, clock: Pick<Clock, 'now'>) {
    this.#key = key;
    this.#transport = transport;
    this.#clock = clock;
  }

  get hasKey(): boolean {
    return this.#key !== undefined;
  }

  /** Returns the header of a request. Without a token it sends the key, and the server says what is wrong. */
  async headers(cancellation: CancellationToken): Promise<Readonly<Record<string, string>>> {
    if (this.#key === undefined) return {};
    if (!this.usesTokens) return header(this.#key);
    if (this.#token === undefined || this.#token.ends - this.#clock.now() < margin) {
      this.#token = await this.#exchange(this.#key, cancellation);
    }
    return header(this.#token?.text ?? this.#key);
  }

  /** Forgets the token if the server calls it invalid. Returns whether another try makes sense. */
  renews(answer: HttpAnswer): boolean {
    const isInvalid = answer.headers['www-authenticate']?.includes('error="invalid_token"') === true;
    if (!isInvalid || this.#token === undefined) return false;
    this.#token = undefined;
    return true;
  }

  async #exchange(key: string, cancellation: CancellationToken) {
    const answer = await this.#transport(
      {
        method: 'POST',
        path: '/api/v1/auth/token',
        headers: { ...header(key), 'content-type': 'application/json' },
        body: '{}',
        timeout: 30_000,
      },
      cancellation,
    );
    const read = token.safeParse(parseJson(new TextDecoder().decode(answer.body)));
    return read.success ? { text: read.data.jwt, ends: endOf(read.data.jwt) } : undefined;
  }
}

const header = (key: string) => ({ 'x-api-key': key });

/** Returns when a token ends, in milliseconds. A token that does not say counts as ended, so it is used once. */
function endOf(jwt: string): number {
  const payload = (jwt.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
  const read = claims.safeParse(attempt<unknown>(() => JSON.parse(atob(payload))));
  return read.success ? read.data.exp * 1000 : 0;
}
