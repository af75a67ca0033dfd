/** The commands of `agentjet remote` that list runs, show logs and configs, and cancel and remove runs. */
import type { RunRecord } from '../../core/protocol/runs.ts';
import { exitCodes } from '../../../base/node/terminal/commandIo.ts';
import { followRun, printEvents, printingOf } from './followRun.ts';
import type { CommonValues, LogsValues, RemoveValues } from './remoteOptions.ts';
import { onHost, onRun, type RemoteSession } from './session.ts';
import { columns, isFinal, stateOf, stepOf, timeSpan } from './texts.ts';
import { diffEffective, renderDiff, type Change } from '../../../configs/core/effective/diff.ts';
import { toPlain, type Plain } from '../../../configs/core/value.ts';
import { effectiveConfigValues } from '../../core/runs/effectiveConfig.ts';

export const listRuns = onHost<CommonValues>(async ({ connection, io }, { json = false }) => {
  const runs = await connection.ask('run.list', {});
  if (json) io.stdout.write(`${JSON.stringify(runs)}\n`);
  else if (runs.length === 0) io.stderr.write('The host has no runs.\n');
  else {
    const { now } = await connection.ask('status', {});
    io.stdout.write(columns([head, ...runs.map((run) => row(run, now))]));
  }
  return exitCodes.ok;
});

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

export const showLogs = onRun<LogsValues>(async (session, values, run) => {
  const after = values.since ?? 0;
  const printing = printingOf(values, session.io);
  if (values.follow === true) return followRun(session, run, after, printing);
  const { events } = await session.connection.ask('run.get', { run });
  await printEvents(session.connection, run, { after, upTo: events }, printing);
  return exitCodes.ok;
});

export const cancelRun = onRun<CommonValues>(
  async ({ connection, io }, { json = false }, run) => {
    const record = await connection.ask('run.cancel', { run });
    if (json) io.stdout.write(`${JSON.stringify(record)}\n`);
    else if (isFinal(record)) io.stderr.write(`${run}: ${stateOf(record)}\n`);
    else io.stderr.write(`Canceling ${run}.\n`);
    return exitCodes.ok;
  },
  { keepsTrying: true },
);

export const removeRun = onRun<RemoveValues>(async ({ connection, io }, values, run) => {
  const { checkpoints = false, json = false } = values;
  await connection.ask('run.remove', { run, checkpoints });
  if (json) io.stdout.write(`${JSON.stringify({ run })}\n`);
  return exitCodes.ok;
});

export const showConfig = onRun<CommonValues>(async (session, { json = false }, run) => {
  const text = await configOf(session, run);
  const config = (): Plain => toPlain(effectiveConfigValues(text, run));
  session.io.stdout.write(json ? `${JSON.stringify({ run, config: config() })}\n` : text);
  return exitCodes.ok;
});

export const diffConfigs = onHost<CommonValues>(async (session, { json = false }, runs) => {
  const texts = await Promise.all(runs.map((run) => configOf(session, run)));
  const [run, other] = texts.map((text, at) => effectiveConfigValues(text, runs[at] ?? ''));
  const changes = run === undefined || other === undefined ? [] : diffEffective(run, other);
  session.io.stdout.write(
    json ? `${JSON.stringify(changes.map(changeJson))}\n` : renderDiff(changes, { origins: false }),
  );
  return exitCodes.ok;
});

async function configOf({ connection }: RemoteSession, run: string): Promise<string> {
  return (await connection.ask('run.config', { run })).text;
}

function changeJson(change: Change): Plain {
  return {
    kind: change.kind,
    path: change.path.join('.'),
    ...(change.kind !== 'added' && { before: toPlain(change.before) }),
    ...(change.kind !== 'removed' && { after: toPlain(change.after) }),
  };
}
