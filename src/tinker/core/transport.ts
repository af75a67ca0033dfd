import type { CancellationToken } from '../../base/core/cancellation.ts';

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Appended to the base URL. Can end with a query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Milliseconds. Time in which a debugger holds this process does not count. */
  readonly timeout: number;
}

export interface HttpAnswer {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** There was no response. The message has no final stop. */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  readonly isTimeout: boolean;

  constructor(why: string, { isTimeout = false, cause }: { isTimeout?: boolean; cause?: unknown } = {}) {
    super(why, { cause });
    this.isTimeout = isTimeout;
  }
}

/** Sends a request once. Rejects with a {@link TransportFailure}, also after cancellation. */
export type Transport = (call: HttpCall, cancellation: CancellationToken) => Promise<HttpAnswer>;
