import type { IncomingMessage } from 'node:http';
import { CancellationSource } from '../../../../base/core/cancellation.ts';
import type { Clock } from '../../../../base/core/ports.ts';
import { postTarget, releaseConnection, sendHttp } from '../../../../base/node/http.ts';
import { isFromOtherUser } from '../../../../base/node/peerUser.ts';
import { tinkerPhases, type TinkerPhase } from '../../../core/runs/tinkerPhases.ts';

/** Milliseconds. */
const times = {
  /** Between two requests, before the first answer and after it. */
  starting: 500,
  serving: 10_000,
  answer: 10_000,
};
/** The number of unanswered requests in a row after which a server counts as silent. */
const patience = 3;

/** Asks a Tinker server from time to time whether it answers. */
export class TinkerProbe {
  readonly #clock: Pick<Clock, 'after' | 'monotonic'>;
  #next = -Infinity;
  #isAsking = false;
  #failures = 0;
  #phase: TinkerPhase | undefined;

  constructor(clock: Pick<Clock, 'after' | 'monotonic'>) {
    this.#clock = clock;
  }

  /** Returns the phase of the server at a port of loopback, as far as it is known. Does not wait. */
  look(port: number): TinkerPhase | undefined {
    if (!this.#isAsking && this.#clock.monotonic() >= this.#next) void this.#ask(port);
    return this.#phase;
  }

  async #ask(port: number): Promise<void> {
    this.#isAsking = true;
    const isThere = await answers(port, this.#clock);
    this.#isAsking = false;
    this.#failures = isThere ? 0 : this.#failures + 1;
    if (isThere) this.#phase = tinkerPhases.serving;
    else if (this.#failures >= patience && this.#phase !== undefined) this.#phase = tinkerPhases.silent;
    const pause = this.#phase === undefined ? times.starting : times.serving;
    this.#next = this.#clock.monotonic() + pause;
  }
}

async function answers(port: number, clock: Pick<Clock, 'after'>): Promise<boolean> {
  const source = new CancellationSource();
  const limit = clock.after(times.answer, () => source.cancel());
  try {
    const { request, options } = postTarget(new URL(`http://127.0.0.1:${port}/api/v1/healthz`), {});
    const target = { request, options: { ...options, method: 'GET' } };
    const response = await sendHttp({ target, body: '' }, source.token);
    const isAnswer = !isOfOtherUser(response) && (response.statusCode ?? 500) < 500;
    releaseConnection(response);
    return isAnswer;
  } catch {
    return false;
  } finally {
    limit.dispose();
  }
}

/** Another user may have taken the port before the server did. */
function isOfOtherUser({ socket }: IncomingMessage): boolean {
  return isFromOtherUser(socket);
}
