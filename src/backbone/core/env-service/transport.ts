import type { CancellationToken } from '../../../base/core/cancellation.ts';

export interface EnvAnswer {
  readonly status: number;
  readonly body: string;
}

/** How an environment service is reached. */
export interface EnvTransport {
  /**
   * Sends a JSON body as a POST request and settles with the whole answer. Rejects with an Error that tells why when
   * there is none, or when it ended in the middle. On cancellation the connection is cut.
   */
  post(url: URL, body: string, cancellation: CancellationToken): Promise<EnvAnswer>;
}
