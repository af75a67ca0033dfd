import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { sizeText } from '../../../base/core/sizeText.ts';
import type { CommandIo } from '../../../base/node/terminal/commandIo.ts';
import { cancelledByInterrupt } from '../../../base/node/terminal/interrupts.ts';
import { Tenths } from './texts.ts';

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
  const interrupts = cancelledByInterrupt();
  const { token } = interrupts.source;
  const tenths = new Tenths();
  const onProgress: FetchOptions['onProgress'] = ({ bytes, total }) => {
    if (tenths.isNext(bytes, total)) stderr.write(`${sizeText(bytes)} of ${sizeText(total)} are here.\n`);
  };
  try {
    await fetch({ cancellation: token, onProgress });
    return true;
  } catch (error) {
    if (!token.isCancelled) throw error;
    stderr.write(kept);
    return false;
  } finally {
    interrupts.dispose();
  }
}
