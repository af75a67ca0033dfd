import type { RunRecord } from '../../../core/protocol/runs.ts';
import type { EventLog } from './eventLog.ts';
import type { StoredRun } from './runFolder.ts';

/** What clients see of a run. @param waits why it is not started yet */
export function recordOf(stored: StoredRun, events: EventLog, waits: string | null): RunRecord {
  const { id, owner, createdAt, order, devices, startedAt, endedAt, jobFolder, stages } = stored;
  const { state, reason, phase, exitCode, step, stage, reward } = events.fold.state;
  const { totalSteps } = stages?.[(stage ?? 1) - 1] ?? stored;
  return {
    id,
    name: order.name,
    launcher: order.launcher,
    backbone: order.backbone,
    config: order.config,
    snapshot: order.snapshot,
    flags: order.flags,
    env: order.env,
    gpus: order.gpus,
    devices: state === 'queued' ? [] : devices,
    state,
    reason: state === 'queued' ? waits : reason,
    phase,
    exitCode,
    step,
    totalSteps,
    ...(stages && { stages }),
    ...(stage !== null && { stage }),
    reward,
    jobFolder,
    createdAt,
    startedAt,
    endedAt,
    events: events.last,
    from: order.from ?? null,
    owner,
  };
}
