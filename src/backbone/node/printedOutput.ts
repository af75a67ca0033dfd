/** Captures what the code of episodes prints. The output still goes where it went before. */
import { AsyncLocalStorage } from 'node:async_hooks';
import process from 'node:process';
import type { PrintedOutput } from '../../tracking/core/records/trace.ts';
import type { EpisodePrinter } from '../core/task-runner/episode.ts';
import { PrintedText } from '../core/task-runner/printedText.ts';

type Stream = PrintedOutput['parts'][number]['stream'];

const current = new AsyncLocalStorage<PrintedText>();
const byEpisode = new Map<string, PrintedText>();
let isInstalled = false;

export function openPrinter(episodeUuid: string): EpisodePrinter {
  install();
  const text = new PrintedText();
  byEpisode.set(episodeUuid, text);
  return {
    run: (work) => current.run(text, work),
    end: () => {
      byEpisode.delete(episodeUuid);
      return text.output();
    },
  };
}

/** Adds what code of an episode printed in another process. */
export function printedElsewhere(episodeUuid: string, { cut, parts }: PrintedOutput): void {
  const text = byEpisode.get(episodeUuid);
  text?.add({ stream: 'stdout', text: '' }, cut);
  for (const part of parts) text?.add(part);
}

/** A process executes one run, so the streams stay as they are then. */
function install(): void {
  if (isInstalled) return;
  isInstalled = true;
  for (const stream of ['stdout', 'stderr'] as const) {
    const write = process[stream].write.bind(process[stream]) as (...of: unknown[]) => boolean;
    process[stream].write = (chunk: unknown, ...others: unknown[]) => {
      keep(stream, chunk, others[0]);
      return write(chunk, ...others);
    };
  }
}

function keep(stream: Stream, chunk: unknown, encoding: unknown): void {
  const text = current.getStore();
  if (text === undefined) return;
  if (typeof chunk === 'string' && (typeof encoding !== 'string' || /^utf-?8$/i.test(encoding)))
    text.add({ stream, text: chunk });
  else if (chunk instanceof Uint8Array) text.add({ stream, text: Buffer.from(chunk).toString() });
}
