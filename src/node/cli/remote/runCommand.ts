import { createHash } from 'node:crypto';
import path from 'node:path';
import { CancellationSource } from '../../../base/cancellation.ts';
import { CodedError, formatLocation } from '../../../base/errors.ts';
import { sizeText } from '../../../base/sizeText.ts';
import { dotEnv } from '../../../debug/dotEnv.ts';
import { locationOf, type LocatedFinding } from '../../../remote/dispatch/located.ts';
import { partText, unsendable, type Preview } from '../../../remote/sync/tree.ts';
import { agentjetHome } from '../../agentjetHome.ts';
import { localFiles } from '../../files.ts';
import {
  dispatchRun,
  launcherFor,
  type DispatchPlan,
  type DispatchRequest,
  type DispatchStep,
} from '../../remote/dispatch.ts';
import type { CommandIo } from '../commandIo.ts';
import { exitCodes } from '../terminalView.ts';
import { followRun } from './followRun.ts';
import { runArguments, type RemoteRunArguments } from './runArguments.ts';
import { sourcesOf } from './runCommands.ts';
import { withHost, type ClientInfo } from './session.ts';
import { Tenths } from './texts.ts';

/** `remote run --conf FILE`: has the host check it, sends what it lacks, starts it, and follows it where asked to. */
export async function startRun(args: readonly string[], io: CommandIo, client: ClientInfo): Promise<number> {
  const asked = runArguments(args);
  const request = await requestOf(asked, io);
  return withHost(io, { host: asked.host, client }, async (session) => {
    const { host, connection } = session;
    const dispatch = new Dispatch(asked, request, io);
    const { token } = new CancellationSource();
    const record = await dispatchRun(connection, request, {
      cancellation: token,
      confirm: (plan) => Promise.resolve(dispatch.goesOn(plan)),
      onStep: (step) => dispatch.tell(step),
    });
    if (record === undefined) return dispatch.exitCode;
    if (asked.json) io.stdout.write(`${JSON.stringify(record)}\n`);
    else io.stdout.write(`${record.id}\n`);
    if (asked.follow) {
      const printing = { io, json: asked.json, sources: sourcesOf(asked.sources) };
      return followRun(session, record.id, 0, printing);
    }
    io.stderr.write(
      `The run is ${record.state}. To see it: agentjet remote logs ${record.id} --follow --host ${host.name}\n`,
    );
    return exitCodes.ok;
  });
}

async function requestOf(asked: RemoteRunArguments, { cwd, env }: CommandIo): Promise<DispatchRequest> {
  const config = path.resolve(cwd, asked.conf);
  const root = path.resolve(cwd, asked.root ?? '.');
  const launcher = asked.launcher ?? (await launcherFor(config));
  const isTrinity =
    launcher === 'trinity' || (launcher === 'ray' && (await launcherFor(config)) === 'trinity');
  const environment = { ...(await dotEnv(cwd, localFiles, env)), ...env };
  const sent = variables(asked.env, environment);
  const cache = createHash('sha256').update(root).digest('hex').slice(0, 32);
  return {
    config,
    root,
    launcher,
    // As upstream's launcher has it where nothing is said.
    backbone: asked.backbone ?? (isTrinity ? 'trinity' : 'verl'),
    flags: asked.flags,
    env: sent,
    gpus: asked.gpus,
    limit: asked.limit,
    name: asked.name,
    cache: path.join(agentjetHome(env), 'sync', `${cache}.json`),
    environment: (name) => sent[name] ?? env[name],
  };
}

/** The values of variables that are named. Throws for one that is not set. */
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

/** @param config as the user knows it */
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

/** What a dispatch tells on its way. */
class Dispatch {
  readonly #asked: RemoteRunArguments;
  readonly #request: DispatchRequest;
  readonly #io: CommandIo;
  /** Where nothing was started. */
  exitCode: number = exitCodes.ok;
  readonly #sent = new Tenths();

  constructor(asked: RemoteRunArguments, request: DispatchRequest, io: CommandIo) {
    this.#asked = asked;
    this.#request = request;
    this.#io = io;
  }

  goesOn(plan: DispatchPlan): boolean {
    const { preview, findings } = plan;
    const { dryRun, force, json } = this.#asked;
    for (const line of findingLines(this.#request.config, findings)) this.#say(line);
    if (!dryRun) this.#say(sentText(preview));
    const isWrong = hasErrors(findings);
    if (dryRun) {
      const { env, ...order } = plan.order;
      const told = { order: { ...order, snapshot: undefined, env: Object.keys(env) }, preview, findings };
      if (json) this.#io.stdout.write(`${JSON.stringify(told)}\n`);
      else this.#io.stdout.write(planText(plan));
      this.exitCode = isWrong ? exitCodes.someFailed : exitCodes.ok;
      return false;
    }
    if (isWrong && !force) throw wouldFail();
    return true;
  }

  tell(step: DispatchStep): void {
    if (step.kind !== 'sending') return;
    const { bytes, total, sent } = step.progress;
    if (sent === 0 || !this.#sent.isNext(bytes, total)) return;
    this.#say(`${sizeText(bytes)} of ${sizeText(total)} are there.`);
  }

  #say(text: string): void {
    this.#io.stderr.write(`${text}\n`);
  }
}

function planText({ order, preview }: DispatchPlan): string {
  const { launcher, backbone, config, gpus, flags, env } = order;
  const names = Object.keys(env);
  const lines = [
    `${order.name}: ${launcher} on ${config}, backbone ${backbone}, ${gpus} GPU${gpus === 1 ? '' : 's'}`,
    ...(flags.length > 0 ? [`flags: ${flags.join(' ')}`] : []),
    ...(names.length > 0 ? [`variables: ${names.join(', ')}`] : []),
    `code: ${preview.files} files, ${sizeText(preview.bytes)}`,
    ...preview.biggestFolders.map((folder) => `  ${partText(folder)}`),
    ...unsendable(preview.leftOut).map(({ path: left, problem = '' }) => `left out: ${left}: ${problem}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** One line: what of the folder is compared with the host, and what cannot be. */
function sentText({ files, bytes, biggestFolders, leftOut }: Preview): string {
  const parts = biggestFolders.slice(0, 3).map(partText);
  const lost = unsendable(leftOut).length;
  const told = `Code: ${files} ${files === 1 ? 'file' : 'files'}, ${sizeText(bytes)}; the biggest folders: ${parts.join(', ')}.`;
  return lost === 0 ? told : `${told} ${lost} of it cannot be sent.`;
}

export function wouldFail(): CodedError {
  return new CodedError({
    code: 'remote/would-fail',
    message: 'The run was not started: it would fail for what is told above.',
    hint: 'Mend it, or start it all the same with --force.',
  });
}

function notSet(name: string): CodedError {
  return new CodedError({
    code: 'remote/not-set',
    message: `--env ${name} names a variable that is not set here.`,
    hint: 'Set it in the environment or in .env of the working directory; values do not belong on a command line.',
  });
}
