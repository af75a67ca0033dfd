import { randomUUID } from 'node:crypto';
import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import { finalStates, type RunRecord } from '../../../core/protocol/runs.ts';
import { tinkerPhases } from '../../../core/runs/tinkerPhases.ts';
import { tinkerCallErrors } from '../../../core/tinker/failures.ts';
import type { TinkerRequest } from '../../../core/contracts.ts';
import type { ClientConnection } from '../../../core/wire/clientConnection.ts';

/**
 * Starts a Tinker server on a host, or finds the one that runs. Resolves once it serves. Rejects with
 * `host/tinker-ended` if it ends before.
 *
 * @param onChanged called with each new state, phase and reason to wait
 */
export async function startTinker(
  connection: ClientConnection,
  request: TinkerRequest,
  onChanged: (run: RunRecord) => void,
  cancellation: CancellationToken,
): Promise<RunRecord> {
  await connection.ask('run.watch', {}, cancellation);
  let wake = (): void => undefined;
  /** The newest records, by id. A change of the run can arrive before its id is known. */
  const records = new Map<string, RunRecord>();
  const keep = (record: RunRecord): void => {
    records.set(record.id, record);
    wake();
  };
  let id: string | undefined;
  const changed = connection.on('run.changed', ({ run }) => keep(run));
  const cancelled = cancellation.onCancelled(() => wake());
  // A change can be lost with the connection.
  const connected = connection.onState(({ kind }) => {
    if (kind === 'connected' && id !== undefined)
      connection.ask('run.get', { run: id }).then(keep, () => undefined);
  });
  try {
    const started = await connection.ask('tinker.start', { ...request, key: randomUUID() }, cancellation);
    id = started.id;
    for (let shown = ''; ;) {
      const run = records.get(id) ?? started;
      const { state, phase, reason } = run;
      if (finalStates.includes(state)) throw tinkerCallErrors.ended(id, reason ?? `its state is "${state}".`);
      const now = JSON.stringify([state, phase, reason]);
      if (now !== shown) onChanged(run);
      shown = now;
      if (state === 'running' && phase === tinkerPhases.serving) return run;
      if (cancellation.isCancelled) throw tinkerCallErrors.stopped(id);
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    for (const one of [changed, cancelled, connected]) one.dispose();
  }
}
