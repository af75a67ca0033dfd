/** The commands of `agentjet remote` that start a run: from a folder, or from a checkpoint of an earlier run. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { neverCancelled } from '../../../base/core/cancellation.ts';
import { CodedError, formatLocation } from '../../../base/core/errors.ts';
import { escapeControlCharacters } from '../../../base/core/visibleText.ts';
import { sizeText } from '../../../base/core/format.ts';
import { dotEnv } from '../../../base/node/dotEnv.ts';
import { trainingOf } from '../../core/launch/resume.ts';
import { locationOf, type LocatedFinding } from '../../core/dispatch/located.ts';
import { launcherText, stateText } from '../../core/runs/words.ts';
import { partText, unsentFiles, type Preview } from '../../core/sync/tree.ts';
import { agentjetHome } from '../../../base/node/agentjetHome.ts';
import { localFiles } from '../../../base/node/files.ts';
import {
  dispatchRun,
  launcherFor,
  type DispatchPlan,
  type DispatchRequest,
} from '../../node/client/dispatch.ts';
import { type CommandIo, exitCodes } from '../../../base/node/terminal/commandIo.ts';
import type { CommandContext } from '../../../base/node/terminal/commandLine.ts';
import { resumePlan, resumeRun } from '../../node/client/runActions.ts';
import type { Environment } from '../../../base/node/process/environment.ts';
import type { RunRecord } from '../../core/protocol/runs.ts';
import { chosenCheckpoint } from './downloadCommands.ts';
import { isInteractive, prompt } from './prompt.ts';
import { followRun, printingOf } from './followRun.ts';
import { refuseWithoutConfig } from './launcherFlags.ts';
import type { ResumeValues, RunValues } from './remoteOptions.ts';
import { onRun, withHost, type RemoteSession } from './session.ts';
import { logText, Tenths } from './texts.ts';

export async function startRun(
  asked: RunValues,
  flags: readonly string[],
  context: CommandContext,
): Promise<number> {
  const { conf } = asked;
  if (conf === undefined) refuseWithoutConfig(flags, asked.launcher);
  const request = await requestOf({ ...asked, conf }, flags, context.io);
  return withHost(context, asked.host, async (session) => {
    const { host, connection, io } = session;
    let plan: DispatchPlan | undefined;
    const sent = new Tenths();
    const record = await dispatchRun(connection, request, {
      cancellation: neverCancelled,
      confirm: (found) => {
        plan = found;
        return continues(found, asked, request.config, io);
      },
      onStep: (step) => {
        if (step.kind !== 'sending' || step.progress.sent === 0) return;
        const { bytes, total } = step.progress;
        if (sent.isNext(bytes, total)) io.stderr.write(`Sent ${sizeText(bytes)} of ${sizeText(total)}.\n`);
      },
    });
    if (record === undefined) return hasErrors(plan?.findings ?? []) ? exitCodes.someFailed : exitCodes.ok;
    const code = await showStarted(session, record, asked);
    if (asked.follow === true) return code;
    io.stderr.write(
      `State: ${stateText(record.state)}. To follow the run: agentjet remote logs ${record.id} --follow --host ${host.name}\n`,
    );
    return code;
  });
}

export const resume = onRun<ResumeValues>(async (session, values, run) => {
  const { connection, io } = session;
  const as = values.fork === true ? 'fork' : 'resume';
  const record = trainingOf(await connection.ask('run.get', { run }));
  const checkpoints = await connection.ask('checkpoint.list', { run });
  const checkpoint = chosenCheckpoint(checkpoints, {
    run,
    step: values.step,
    stage: values.stage,
    isEnough: ({ resumable }) => resumable,
  });
  const { from, restored } = resumePlan(record, checkpoints, checkpoint, as);
  for (const line of restored) io.stderr.write(`${line}\n`);
  const environment = await environmentOf(io);
  const known = record.env.filter((name) => environment[name] !== undefined);
  const env = variables([...new Set([...known, ...(values.env ?? [])])], environment);
  const started = await resumeRun(connection, record, from, env, {
    cancellation: neverCancelled,
    confirm: (findings) => {
      showFindings(record.config, findings, io);
      return Promise.resolve(values.force === true || !hasErrors(findings));
    },
  });
  if (started === undefined) throw wouldFail();
  return showStarted(session, started, values);
});

async function showStarted(
  session: RemoteSession,
  record: RunRecord,
  values: Pick<RunValues, 'follow' | 'json' | 'source'>,
): Promise<number> {
  const { io } = session;
  io.stdout.write(values.json === true ? `${JSON.stringify(record)}\n` : `${record.id}\n`);
  if (values.follow !== true) return exitCodes.ok;
  return followRun(session, record.id, 0, printingOf(values, io));
}

/** Returns the variables of this process, and of `.env` in the working directory. */
async function environmentOf({ cwd, env }: CommandIo): Promise<Environment> {
  return { ...(await dotEnv(cwd, localFiles, env)), ...env };
}

