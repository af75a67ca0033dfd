import process from 'node:process';
import { CancellationSource } from '../../base/cancellation.ts';
import { toDisposable, type Disposable } from '../../base/disposable.ts';

/** Ctrl-C, `kill`, and a terminal that is closed. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A terminal's Ctrl-C reaches this process and the one that started it, which passes it on: milliseconds. */
const sameInterrupt = 250;

/** Tells of each interrupt until disposed; until then none ends this process. */
export function onInterrupt(listener: (signal: NodeJS.Signals) => void): Disposable {
  let last = -Infinity;
  const take = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    const isSame = now - last < sameInterrupt;
    last = now;
    if (!isSame) listener(signal);
  };
  for (const signal of signals) process.on(signal, take);
  return toDisposable(() => {
    for (const signal of signals) process.off(signal, take);
  });
}

/** What the first interrupt cancels; the second ends this process. */
export function cancelledByInterrupt(): Disposable & { readonly source: CancellationSource } {
  const source = new CancellationSource();
  const watch = onInterrupt((signal) => {
    if (source.token.isCancelled) {
      watch.dispose();
      process.kill(process.pid, signal);
    } else source.cancel();
  });
  return { source, dispose: () => watch.dispose() };
}
