/**
 * A host without a network, in a process that can be killed: its data folder is its argument. The parent tells over the
 * channel of `fork` which run to follow, and from where; every block is sent and waits to be asked for the next.
 */
import process from 'node:process';
import type { RunEvent } from '../../../src/training/core/protocol/runs.ts';
import type { EventReader } from '../../../src/training/core/contracts.ts';
import { eventsOfBlock, openRuns } from './runsHost.ts';

export type ToHost = { readonly follow: string; readonly after: number } | { readonly next: number };
/** `reader` counts follows: a block of an earlier one is none of the present. */
export type FromHost =
  | { readonly ready: true }
  | { readonly warning: string }
  | { readonly reader: number; readonly events: readonly RunEvent[]; readonly upTo: number };

if (process.argv[1] === import.meta.filename) {
  const send = (message: FromHost): void => void process.send?.(message);
  const logger = { log: (_: unknown, message: string): void => send({ warning: message }) };
  const runs = await openRuns(process.argv[2] ?? '', { logger });
  let reader: EventReader | undefined;
  let readers = 0;

  const next = async (of: EventReader, number: number): Promise<void> => {
    const more = new Promise<void>((resolve) => of.onMore(resolve));
    const block = await of.next();
    if (reader !== of) return;
    if (block !== undefined) {
      send({ reader: number, events: eventsOfBlock(block), upTo: block.upTo });
      return;
    }
    await more;
    await next(of, number);
  };

  process.on('message', (message: ToHost) => {
    if ('follow' in message) {
      reader?.dispose();
      reader = runs.follow(message.follow, message.after);
      readers++;
    } else if (message.next !== readers) return;
    if (reader !== undefined) void next(reader, readers);
  });
  process.on('disconnect', () => process.exit(0));
  send({ ready: true });
}