async function requestOf(
  asked: RunValues & { readonly conf: string },
  flags: readonly string[],
  io: CommandIo,
): Promise<DispatchRequest> {
  const { cwd, env } = io;
  const config = path.resolve(cwd, asked.conf);
  const root = path.resolve(cwd, asked.root ?? '.');
  const launcher = asked.launcher ?? (await launcherFor(config));
  const isTrinity =
    launcher === 'trinity' || (launcher === 'ray' && (await launcherFor(config)) === 'trinity');
  const sent = variables(asked.env ?? [], await environmentOf(io));
  const cache = createHash('sha256').update(root).digest('hex').slice(0, 32);
  return {
    config,
    root,
    launcher,
    // The default of upstream's launcher.
    backbone: asked.backbone ?? (isTrinity ? 'trinity' : 'verl'),
    flags,
    env: sent,
    gpus: asked.gpus,
    limit: asked.limit,
    name: asked.name,
    cache: path.join(agentjetHome(env), 'sync', `${cache}.json`),
    environment: (name) => sent[name] ?? env[name],
  };
}

/** Returns the values of environment variables. Throws `remote/not-set`. */
function variables(names: readonly string[], environment: Environment): Record<string, string> {
  return Object.fromEntries(
    names.map((name): [string, string] => {
      const value = environment[name];
      if (value === undefined) throw notSet(name);
      return [name, value];
    }),
  );
}

function showFindings(config: string, findings: readonly LocatedFinding[], { stderr }: CommandIo): void {
  for (const finding of findings) {
    const where = formatLocation(locationOf(config, finding));
    const hint = finding.hint === undefined ? '' : `\n  ${logText(finding.hint)}`;
    stderr.write(`${where}: ${finding.severity}: ${logText(finding.message)}${hint}\n`);
  }
}

function hasErrors(findings: readonly LocatedFinding[]): boolean {
  return findings.some(({ severity }) => severity === 'error');
}

/** Prints the plan, and returns whether the dispatch continues. Throws `remote/would-fail` or `remote/keys`. */
export async function continues(
  plan: DispatchPlan,
  asked: RunValues,
  config: string,
  io: CommandIo,
): Promise<boolean> {
  const { preview, findings } = plan;
  showFindings(config, findings, io);
  if (asked.dryRun === true) {
    const { env, ...order } = plan.order;
    const document = { order: { ...order, snapshot: undefined, env: Object.keys(env) }, preview, findings };
    io.stdout.write(asked.json === true ? `${JSON.stringify(document)}\n` : planText(plan));
    return false;
  }
  io.stderr.write(`${sentText(preview)}\n`);
  if (hasErrors(findings) && asked.force !== true) throw wouldFail();
  if (preview.keys.length > 0 && asked.sendKeys !== true) await askToSend(preview.keys);
  return true;
}

async function askToSend(keys: readonly string[]): Promise<void> {
  const named = keys.map(escapeControlCharacters).join(', ');
  const question = `These files look like keys or passwords: ${named}\nSend them to the host? [y/N] `;
  if (!isInteractive() || !/^y(?:es)?$/i.test((await prompt(question)) ?? ''))
    throw new CodedError({
      code: 'remote/keys',
      message: `Nothing was sent, because these files look like keys or passwords: ${named}.`,
      hint: 'Exclude them in .agentjetignore. To send them, add a line with `!` and the path there, or use --send-keys.',
    });
}

function planText({ order, preview }: DispatchPlan): string {
  const { config, gpus, flags, env } = order;
  const names = Object.keys(env);
  const lines = [
    `${order.name}: ${launcherText(order)}, config ${config}, ${gpus} GPU${gpus === 1 ? '' : 's'}`,
    ...(flags.length > 0 ? [`flags: ${flags.join(' ')}`] : []),
    ...(names.length > 0 ? [`variables: ${names.join(', ')}`] : []),
    `code: ${preview.files} files, ${sizeText(preview.bytes)}`,
    ...preview.biggestFolders.map((folder) => `  ${partText(folder)}`),
    ...preview.keys.map((path) => `looks like a key or password: ${escapeControlCharacters(path)}`),
    ...unsentFiles(preview.excluded).map(({ path: left, problem = '' }) => `not sent: ${left}: ${problem}`),
  ];
  return `${lines.join('\n')}\n`;
}

function sentText({ files, bytes, biggestFolders, excluded }: Preview): string {
  const parts = biggestFolders.slice(0, 3).map(partText);
  const unsent = unsentFiles(excluded).length;
  const text = `Code: ${files} ${files === 1 ? 'file' : 'files'}, ${sizeText(bytes)}. Largest folders: ${parts.join(', ')}.`;
  return unsent === 0 ? text : `${text} Files that cannot be sent: ${unsent}.`;
}

function wouldFail(): CodedError {
  return new CodedError({
    code: 'remote/would-fail',
    message: 'Not started: preflight found errors (see above).',
    hint: 'Fix them, or start the run anyway with --force.',
  });
}

function notSet(name: string): CodedError {
  return new CodedError({
    code: 'remote/not-set',
    message: `--env ${name} names a variable that is not set.`,
    hint: 'Set it in the environment or in .env of the working directory. The command line takes no values.',
  });
}
