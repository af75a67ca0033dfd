import process from 'node:process';
import { CancellationSource } from '../../core/cancellation.ts';
import { toDisposable, type Disposable } from '../../core/disposable.ts';

/** Sent by Ctrl-C, by `kill` and by a closed terminal. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls the listener for each interrupt until disposed. Until then interrupts do not end this process. */
export function onInterrupt(listener: (signal: NodeJS.Signals) => void): Disposable {
  for (const signal of signals) process.on(signal, listener);
  return toDisposable(() => {
    for (const signal of signals) process.off(signal, listener);
  });
}

export interface Interrupts extends Disposable {
  readonly source: CancellationSource;
}

/** Returns a source that the first interrupt cancels. The second interrupt ends this process. */
export function cancelledByInterrupt(): Interrupts {
  const source = new CancellationSource();
  const watch = onInterrupt((signal) => {
    if (source.token.isCancelled) {
      watch.dispose();
      process.kill(process.pid, signal);
    } else source.cancel();
  });
  return { source, dispose: () => watch.dispose() };
}
