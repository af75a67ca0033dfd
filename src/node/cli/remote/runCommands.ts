/** Runs of a host: listing them, their logs, ending one. */
import type { RunRecord } from '../../../protocol/host/runs.ts';
import { whole } from '../argumentValues.ts';
import type { CommandIo } from '../commandIo.ts';
import { parseOptions, wrongUse } from '../commandLine.ts';
import { exitCodes } from '../terminalView.ts';
import { followRun, printEvents } from './followRun.ts';
import { withHost, type ClientInfo } from './session.ts';
import { columns, isFinal, stateOf, stepOf, timeSpan } from './texts.ts';

const common = { host: { type: 'string' }, json: { type: 'boolean' } } as const;

/** `remote ls`. */
export async function listRuns(args: readonly string[], io: CommandIo, client: ClientInfo): Promise<number> {
  const { values, positionals } = parseOptions(args, common, 'agentjet remote ls');
  const [stray] = positionals;
  if (stray !== undefined) throw wrongUse(`"${stray}" belongs to no option.`, `Write --host ${stray}.`);
  return withHost(io, { host: values.host, client }, async ({ connection }) => {
    const runs = await connection.ask('run.list', {});
    if (values.json === true) io.stdout.write(`${JSON.stringify(runs)}\n`);
    else if (runs.length === 0) io.stderr.write('The host has no runs.\n');
    else {
      const { now } = await connection.ask('status', {});
      io.stdout.write(columns([head, ...runs.map((run) => row(run, now))]));
    }
    return exitCodes.ok;
  });
}

const head = ['RUN', 'NAME', 'STEP', 'REWARD', 'GPUS', 'FOR', 'STATE'];

function row(run: RunRecord, now: number): string[] {
  const since = run.startedAt ?? run.createdAt;
  return [
    run.id,
    run.name,
    stepOf(run),
    run.reward === null ? '' : run.reward.toFixed(3),
    run.devices.length > 0 ? run.devices.join(',') : String(run.gpus),
    timeSpan((run.endedAt ?? now) - since),
    stateOf(run),
  ];
}

/** `remote logs RUN`. */
export async function showLogs(args: readonly string[], io: CommandIo, client: ClientInfo): Promise<number> {
  const options = {
    ...common,
    follow: { type: 'boolean' },
    source: { type: 'string', multiple: true },
    since: { type: 'string' },
  } as const;
  const { values, positionals } = parseOptions(args, options, 'agentjet remote logs');
  const run = oneRun(positionals, 'logs');
  const after = whole('--since', values.since, 0) ?? 0;
  const printing = { io, json: values.json === true, sources: sourcesOf(values.source) };
  return withHost(io, { host: values.host, client }, async ({ host, connection }) => {
    if (values.follow === true) return followRun({ host, connection }, run, after, printing);
    const { events } = await connection.ask('run.get', { run });
    await printEvents(connection, run, { after, upTo: events }, printing);
    return exitCodes.ok;
  });
}

/** What the launcher itself prints, unless others are named; `all`: undefined. */
export function sourcesOf(named: readonly string[] = ['launcher']): readonly string[] | undefined {
  return named.includes('all') ? undefined : named;
}

/** `remote cancel RUN`. */
export async function cancelRun(args: readonly string[], io: CommandIo, client: ClientInfo): Promise<number> {
  const { values, positionals } = parseOptions(args, common, 'agentjet remote cancel');
  const run = oneRun(positionals, 'cancel');
  return withHost(io, { host: values.host, client }, async ({ connection }) => {
    const record = await connection.ask('run.cancel', { run });
    if (values.json === true) io.stdout.write(`${JSON.stringify(record)}\n`);
    else if (isFinal(record)) io.stderr.write(`${run} is ${stateOf(record)}\n`);
    else io.stderr.write(`${run} is asked to end.\n`);
    return exitCodes.ok;
  });
}

/** `remote rm RUN`. */
export async function removeRun(args: readonly string[], io: CommandIo, client: ClientInfo): Promise<number> {
  const options = { ...common, checkpoints: { type: 'boolean' } } as const;
  const { values, positionals } = parseOptions(args, options, 'agentjet remote rm');
  const run = oneRun(positionals, 'rm');
  return withHost(io, { host: values.host, client }, async ({ connection }) => {
    await connection.ask('run.remove', { run, checkpoints: values.checkpoints === true });
    if (values.json === true) io.stdout.write(`${JSON.stringify({ run })}\n`);
    return exitCodes.ok;
  });
}

export function oneRun([run, stray]: readonly string[], command: string): string {
  if (run === undefined || stray !== undefined)
    throw wrongUse(`agentjet remote ${command} takes one run.`, 'agentjet remote ls lists them.');
  return run;
}
