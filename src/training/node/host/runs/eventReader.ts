import { Emitter } from '../../../../base/core/event.ts';
import { DisposableStore } from '../../../../base/core/disposable.ts';
import type { EventBlock, EventReader } from '../../../core/contracts.ts';
import type { EventLog } from './eventLog.ts';

/** A reader of a log that may still be opened; {@link onMore} tells once, and again after {@link next} was asked. */
export class LogReader implements EventReader {
  readonly #log: Promise<Pick<EventLog, 'read' | 'onMore'>>;
  readonly #sources: ReadonlySet<string> | undefined;
  readonly #more = new Emitter<void>();
  readonly #store = new DisposableStore();
  #after: number;
  #isArmed = true;

  readonly onMore = this.#more.event;

  /** @param release called once the reader is disposed */
  constructor(
    log: Promise<Pick<EventLog, 'read' | 'onMore'>>,
    after: number,
    sources: readonly string[] | undefined,
    release: () => void,
  ) {
    this.#log = log;
    this.#after = after;
    this.#sources = sources && new Set(sources);
    this.#store.defer(release);
    this.#store.add(this.#more);
    // Whoever asks is told why it cannot be opened.
    void log.then(
      (opened) => this.#store.add(opened.onMore(() => this.#tell())),
      () => undefined,
    );
  }

  async next(): Promise<EventBlock | undefined> {
    const log = await this.#log;
    if (this.#store.isDisposed) return undefined;
    // Before it is looked: what comes meanwhile is told of.
    this.#isArmed = true;
    const block = await log.read(this.#after, this.#sources);
    if (block !== undefined) this.#after = block.upTo;
    return block;
  }

  dispose(): void {
    this.#store.dispose();
  }

  #tell(): void {
    if (!this.#isArmed) return;
    this.#isArmed = false;
    this.#more.fire();
  }
}
