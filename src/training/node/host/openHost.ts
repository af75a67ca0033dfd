import { mkdirSync, realpathSync } from 'node:fs';
import { hostname, availableParallelism, freemem, loadavg, totalmem } from 'node:os';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { statfs } from 'node:fs/promises';
import type { Logger } from '../../../base/core/ports.ts';
import type { HostStart } from '../../core/protocol/sshHost.ts';
import type { LauncherCommand, Launchers } from '../../core/launch/plan.ts';
import type { TinkerServers } from '../../core/launch/tinkerServers.ts';
import type { HostServices } from '../../core/contracts.ts';
import { systemClock } from '../../../base/node/clock.ts';
import { lockDataFolder, noteListening } from './hostLock.ts';
import { HostLaunch } from './launch/hostLaunch.ts';
import { TinkerCalls } from './tinker/tinkerCalls.ts';
import { GpuHistory } from './runs/gpuHistory.ts';
import { openHostRuns, type NodeHostRuns } from './runs/hostRuns.ts';
import { codeFolder } from './runs/jobFolder.ts';
import { RewardCurves } from './runs/rewardCurves.ts';
import { AuditLog } from './server/auditLog.ts';
import { certificateOf, ownCertificate, type HostCertificate } from './server/certificate.ts';
import { serveHost, type HostServer } from './server/hostServer.ts';
import { HostTokens } from './server/tokens.ts';
import { JobFiles, openRolloutLogs } from './sync/hostFiles.ts';
import { openHostSync, type OpenHostSync } from './sync/hostSync.ts';
import { Upkeep } from './upkeep.ts';
import { CodedError, messageOf } from '../../../base/core/errors.ts';
import { decodeFileSync, writeFileAtomicSync } from '../../../base/node/atomicFile.ts';
import type { HostStatus } from '../../core/protocol/hostRpc.ts';
import { finalStates } from '../../core/protocol/runs.ts';

const identity = z.object({ id: z.string().check(z.regex(/^[0-9a-f]{32}$/)) });

/** Returns the id of the host with this data folder. Creates it at the first start. */
export function hostId(dataFolder: string): string {
  const file = path.join(dataFolder, 'host.json');
  const known = decodeFileSync(file, identity, unreadable);
  if (known !== undefined) return known.id;
  const id = randomBytes(16).toString('hex');
  writeFileAtomicSync(file, `${JSON.stringify({ id })}\n`);
  return id;
}

function unreadable(file: string, cause: unknown): CodedError {
  return new CodedError({
    code: 'host/identity-unreadable',
    message: 'Cannot read the identity of this host.',
    location: { file },
    hint: 'Restore the file, or delete it. Clients then see a new host.',
    cause,
  });
}

export interface OpenHostOptions {
  /** The data folder, for one host at a time. Created if missing. */
  readonly dataFolder: string;
  /** Also takes a data folder whose last host was on another machine. */
  readonly takeOver?: boolean;
  /** Port 0 means any free port. */
  readonly listen: { readonly address: string; readonly port: number };
  /** `own`: a self-signed certificate of the host. Undefined: no TLS, which only a loopback address allows. */
  readonly tls?: 'own' | { readonly cert: string; readonly key: string } | undefined;
  /** The number of GPUs, whatever `nvidia-smi` reports. */
  readonly gpus?: number | undefined;
  readonly launchers: Launchers;
  /** The address of the dashboard of a Ray head. */
  readonly ray?: string | undefined;
  /** The Tinker servers that clients may start, and the file that lists them. */
  readonly tinker?: { readonly file: string; readonly servers: TinkerServers } | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** The command that starts `keepRun`. The path of an order is appended. */
  readonly keeper: LauncherCommand;
  /** The command that starts `runRayJob`, likewise. */
  readonly raySupervisor: LauncherCommand;
  readonly version: string;
  readonly program: string;
  readonly logger: Logger;
}

export interface OpenHost {
  readonly server: HostServer;
  readonly services: HostServices;
  readonly runs: NodeHostRuns;
  readonly sync: OpenHostSync;
  readonly tokens: HostTokens;
  readonly certificate: HostCertificate | undefined;
  /** Closes the host. Its runs continue, and the next host with this data folder takes them over. */
  close(): Promise<void>;
}

