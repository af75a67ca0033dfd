import type { RunEvent, RunState } from '../../../src/training/core/protocol/runs.ts';
import { isFinalEvent } from './runsHost.ts';

/**
 * Who reads the events of a run that prints `PREFIX 1`, `PREFIX 2`, …, over whatever is cut meanwhile: tells where to go on,
 * and throws at an event, or a line, that is missing, comes twice or is not its turn.
 */
export class Gathered {
  readonly #prefix: string;
  /** The number of the newest event. */
  last = 0;
  /** Lines that have come. */
  lines = 0;
  notices = 0;
  /** The final state, once it has come. */
  state: RunState | undefined;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  take(events: readonly RunEvent[]): void {
    for (const event of events) {
      if (event.seq !== this.last + 1) throw new Error(`Event ${event.seq} came after ${this.last}.`);
      if (this.state !== undefined) throw new Error(`Event ${event.seq} came after the final state.`);
      this.last = event.seq;
      if (event.type === 'notice') this.notices++;
      if (event.type === 'log') for (const line of event.lines) this.#line(line);
      if (event.type === 'state' && isFinalEvent(event)) this.state = event.state;
    }
  }

  #line(text: string): void {
    const [prefix, number] = text.split(' ');
    if (prefix !== this.#prefix) return;
    if (Number(number) !== this.lines + 1) throw new Error(`Line ${number} came after ${this.lines}.`);
    this.lines++;
  }
}
