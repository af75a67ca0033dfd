import type { Disposable } from '../../base/core/disposable.ts';
import type { Clock } from '../../base/core/ports.ts';
import type { RunOutput } from '../../backbone/node/client/runLauncher.ts';

/** Long enough to gather what a loop prints, too short to notice. */
const gatherMilliseconds = 20;
/** Characters of one event. */
const mostCharacters = 65_536;

/**
 * Gathers what a process writes into fewer, larger pieces: a loop that prints makes a piece per line, and an editor
 * that has to show fifty thousand events one by one is not to be used for minutes. Order is kept, between the
 * streams too.
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

  /** Sends what there is: before anything else is told, so that it comes in order. */
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
