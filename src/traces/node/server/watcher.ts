import { toDisposable, type Disposable } from '../../../base/core/disposable.ts';
import type { Clock } from '../../../base/core/ports.ts';
import type { OpenReaders } from './openReaders.ts';

/** Milliseconds between checks of a watched trace. A check sends at most one notice. */
export const watchInterval = 200;
/** Limits reading: a trace rests this many times as long as reading has taken since the last notice. */
const rest = 9;
/** Checks without a change after which the writer's process is checked: its death changes no file. */
const quietLooks = 10;

interface Watched {
  readonly listeners: Set<() => void>;
  /** The state at the last check. It is only compared for equality. */
  seen: string;
  quiet: number;
  /** The time of the last notice, and the time spent on reading until then. */
  lastNotice: { readonly at: number; readonly spent: number };
  /** True if the run has ended. Then the file is not kept open, and only its stamp is checked. */
  asleep: boolean;
}

/** Polls watched traces for changes, since file watchers miss changes on some file systems. */
export class Watcher implements Disposable {
  readonly #readers: OpenReaders;
  readonly #clock: Clock;
  readonly #stampOf: (file: string) => string;
  readonly #watched = new Map<string, Watched>();
  #ticking: Disposable | undefined;

  /** @param stampOf returns a value that changes whenever the file is written or replaced; never throws */
  constructor(readers: OpenReaders, clock: Clock, stampOf: (file: string) => string) {
    this.#readers = readers;
    this.#clock = clock;
    this.#stampOf = stampOf;
  }

  /** Watches a file. It may be missing or unreadable: becoming readable is a change. */
  watch(file: string, listener: () => void): Disposable {
    const watched = this.#watched.get(file) ?? this.#begin(file);
    watched.listeners.add(listener);
    this.#ticking ??= this.#clock.every(watchInterval, () => this.#look());
    return toDisposable(() => {
      watched.listeners.delete(listener);
      if (watched.listeners.size > 0 || this.#watched.get(file) !== watched) return;
      this.#watched.delete(file);
      if (this.#watched.size === 0) this.#stop();
    });
  }

  dispose(): void {
    this.#watched.clear();
    this.#stop();
  }

  #begin(file: string): Watched {
    const watched: Watched = {
      listeners: new Set(),
      seen: this.#countOf(file),
      quiet: 0,
      lastNotice: this.#now(file),
      asleep: false,
    };
    this.#watched.set(file, watched);
    return watched;
  }

  #stop(): void {
    this.#ticking?.dispose();
    this.#ticking = undefined;
  }

  #look(): void {
    for (const [file, watched] of this.#watched) {
      if (this.#rests(file, watched) || !this.#hasChanged(file, watched)) continue;
      watched.lastNotice = this.#now(file);
      for (const listener of [...watched.listeners]) listener();
    }
  }

  /** Listeners read the trace again, which takes longer for a larger trace. */
  #rests(file: string, { lastNotice }: Watched): boolean {
    const { at, spent } = this.#now(file);
    return at - lastNotice.at < (spent - lastNotice.spent) * rest;
  }

  #now(file: string): Watched['lastNotice'] {
    return { at: this.#clock.monotonic(), spent: this.#readers.spentOn(file) };
  }

  #hasChanged(file: string, watched: Watched): boolean {
    const seen = watched.asleep ? this.#stampOf(file) : this.#countOf(file);
    if (seen !== watched.seen) {
      Object.assign(watched, { seen: this.#countOf(file), quiet: 0, asleep: false });
      return true;
    }
    watched.quiet += 1;
    if (watched.asleep || watched.quiet % quietLooks !== 0 || !this.#isOver(file)) return false;
    this.#readers.close(file);
    Object.assign(watched, { seen: this.#stampOf(file), asleep: true });
    return true;
  }

  #countOf(file: string): string {
    try {
      return String(this.#readers.use(file, (reader) => reader.changeCount()));
    } catch {
      return 'unreadable'; // reading its contents reports the reason
    }
  }

  #isOver(file: string): boolean {
    try {
      return this.#readers.use(file, (reader) => {
        const { end, live } = reader.read((views) => views.run());
        return end !== null || !live;
      });
    } catch {
      return false; // it may yet become readable
    }
  }
}
