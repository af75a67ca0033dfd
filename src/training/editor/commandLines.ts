import type { RunRecord } from '../core/protocol/runs.ts';
import type { KnownHost } from './knownHosts.ts';
import type { DispatchedRun } from './dispatchedRuns.ts';

/** The command line keeps hosts of its own, whose names have no blanks. */
export function hostNameOf({ name }: KnownHost): string {
  const plain = name.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return plain.slice(0, 50) || 'host';
}

/** What makes a host known to the command line, word by word. */
export async function addHostArgs(host: KnownHost): Promise<string[]> {
  const { url, fingerprint, start } = host;
  const { sshStartWords } = await import('../node/client/sshStart.ts');
  const address = fingerprint === undefined ? url : `${url}#${fingerprint}`;
  const words = start === undefined ? [] : sshStartWords(start);
  return ['agentjet', 'remote', 'add', hostNameOf(host), address, ...words];
}

/** What does once more what was asked for with a run, word by word. Without `sent` it is for the folder that was sent. */
export function rerunArgs(host: KnownHost, run: RunRecord, sent: DispatchedRun | undefined): string[] {
  const on = ['--host', hostNameOf(host)];
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
    // Behind it nothing is taken for a flag of ours.
    ...(run.flags.length === 0 ? [] : ['--', ...run.flags]),
  ];
}
