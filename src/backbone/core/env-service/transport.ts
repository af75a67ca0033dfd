import type { CancellationToken } from '../../../base/core/cancellation.ts';

export interface EnvAnswer {
  readonly status: number;
  readonly body: string;
}

/** Sends requests to an environment service. */
export interface EnvTransport {
  /**
   * Sends a JSON body as a POST request and resolves to the whole answer. Rejects with an Error that gives the reason if
   * there is no answer, or an incomplete one. Cancellation closes the connection.
   */
  post(url: URL, body: string, cancellation: CancellationToken): Promise<EnvAnswer>;
}
