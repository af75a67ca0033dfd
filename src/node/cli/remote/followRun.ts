import process from 'node:process';
import { CancellationSource } from '../../../base/cancellation.ts';
import type { RunEvent, RunRecord } from '../../../protocol/host/runs.ts';
import type { HostConnection } from '../../../remote/contracts.ts';
import type { CommandIo } from '../commandIo.ts';
import { cancelledByInterrupt } from '../interrupts.ts';
import { exitCodes } from '../terminalView.ts';
import type { RemoteSession } from './session.ts';
import { eventText, isFinal, logText } from './texts.ts';

export interface Printing {
  readonly io: CommandIo;
  /** Every event as a line of JSON, in place of lines of logs. */
  readonly json: boolean;
  /** Whose lines; undefined: all. */
  readonly sources: readonly string[] | undefined;
}

/**
 * Prints a run's events until it has ended: lines of its logs on stdout, what else happens to it on stderr. Ctrl-C leaves
 * the run as it is, and tells how to come back. Resolves to the exit code.
 */
export async function followRun(
  { host, connection }: RemoteSession,
  run: string,
  after: number,
  printing: Printing,
): Promise<number> {
  const { stderr } = printing.io;
  const before = await connection.ask('run.get', { run });
  if (isFinal(before) && after >= before.events) return exitCodeOf(before);
  const interrupts = cancelledByInterrupt();
  const stop = interrupts.source;
  const end = (): void => stop.cancel();
  // A reader that goes, as `head` does, is through with it.
  process.stdout.on('error', end);
  let last = after;
  try {
    const options = { after, ...(printing.sources && { sources: printing.sources }) };
    for await (const events of connection.follow(run, options, stop.token)) {
      for (const event of events) print(event, printing);
      last = events.at(-1)?.seq ?? last;
      if (stop.token.isCancelled) break;
    }
  } catch (error) {
    if (!stop.token.isCancelled) throw error;
  } finally {
    interrupts.dispose();
    process.stdout.off('error', end);
  }
  if (!stop.token.isCancelled) return exitCodeOf(await connection.ask('run.get', { run }));
  stderr.write(
    `\nThe run goes on. To come back to it: agentjet remote logs ${run} --follow --since ${last} --host ${host.name}\n` +
      `To end it: agentjet remote cancel ${run} --host ${host.name}\n`,
  );
  return exitCodes.interrupted;
}

/** Prints what there is of a run's events, of the numbers above `after` and up to `upTo`. */
export async function printEvents(
  connection: HostConnection,
  run: string,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  printing: Printing,
): Promise<void> {
  if (after >= upTo) return;
  const stop = new CancellationSource();
  // All of them: of lines that were not asked for, nothing would tell that the last one was passed.
  for await (const events of connection.follow(run, { after }, stop.token)) {
    for (const event of events) if (event.seq <= upTo) print(event, printing);
    if ((events.at(-1)?.seq ?? 0) >= upTo) break;
  }
  stop.cancel();
}

function print(event: RunEvent, { io, json, sources }: Printing): void {
  const isWanted = event.type !== 'log' || sources === undefined || sources.includes(event.source);
  if (!isWanted) return;
  if (json) {
    io.stdout.write(`${JSON.stringify(event)}\n`);
  } else if (event.type === 'log') {
    const isAlone = sources?.length === 1;
    const start = isAlone ? '' : `${event.source}: `;
    const end = isAlone && event.part === true ? '' : '\n';
    io.stdout.write(`${event.lines.map((line) => `${start}${logText(line)}`).join('\n')}${end}`);
  } else {
    const text = eventText(event);
    if (text !== undefined) io.stderr.write(`${logText(text)}\n`);
  }
}

function exitCodeOf({ state }: RunRecord): number {
  if (state === 'finished') return exitCodes.ok;
  return state === 'cancelled' ? exitCodes.interrupted : exitCodes.someFailed;
}
