import { withFaults } from '../../core/model-tuner/faults/faults.ts';
import type { ChatModel } from '../../core/model-tuner/model.ts';
import type { Logger } from '../../../base/core/ports.ts';
import type { RunRequest } from '../../core/protocol/run.ts';
import type { RunRecordings } from '../recording/runRecordings.ts';

/** What a run puts around each of its models. */
export type ModelLayers = (
  open: () => ChatModel | Promise<ChatModel>,
  role: 'trained' | 'debug',
) => Promise<ChatModel>;

/**
 * A recording in place of the models, where there is to be one: they are opened only where they may be asked. Faults
 * come on top.
 *
 * Rejects with what is wrong with the recording, `recording/…`.
 */
export async function openModelLayers(
  { faults }: Pick<RunRequest, 'faults'>,
  tapes: RunRecordings,
  logger: Logger,
): Promise<ModelLayers> {
  const around = (model: ChatModel): ChatModel =>
    faults === undefined ? model : withFaults(model, { ...faults, names: tapes.names, logger });
  const replay = await tapes.replay();
  if (replay === undefined) return async (open) => around(await open());
  return async (open, role) => {
    if (role === 'debug' && !replay.hasDebugModels) return around(await open());
    return around(replay.player.inPlaceOf(replay.asksModels ? await open() : undefined));
  };
}
