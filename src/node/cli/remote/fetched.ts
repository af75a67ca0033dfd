import process from 'node:process';
import { CancellationSource, type CancellationToken } from '../../../base/cancellation.ts';
import type { CommandIo } from '../commandIo.ts';
import { size, Tenths } from './texts.ts';

export interface FetchOptions {
  readonly cancellation: CancellationToken;
  readonly onProgress: (progress: { readonly bytes: number; readonly total: number }) => void;
}

const kept = 'What came so far is kept: the same command goes on from there.\n';

/** Brings something here, telling each tenth of it; false: it was interrupted, and ends with the connection. */
export async function fetched(
  { stderr }: Pick<CommandIo, 'stderr'>,
  fetch: (options: FetchOptions) => Promise<void>,
): Promise<boolean> {
  const stop = new CancellationSource();
  const interrupt = (): void => stop.cancel();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.once(name, interrupt);
  const tenths = new Tenths();
  const onProgress: FetchOptions['onProgress'] = ({ bytes, total }) => {
    if (tenths.isNext(bytes, total)) stderr.write(`${size(bytes)} of ${size(total)} are here.\n`);
  };
  try {
    await fetch({ cancellation: stop.token, onProgress });
    return true;
  } catch (error) {
    if (!stop.token.isCancelled) throw error;
    stderr.write(kept);
    return false;
  } finally {
    for (const name of signals) process.off(name, interrupt);
  }
}
