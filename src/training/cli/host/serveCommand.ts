import { hostname } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { Scope } from '../../core/protocol/hostRpc.ts';
import { finalStates } from '../../core/protocol/runs.ts';
import type { LauncherCommand } from '../../core/launch/plan.ts';
import { openHost, type OpenHost } from '../../node/host/openHost.ts';
import { exitCodes } from '../../../base/node/terminal/commandIo.ts';
import { onInterrupt } from '../../../base/node/terminal/interrupts.ts';
import type { CommandContext, Values } from '../../../base/node/terminal/commandLine.ts';
import type { serveOptions } from './hostOptions.ts';
import { hostSettings, type HostSettings } from './hostSettings.ts';

export const firstToken = { name: 'owner', scopes: ['start', 'cancel'] satisfies Scope[] } as const;

/** Runs `agentjet host`, which serves until INT, TERM or HUP. The runs continue. */
export async function runServe(
  { json = false, takeOver = false, ...values }: Values<typeof serveOptions>,
  _: readonly string[],
  { io, hostProgram, version }: CommandContext,
): Promise<number> {
  const settings = hostSettings(values, io);
  const stopped = new Promise<void>((resolve) => {
    onInterrupt(() => resolve());
  });
  const own = (name: string): LauncherCommand => ({ command: process.execPath, args: [hostProgram, name] });
  const host = await openHost({
    ...settings,
    takeOver,
    env: process.env,
    keeper: own('keep'),
    raySupervisor: own('ray-job'),
    version,
    program: hostProgram,
    logger: { log: (level, message) => level !== 'debug' && io.stderr.write(`${level}: ${message}\n`) },
  });
  try {
    const token = host.tokens.addFirst(firstToken.name, firstToken.scopes, Date.now());
    io.stdout.write(json ? document(host, settings, token) : text(host, settings, token));
    // Finding the launchers starts their Pythons, so the address comes first.
    if (!json) await Promise.race([stopped, describe(host).then((found) => io.stdout.write(found))]);
    await stopped;
  } finally {
    await host.close();
  }
  const active = host.runs.list().filter(({ state }) => !finalStates.includes(state) && state !== 'queued');
  if (active.length > 0) io.stderr.write(`The host stops. Runs that continue: ${active.length}.\n`);
  return exitCodes.ok;
}

function pairingAddress(host: Pick<OpenHost, 'server' | 'certificate'>): string {
  const { server, certificate } = host;
  const anywhere = /\/\/(?:0\.0\.0\.0|\[::\])(?=:)/;
  const url = server.url.replace(anywhere, `//${hostname()}`);
  return certificate?.selfSigned === true ? `${url}#${certificate.fingerprint}` : url;
}

function text(host: OpenHost, { dataFolder }: HostSettings, token: string | undefined): string {
  const { name, version } = host.services.identity;
  const none = host.tokens.list().length === 0 ? 'It has no token, so no client can connect. ' : '';
  return `GPU host ${name}, version ${version}, data folder ${dataFolder}. Its address:

  ${pairingAddress(host)}

${
  token === undefined
    ? `${none}To create a token, use \`agentjet host token add NAME\`.`
    : `Its first token, ${firstToken.name}, which allows to view, start and cancel runs. It is shown only once:

  ${token}

Enter both in the editor (AgentJet: Add GPU Host) or with \`agentjet remote add NAME ADDRESS\`.`
}
`;
}

/** Returns the GPUs and launchers that the host has found. */
async function describe({ services }: OpenHost): Promise<string> {
  const { gpus, launchers } = await services.status();
  const cards = [...new Set(gpus.map(({ name }) => name))].map(
    (kind) => `${gpus.filter(({ name }) => name === kind).length} × ${kind}`,
  );
  const lines = [
    `GPUs: ${cards.length === 0 ? 'none' : cards.join(', ')}`,
    ...launchers.map(({ name, version, problem }) => `${name}: ${problem ?? version ?? 'found'}`),
  ];
  return `\n${lines.join('\n')}\n`;
}

function document(host: OpenHost, { dataFolder }: HostSettings, token: string | undefined): string {
  return `${JSON.stringify({
    type: 'listening',
    address: pairingAddress(host),
    url: host.server.url,
    fingerprint: host.certificate?.fingerprint ?? null,
    host: host.services.identity,
    data: path.resolve(dataFolder),
    pid: process.pid,
    ...(token !== undefined && { token: { name: firstToken.name, token } }),
  })}\n`;
}
