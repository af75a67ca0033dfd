import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { RayJobs } from '../../../src/training/node/host/ray/rayJobs.ts';
import { killSurvivors, killTree, processesWith } from '../../../src/base/node/process/kill.ts';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';

/** A Ray cluster of one node, of this test alone: no port is Ray's usual one, and nothing else is ended with it. */
export interface RayCluster {
  /** The address of its dashboard. */
  readonly head: string;
  /** The address for RAY_ADDRESS. */
  readonly address: string;
  readonly jobs: RayJobs;
  /** As a machine that loses its power: all of it, at once. */
  kill(): void;
  end(): Promise<void>;
}

/** On a machine under load Ray gives up by itself; another attempt finds what it reads in memory. */
export async function startRay(
  environment: 'ray' | 'trinity' = 'ray',
  options: RayOptions = {},
): Promise<RayCluster> {
  const python = await ensurePython(environment);
  return start(python, options).catch(() => start(python, options));
}

export interface RayOptions {
  /** Folders with programs that jobs find before all others. */
  readonly programs?: readonly string[];
  /** What the cluster asks for; undefined: nothing, whatever the machine has of Ray's own. */
  readonly token?: string;
}

async function start(python: string, { programs = [], token }: RayOptions): Promise<RayCluster> {
  // Its sockets' paths must be short.
  const folder = await mkdtemp('/tmp/ajray-');
  const ports = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const [gcs, dashboard, client, agent] = ports.map(String);
  const mark = `AGENTJET_RAY_TEST=${randomBytes(8).toString('hex')}`;
  const [name = '', value = ''] = mark.split('=');
  const args = [
    ...['-m', 'ray.scripts.scripts', 'start', '--head', '--block', '--disable-usage-stats'],
    ...[`--port=${gcs}`, `--dashboard-port=${dashboard}`, `--ray-client-server-port=${client}`],
    ...[
      `--dashboard-agent-listen-port=${agent}`,
      '--dashboard-host=127.0.0.1',
      '--node-ip-address=127.0.0.1',
    ],
    ...['--num-cpus=2', '--num-gpus=0', '--object-store-memory=80000000', `--temp-dir=${folder}`],
    ...['--min-worker-port=0', '--max-worker-port=0', '--include-dashboard=true'],
  ];
  // Jobs find the environment's own programs.
  const search = [...programs, path.dirname(python), process.env['PATH'] ?? ''].join(path.delimiter);
  const env = {
    ...process.env,
    ...{ PATH: search, [name]: value, RAY_ENABLE_UV_RUN_RUNTIME_ENV: '0' },
    ...(token === undefined
      ? { RAY_AUTH_MODE: 'disabled' }
      : { RAY_AUTH_MODE: 'token', RAY_AUTH_TOKEN: token }),
  };
  const child = spawn(python, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const kill = (): void => {
    if (child.pid !== undefined) killTree(child.pid, process.platform);
    killSurvivors(processesWith(mark));
  };
  const head = `http://127.0.0.1:${dashboard}`;
  const jobs = new RayJobs(head, () => Promise.resolve(token));
  const end = async (): Promise<void> => {
    kill();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  await answers(jobs, () => child.exitCode !== null).catch(async (error: unknown) => {
    await end();
    throw new Error(`${String(error)}\n${printed.slice(-2_000)}`);
  });
  return { head, address: `127.0.0.1:${gcs}`, jobs, kill, end };
}

/** Jobs can be submitted once the node's agent has told of itself. */
async function answers(jobs: RayJobs, hasEnded: () => boolean): Promise<void> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const version = await jobs.version().catch((error: unknown) => error);
    if (typeof version === 'string') return;
    if (hasEnded() || performance.now() > deadline) throw new Error(`Ray did not start: ${String(version)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}
