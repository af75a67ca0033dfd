import { createHash } from 'node:crypto';
import path from 'node:path';
import { CancellationSource } from '../../../base/core/cancellation.ts';
import { CodedError, formatLocation } from '../../../base/core/errors.ts';
import { sizeText } from '../../../base/core/format.ts';
import { dotEnv } from '../../../base/node/dotEnv.ts';
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
  type DispatchStep,
} from '../../node/client/dispatch.ts';
import { type CommandIo, exitCodes } from '../../../base/node/terminal/commandIo.ts';
import type { CommandContext } from '../../../base/node/terminal/commandLine.ts';
import { followRun } from './followRun.ts';
import { refuseWithoutConfig } from './launcherFlags.ts';
import type { RunValues } from './remoteOptions.ts';
import { sourcesOf } from './runCommands.ts';
import { withHost } from './session.ts';
import { Tenths } from './texts.ts';

/** Runs `remote run`: the host checks the run, gets the missing code and starts it. With `--follow`, shows its logs. */
export async function startRun(
  asked: RunValues,
  flags: readonly string[],
  context: CommandContext,
): Promise<number> {
  const { io } = context;
  const { conf, json = false } = asked;
  if (conf === undefined) refuseWithoutConfig(flags, asked.launcher);
  const request = await requestOf({ ...asked, conf }, flags, io);
  return withHost(context, asked.host, async (session) => {
    const { host, connection } = session;
    const dispatch = new Dispatch(asked, request, io);
    const { token } = new CancellationSource();
    const record = await dispatchRun(connection, request, {
      cancellation: token,
      confirm: (plan) => Promise.resolve(dispatch.continues(plan)),
      onStep: (step) => dispatch.report(step),
    });
    if (record === undefined) return dispatch.exitCode;
    if (json) io.stdout.write(`${JSON.stringify(record)}\n`);
    else io.stdout.write(`${record.id}\n`);
    if (asked.follow === true) {
      const printing = { io, json, sources: sourcesOf(asked.source) };
      return followRun(session, record.id, 0, printing);
    }
    io.stderr.write(
      `State: ${stateText(record.state)}. To follow the run: agentjet remote logs ${record.id} --follow --host ${host.name}\n`,
    );
    return exitCodes.ok;
  });
}

async function requestOf(
  asked: RunValues & { readonly conf: string },
  flags: readonly string[],
  { cwd, env }: CommandIo,
): Promise<DispatchRequest> {
  const config = path.resolve(cwd, asked.conf);
  const root = path.resolve(cwd, asked.root ?? '.');
  const launcher = asked.launcher ?? (await launcherFor(config));
  const isTrinity =
    launcher === 'trinity' || (launcher === 'ray' && (await launcherFor(config)) === 'trinity');
  const environment = { ...(await dotEnv(cwd, localFiles, env)), ...env };
  const sent = variables(asked.env ?? [], environment);
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
export function variables(
  names: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    names.map((name): [string, string] => {
      const value = environment[name];
      if (value === undefined) throw notSet(name);
      return [name, value];
    }),
  );
}

/** @param config the name that the user knows */
export function findingLines(config: string, findings: readonly LocatedFinding[]): string[] {
  return findings.map((finding) => {
    const where = formatLocation(locationOf(config, finding));
    const hint = finding.hint === undefined ? '' : `\n  ${finding.hint}`;
    return `${where}: ${finding.severity}: ${finding.message}${hint}`;
  });
}

export function hasErrors(findings: readonly LocatedFinding[]): boolean {
  return findings.some(({ severity }) => severity === 'error');
}

/** Prints the progress of a dispatch, and decides whether it continues. */
class Dispatch {
  readonly #asked: RunValues;
  readonly #request: DispatchRequest;
  readonly #io: CommandIo;
  /** The exit code if nothing was started. */
  exitCode: number = exitCodes.ok;
  readonly #sent = new Tenths();

  constructor(asked: RunValues, request: DispatchRequest, io: CommandIo) {
    this.#asked = asked;
    this.#request = request;
    this.#io = io;
  }

  continues(plan: DispatchPlan): boolean {
    const { preview, findings } = plan;
    const { dryRun = false, force = false, json = false } = this.#asked;
    for (const line of findingLines(this.#request.config, findings)) this.#say(line);
    if (!dryRun) this.#say(sentText(preview));
    const isWrong = hasErrors(findings);
    if (dryRun) {
      const { env, ...order } = plan.order;
      const document = { order: { ...order, snapshot: undefined, env: Object.keys(env) }, preview, findings };
      if (json) this.#io.stdout.write(`${JSON.stringify(document)}\n`);
      else this.#io.stdout.write(planText(plan));
      this.exitCode = isWrong ? exitCodes.someFailed : exitCodes.ok;
      return false;
    }
    if (isWrong && !force) throw wouldFail();
    return true;
  }

  report(step: DispatchStep): void {
    if (step.kind !== 'sending') return;
    const { bytes, total, sent } = step.progress;
    if (sent === 0 || !this.#sent.isNext(bytes, total)) return;
    this.#say(`Sent ${sizeText(bytes)} of ${sizeText(total)}.`);
  }

  #say(text: string): void {
    this.#io.stderr.write(`${text}\n`);
  }
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
    ...unsentFiles(preview.excluded).map(({ path: left, problem = '' }) => `not sent: ${left}: ${problem}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns one line about the code to compare with the host, and what cannot be sent. */
function sentText({ files, bytes, biggestFolders, excluded }: Preview): string {
  const parts = biggestFolders.slice(0, 3).map(partText);
  const unsent = unsentFiles(excluded).length;
  const text = `Code: ${files} ${files === 1 ? 'file' : 'files'}, ${sizeText(bytes)}. Largest folders: ${parts.join(', ')}.`;
  return unsent === 0 ? text : `${text} Files that cannot be sent: ${unsent}.`;
}

export function wouldFail(): CodedError {
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
