import process from 'node:process';
import { neverCancelled } from '../../../base/core/cancellation.ts';
import type { RunEvent, RunRecord } from '../../core/protocol/runs.ts';
import type { ClientConnection } from '../../core/wire/clientConnection.ts';
import { type CommandIo, exitCodes } from '../../../base/node/terminal/commandIo.ts';
import { cancelledByInterrupt } from '../../../base/node/terminal/interrupts.ts';
import type { LogsValues } from './remoteOptions.ts';
import type { RemoteSession } from './session.ts';
import { eventText, isFinal, logText } from './texts.ts';

export interface Printing {
  readonly io: CommandIo;
  /** Prints every event as a line of JSON instead of log lines. */
  readonly json: boolean;
  /** The log sources to print; undefined: all. */
  readonly sources: readonly string[] | undefined;
}

export function printingOf(
  { source = ['launcher'], json = false }: Pick<LogsValues, 'source' | 'json'>,
  io: CommandIo,
): Printing {
  return { io, json, sources: source.includes('all') ? undefined : source };
}

/** Prints log lines on stdout, other events on stderr. Ctrl-C does not end the run. Resolves to the exit code. */
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
  // A reader that ends early, such as `head`.
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
    `\nThe run continues. To follow it again: agentjet remote logs ${run} --follow --since ${last} --host ${host.name}\n` +
      `To end it: agentjet remote cancel ${run} --host ${host.name}\n`,
  );
  return exitCodes.interrupted;
}

/** Prints the events of a run with numbers above `after` and up to `upTo`. */
export async function printEvents(
  connection: ClientConnection,
  run: string,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  printing: Printing,
): Promise<void> {
  if (after >= upTo) return;
  // All sources: otherwise the end would not be seen if the last event is filtered.
  for await (const events of connection.follow(run, { after }, neverCancelled)) {
    for (const event of events) if (event.seq <= upTo) print(event, printing);
    if ((events.at(-1)?.seq ?? 0) >= upTo) break;
  }
}

function print(event: RunEvent, { io, json, sources }: Printing): void {
  const isWanted = event.type !== 'log' || sources === undefined || sources.includes(event.source);
  if (!isWanted) return;
  if (json) {
    io.stdout.write(`${JSON.stringify(event)}\n`);
  } else if (event.type === 'log') {
    const isAlone = sources?.length === 1;
    const start = isAlone ? '' : `${logText(event.source)}: `;
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