/** Opens a GPU host: takes over the runs of an earlier host, then serves. Rejects with a CodedError. */
export async function openHost(options: OpenHostOptions): Promise<OpenHost> {
  mkdirSync(options.dataFolder, { recursive: true, mode: 0o700 });
  const dataFolder = realpathSync(options.dataFolder);
  const lock = lockDataFolder(dataFolder, { takeOver: options.takeOver });
  const closing: (() => void | Promise<void>)[] = [() => lock.dispose()];
  const close = async (): Promise<void> => {
    for (let one = closing.pop(); one !== undefined; one = closing.pop()) await one();
  };
  try {
    const { services, runs, sync, gpuHistory } = await openServices(dataFolder, options);
    const upkeep = new Upkeep({ runs, sync, clock: systemClock, logger: options.logger });
    closing.push(
      () => runs.close(),
      () => upkeep.close(),
      () => gpuHistory.close(),
    );
    const tokens = new HostTokens(dataFolder);
    const { tls } = options;
    const certificate =
      tls === 'own' ? await ownCertificate(dataFolder) : tls && certificateOf(tls.cert, tls.key);
    const audit = new AuditLog(dataFolder, systemClock);
    const common = { services, tokens, audit, clock: systemClock, certificate };
    const server = await serveHost({ ...common, ...options.listen });
    closing.push(() => server.close());
    const { id, version } = services.identity;
    const where = { url: server.url, fingerprint: certificate?.fingerprint ?? null };
    const { program } = options;
    try {
      const listening = noteListening(dataFolder, {
        ...where,
        id,
        version,
        program,
        start: startOf(options),
      });
      closing.push(() => listening.dispose());
    } catch (error) {
      options.logger.log('warn', `Cannot write the address of this host: ${messageOf(error)}`);
    }
    return { server, services, runs, sync, tokens, certificate, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function startOf({ launchers, gpus, ray, tinker }: OpenHostOptions): HostStart {
  const paths = Object.entries(launchers).map(([name, { command }]) => [name, command] as const);
  return {
    launchers: Object.fromEntries(paths),
    ...{ gpus: gpus ?? null, ray: ray ?? null, tinkerServers: tinker?.file ?? null },
  };
}

async function openServices(
  dataFolder: string,
  options: OpenHostOptions,
): Promise<{ services: HostServices; runs: NodeHostRuns; sync: OpenHostSync; gpuHistory: GpuHistory }> {
  const { env, keeper, raySupervisor, launchers, ray, gpus, tinker, logger, version } = options;
  const clock = systemClock;
  const launch = new HostLaunch({
    launchers,
    raySupervisor,
    env,
    dataFolder,
    clock,
    ...(ray !== undefined && { ray }),
    ...(gpus !== undefined && { count: gpus }),
    ...(tinker !== undefined && { tinkerServers: tinker.servers }),
  });
  const sync = await openHostSync({ dataFolder });
  const runs = await openHostRuns({ dataFolder, sync, launch, clock, logger, env, keeper });
  const rewards = new RewardCurves(runs);
  const gpuHistory = new GpuHistory({
    ...{ runs, clock, logger },
    gpus: () => launch.gpus(),
    folderOf: (run) => path.dirname(codeFolder(dataFolder, run)),
  });
  const tinkerCalls = new TinkerCalls({ portOf: (run) => runs.tinkerPort(run), clock });
  runs.onChanged(({ id, state, tinker: served }) => {
    if (served !== undefined && finalStates.includes(state)) tinkerCalls.ended(id);
  });
  const services: HostServices = {
    identity: { id: hostId(dataFolder), name: hostname(), version },
    runs,
    sync,
    files: new JobFiles({
      jobOf: (run) => runs.get(run),
      folderAccess: (run, folder) => runs.folderAccess(run, folder),
      rewardAt: (run, step, stage) => rewards.at(run, step, stage),
    }),
    tinkerCalls,
    rolloutLogs: openRolloutLogs((run) => codeFolder(dataFolder, runs.get(run).id)),
    status: () => hostStatus(dataFolder, launch, runs, sync),
    gpus: (run) => gpuHistory.of(run),
    config: (run) => runs.effectiveConfig(run),
    preflight: (order, configText) => launch.preflight(order, configText, runs.beside),
  };
  return { services, runs, sync, gpuHistory };
}

async function hostStatus(
  dataFolder: string,
  launch: HostLaunch,
  runs: NodeHostRuns,
  sync: OpenHostSync,
): Promise<HostStatus> {
  const [gpus, launchers, disk] = await Promise.all([
    launch.gpus(),
    launch.launchers(),
    statfs(dataFolder).catch(() => ({ blocks: 0, bavail: 0, bsize: 0 })),
  ]);
  const active = runs.list().filter(({ state }) => !finalStates.includes(state));
  const queued = active.filter(({ state }) => state === 'queued').length;
  return {
    now: systemClock.now(),
    gpus: (gpus ?? []).map((gpu) => ({
      ...gpu,
      run: active.find(({ devices }) => devices.includes(gpu.index))?.id ?? null,
    })),
    cpus: availableParallelism(),
    load: loadavg()[0] ?? 0,
    memory: { total: totalmem(), free: freemem() },
    disk: { total: disk.blocks * disk.bsize, free: disk.bavail * disk.bsize, code: sync.bytes },
    launchers,
    tinker: launch.tinker,
    queued,
    running: active.length - queued,
  };
}
