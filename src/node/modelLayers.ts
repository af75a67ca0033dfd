import { withFaults } from '../backbone/model-tuner/faults/faults.ts';
import type { ChatModel } from '../backbone/model-tuner/model.ts';
import type { EpisodeNames } from '../backbone/model-tuner/recording/episodeNames.ts';
import { readRecording } from '../backbone/model-tuner/recording/readRecording.ts';
import { createReplay } from '../backbone/model-tuner/recording/replayModel.ts';
import { toReport } from '../base/errors.ts';
import type { Logger } from '../base/ports.ts';
import type { RunEvent, RunRequest } from '../protocol/run.ts';
import { systemClock } from './clock.ts';
import { localFiles } from './files.ts';

/** What a run puts around each of its models. */
export type ModelLayers = (open: () => ChatModel | Promise<ChatModel>) => Promise<ChatModel>;

/**
 * A recording in place of the models, where there is to be one: they are opened only where they may be asked. Faults
 * come on top.
 *
 * Rejects with what is wrong with the recording, `recording/…`.
 */
export async function openModelLayers(
  { replay, faults }: Pick<RunRequest, 'replay' | 'faults'>,
  names: EpisodeNames,
  logger: Logger,
  emit: (event: RunEvent) => void,
): Promise<ModelLayers> {
  const around = (model: ChatModel): ChatModel =>
    faults === undefined ? model : withFaults(model, { ...faults, names, logger });
  if (replay === undefined) return async (open) => around(await open());
  const recording = await readRecording(replay.file, localFiles, (problem) =>
    emit({ type: 'problem', severity: 'warning', report: toReport(problem, problem.code) }),
  );
  const player = createReplay({ recording, onMiss: replay.miss, names, clock: systemClock, logger });
  return async (open) => around(player.inPlaceOf(replay.miss === 'rerecord' ? await open() : undefined));
}
