import type { TrainingState } from '../../core/trainer/trainerPorts.ts';
import type { RunOptions } from './runOptions.ts';

/**
 * Returns the options that continue the training in a folder.
 *
 * @param folder absolute
 */
export function resumeOptions(folder: string, state: TrainingState): RunOptions {
  const { config, cwd, split, baseUrl, tinkerHost, baseModel, rank, loss, seed, totalSteps: steps } = state;
  return {
    ...state.options,
    ...{ backbone: 'tinker', resume: folder, config, cwd, split, baseModel, rank, loss, seed, steps },
    ...(baseUrl !== undefined && { tinkerUrl: baseUrl }),
    ...(tinkerHost !== undefined && { tinkerHost }),
  };
}
