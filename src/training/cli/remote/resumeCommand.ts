import { neverCancelled } from '../../../base/core/cancellation.ts';
import { dotEnv } from '../../../base/node/dotEnv.ts';
import { localFiles } from '../../../base/node/files.ts';
import { resumePlan, resumeRun } from '../../node/client/runActions.ts';
import type { CommandContext } from '../../../base/node/terminal/commandLine.ts';
import { exitCodes } from '../../../base/node/terminal/commandIo.ts';
import { chosenCheckpoint } from './downloadCommands.ts';
import { followRun } from './followRun.ts';
import { findingLines, hasErrors, variables, wouldFail } from './runCommand.ts';
import type { ResumeValues } from './remoteOptions.ts';
import { sourcesOf } from './runCommands.ts';
import { withHost } from './session.ts';

/** Runs `remote resume`, which starts a run from a checkpoint of an earlier run. */
export async function resume(
  values: ResumeValues,
  [run = '']: readonly string[],
  context: CommandContext,
): Promise<number> {
  const { io } = context;
  const as: 'resume' | 'fork' = values.fork === true ? 'fork' : 'resume';
  return withHost(context, values.host, async (session) => {
    const { connection } = session;
    const record = await connection.ask('run.get', { run });
    const checkpoints = await connection.ask('checkpoint.list', { run });
    const checkpoint = chosenCheckpoint(checkpoints, {
      run,
      step: values.step,
      stage: values.stage,
      isEnough: ({ resumable }) => resumable,
    });
    const { from, restored } = resumePlan(record, checkpoints, checkpoint, as);
    for (const line of restored) io.stderr.write(`${line}\n`);
    const environment = { ...(await dotEnv(io.cwd, localFiles, io.env)), ...io.env };
    const known = record.env.filter((name) => environment[name] !== undefined);
    const env = variables([...new Set([...known, ...(values.env ?? [])])], environment);
    const started = await resumeRun(connection, record, from, env, {
      cancellation: neverCancelled,
      confirm: (findings) => {
        for (const line of findingLines(record.config, findings)) io.stderr.write(`${line}\n`);
        return Promise.resolve(values.force === true || !hasErrors(findings));
      },
    });
    if (started === undefined) throw wouldFail();
    io.stdout.write(values.json === true ? `${JSON.stringify(started)}\n` : `${started.id}\n`);
    if (values.follow !== true) return exitCodes.ok;
    const printing = { io, json: values.json === true, sources: sourcesOf(values.source) };
    return followRun(session, started.id, 0, printing);
  });
}
