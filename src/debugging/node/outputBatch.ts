import type { Disposable } from '../../base/core/disposable.ts';
import type { Clock } from '../../base/core/ports.ts';
import type { RunOutput } from '../../backbone/node/client/runLauncher.ts';

/** Long enough to gather what a loop prints, too short to notice. */
const gatherMilliseconds = 20;
/** Characters of one event. */
const mostCharacters = 65_536;

/**
 * Combines the output of a process into fewer, larger events, because an editor cannot show tens of thousands of small ones
 * in time. It keeps the order, also between the streams.
 */
export class OutputBatch implements Disposable {
  readonly #clock: Clock;
  readonly #send: (output: RunOutput) => void;
  #stream: RunOutput['stream'] = 'stdout';
  #parts: string[] = [];
  #length = 0;
  #timer: Disposable | undefined;

  constructor(clock: Clock, send: (output: RunOutput) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  push({ stream, text }: RunOutput): void {
    if (stream !== this.#stream) this.flush();
    this.#stream = stream;
    this.#parts.push(text);
    this.#length += text.length;
    if (this.#length >= mostCharacters) this.flush();
    else this.#timer ??= this.#clock.after(gatherMilliseconds, () => this.flush());
  }

  /** Sends the buffered output. Call it before any other event, to keep the order. */
  flush(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    if (this.#length === 0) return;
    const text = this.#parts.join('');
    this.#parts = [];
    this.#length = 0;
    this.#send({ stream: this.#stream, text });
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#parts = [];
    this.#length = 0;
  }
}
