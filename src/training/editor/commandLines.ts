import { kebabCase } from '../../base/core/kebabCase.ts';
import { trainRequest } from '../../backbone/core/protocol/run.ts';
import type { TrainingState } from '../../backbone/core/trainer/trainerPorts.ts';
import { limitsOf } from '../../backbone/core/trainer/trainingBudget.ts';
import { tokenKinds } from '../../tinker/core/service.ts';
import type { RunRecord } from '../core/protocol/runs.ts';
import type { KnownHost } from './knownHosts.ts';
import type { DispatchedRun } from './dispatchedRuns.ts';

/** Returns the name of a host for the command line, whose names have no spaces. */
export function hostNameOf({ name }: KnownHost): string {
  const plain = name.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return plain.slice(0, 50) || 'host';
}

export async function addHostArgs(host: KnownHost): Promise<string[]> {
  const { url, fingerprint, start } = host;
  const { sshStartWords } = await import('../node/client/sshStart.ts');
  const address = fingerprint === undefined ? url : `${url}#${fingerprint}`;
  const words = start === undefined ? [] : sshStartWords(start);
  return ['agentjet', 'remote', 'add', hostNameOf(host), address, ...words];
}

/** Returns the command that starts a run again, as arguments. Without `sent`, it must run in the dispatched folder. */
export function rerunArgs(host: KnownHost, run: RunRecord, sent: DispatchedRun | undefined): string[] {
  const on = ['--host', hostNameOf(host)];
  if (run.tinker !== undefined) {
    const { server, model } = run.tinker;
    return ['agentjet', 'remote', 'serve', '--server', server, '--base-model', model, ...on];
  }
  const variables = run.env.flatMap((name) => ['--env', name]);
  if (run.from !== null) {
    const { run: earlier, step, stage, as } = run.from;
    const of = stage === undefined ? [] : ['--stage', stage];
    const how = ['--step', String(step), ...of, ...(as === 'fork' ? ['--fork'] : [])];
    return ['agentjet', 'remote', 'resume', earlier, ...how, ...on, ...variables];
  }
  const place = sent === undefined ? ['--conf', run.config] : ['--conf', sent.config, '--root', sent.root];
  return [
    ...['agentjet', 'remote', 'run', ...place, ...on, '--name', run.name],
    ...['--launcher', run.launcher, '--backbone', run.backbone, '--gpus', String(run.gpus)],
    ...variables,
    // Arguments after `--` go to the launcher.
    ...(run.flags.length === 0 ? [] : ['--', ...run.flags]),
  ];
}

/** Returns the command that resumes a training in a folder, or that starts it again if there is nothing to resume. */
export function localArgs(folder: string, state: TrainingState): string[] {
  const { status, checkpoints, config, baseUrl, tinkerHost, baseModel, loss, rank, totalSteps } = state;
  const prices = trainRequest.safeParse(state.options).data?.prices?.[baseModel];
  if (status !== 'completed' && checkpoints.length > 0) return ['agentjet', 'resume', folder];
  return [
    ...['agentjet', '--conf', config, '--backbone', 'tinker'],
    ...(baseUrl === undefined ? [] : ['--tinker-url', baseUrl]),
    ...(tinkerHost === undefined ? [] : ['--tinker-host', tinkerHost]),
    ...['--base-model', baseModel, '--loss', loss, '--rank', String(rank), '--steps', String(totalSteps)],
    ...Object.entries(limitsOf(state)).flatMap(([limit, value]) => [`--${kebabCase(limit)}`, String(value)]),
    ...(prices === undefined
      ? []
      : ['--price', `${baseModel}=${tokenKinds.map((kind) => prices[kind]).join()}`]),
  ];
}
