import { availableParallelism, freemem, loadavg, totalmem } from 'node:os';
import { statfs } from 'node:fs/promises';
import type { Clock } from '../../../base/core/ports.ts';
import type { HostStatus } from '../../core/protocol/hostRpc.ts';
import { finalStates, type RunRecord } from '../../core/protocol/runs.ts';
import type { HostLaunch } from './launch/hostLaunch.ts';

interface StatusSources {
  readonly dataFolder: string;
  readonly launch: Pick<HostLaunch, 'gpus' | 'launchers'>;
  readonly runs: { list(): readonly RunRecord[] };
  readonly sync: { readonly bytes: number | null };
  readonly clock: Pick<Clock, 'now'>;
}

/** The machine as it is now, and who has its GPUs. */
export async function hostStatus({
  dataFolder,
  launch,
  runs,
  sync,
  clock,
}: StatusSources): Promise<HostStatus> {
  const [gpus, launchers, disk] = await Promise.all([
    launch.gpus(),
    launch.launchers(),
    statfs(dataFolder).catch(() => ({ blocks: 0, bavail: 0, bsize: 0 })),
  ]);
  const active = runs.list().filter(({ state }) => !finalStates.includes(state));
  const queued = active.filter(({ state }) => state === 'queued').length;
  return {
    now: clock.now(),
    gpus: (gpus ?? []).map((gpu) => ({
      ...gpu,
      run: active.find(({ devices }) => devices.includes(gpu.index))?.id ?? null,
    })),
    cpus: availableParallelism(),
    load: loadavg()[0] ?? 0,
    memory: { total: totalmem(), free: freemem() },
    disk: { total: disk.blocks * disk.bsize, free: disk.bavail * disk.bsize, code: sync.bytes },
    launchers,
    queued,
    running: active.length - queued,
  };
}
