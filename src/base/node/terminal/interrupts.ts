import process from 'node:process';
import { CancellationSource } from '../../core/cancellation.ts';
import { toDisposable, type Disposable } from '../../core/disposable.ts';

/** Ctrl-C, `kill`, and a terminal that is closed. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Tells of each interrupt until disposed; until then none ends this process. */
export function onInterrupt(listener: (signal: NodeJS.Signals) => void): Disposable {
  for (const signal of signals) process.on(signal, listener);
  return toDisposable(() => {
    for (const signal of signals) process.off(signal, listener);
  });
}

export interface Interrupts extends Disposable {
  readonly source: CancellationSource;
}

/** What the first interrupt cancels; the second ends this process. */
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
