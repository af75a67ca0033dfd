/** The commands of `agentjet remote` that list runs, show logs, and cancel and remove runs. */
import type { RunRecord } from '../../core/protocol/runs.ts';
import type { CommandContext } from '../../../base/node/terminal/commandLine.ts';
import { exitCodes } from '../../../base/node/terminal/commandIo.ts';
import { followRun, printEvents } from './followRun.ts';
import type { CommonValues, LogsValues, RemoveValues } from './remoteOptions.ts';
import { withHost } from './session.ts';
import { columns, isFinal, stateOf, stepOf, timeSpan } from './texts.ts';
import { diffEffective, renderDiff, type Change } from '../../../configs/core/effective/diff.ts';
import { toPlain, type MappingValue, type Plain } from '../../../configs/core/value.ts';
import { effectiveConfigValues } from '../../core/runs/effectiveConfig.ts';

export async function listRuns(
  { host, json = false }: CommonValues,
  _: readonly string[],
  context: CommandContext,
): Promise<number> {
  const { io } = context;
  return withHost(context, host, async ({ connection }) => {
    const runs = await connection.ask('run.list', {});
    if (json) io.stdout.write(`${JSON.stringify(runs)}\n`);
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

export async function showLogs(
  { host: named, follow = false, source, since: after = 0, json = false }: LogsValues,
  [run = '']: readonly string[],
  context: CommandContext,
): Promise<number> {
  const printing = { io: context.io, json, sources: sourcesOf(source) };
  return withHost(context, named, async ({ host, connection }) => {
    if (follow) return followRun({ host, connection }, run, after, printing);
    const { events } = await connection.ask('run.get', { run });
    await printEvents(connection, run, { after, upTo: events }, printing);
    return exitCodes.ok;
  });
}

/** Returns the log sources to show, by default the launcher. Undefined: all. */
export function sourcesOf(named: readonly string[] = ['launcher']): readonly string[] | undefined {
  return named.includes('all') ? undefined : named;
}

export async function cancelRun(
  { host, json = false }: CommonValues,
  [run = '']: readonly string[],
  context: CommandContext,
): Promise<number> {
  const { io } = context;
  return withHost(context, host, async ({ connection }) => {
    const record = await connection.ask('run.cancel', { run });
    if (json) io.stdout.write(`${JSON.stringify(record)}\n`);
    else if (isFinal(record)) io.stderr.write(`${run}: ${stateOf(record)}\n`);
    else io.stderr.write(`Canceling ${run}.\n`);
    return exitCodes.ok;
  });
}

export async function removeRun(
  { host, checkpoints = false, json = false }: RemoveValues,
  [run = '']: readonly string[],
  context: CommandContext,
): Promise<number> {
  const { io } = context;
  return withHost(context, host, async ({ connection }) => {
    await connection.ask('run.remove', { run, checkpoints });
    if (json) io.stdout.write(`${JSON.stringify({ run })}\n`);
    return exitCodes.ok;
  });
}

/** Runs `remote config`, which prints the config of a run. */
export async function showConfig(
  { host, json = false }: CommonValues,
  [run = '']: readonly string[],
  context: CommandContext,
): Promise<number> {
  return withHost(context, host, async ({ connection }) => {
    const { text } = await connection.ask('run.config', { run });
    const config = (): Plain => toPlain(effectiveConfigValues(text, run));
    context.io.stdout.write(json ? `${JSON.stringify({ run, config: config() })}\n` : text);
    return exitCodes.ok;
  });
}

/** Runs `remote config diff`, which compares the configs of two runs. */
export async function diffConfigs(
  { host, json = false }: CommonValues,
  [run = '', other = '']: readonly string[],
  context: CommandContext,
): Promise<number> {
  return withHost(context, host, async ({ connection }) => {
    const values = async (of: string): Promise<MappingValue> =>
      effectiveConfigValues((await connection.ask('run.config', { run: of })).text, of);
    const changes = diffEffective(await values(run), await values(other));
    context.io.stdout.write(
      json ? `${JSON.stringify(changes.map(changeJson))}\n` : renderDiff(changes, { origins: false }),
    );
    return exitCodes.ok;
  });
}

function changeJson(change: Change): Plain {
  return {
    kind: change.kind,
    path: change.path.join('.'),
    ...(change.kind !== 'added' && { before: toPlain(change.before) }),
    ...(change.kind !== 'removed' && { after: toPlain(change.after) }),
  };
}
