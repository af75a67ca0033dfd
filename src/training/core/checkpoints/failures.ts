import { CodedError } from '../../../base/core/errors.ts';
import { sizeText } from '../../../base/core/format.ts';
import type { TrainingState } from '../../../backbone/core/trainer/trainerPorts.ts';

type Steps = Pick<TrainingState, 'checkpoints' | 'deleted'>;

/** The failures of the checkpoints of a training in a folder of this machine. */
export const checkpointErrors = {
  /** @param step undefined: any */
  noCheckpoint: (name: string, step: number | undefined, { checkpoints, deleted = [] }: Steps) =>
    new CodedError({
      code: 'checkpoint/not-found',
      message: `The training ${name} has no checkpoint${step === undefined ? '' : ` of step ${step}`}.`,
      hint: hintOf(step, checkpoints, deleted),
    }),

  /** Another server could have weights of the same path, or say that there are none. */
  onHost: (name: string, host: string, model: string) =>
    new CodedError({
      code: 'checkpoint/on-host',
      message: `The checkpoints of the training ${name} are on the Tinker server of the GPU host ${host}.`,
      hint: `Open a tunnel with \`agentjet remote serve --host ${host} --base-model ${model}\`, and pass its address to \`agentjet checkpoints\` with \`--tinker-url\`.`,
    }),

  active: (name: string) =>
    new CodedError({
      code: 'checkpoint/training-active',
      message: `The training ${name} is still active, so its checkpoints cannot be deleted.`,
      hint: 'Stop it, or wait until it ends.',
    }),

  badArchive: (why: string, cause?: unknown) =>
    new CodedError({
      code: 'checkpoint/bad-archive',
      message: `The archive of the checkpoint cannot be read: ${why}.`,
      hint: 'Download it again. If the error persists, see the log of the server.',
      cause,
    }),

  refusedEntry: (name: string, why: string) =>
    new CodedError({
      code: 'checkpoint/refused-entry',
      message: `The archive of the checkpoint is refused, because of ${JSON.stringify(name)}: ${why}.`,
      hint: 'Nothing was saved. Download only from servers that you trust.',
    }),

  tooLarge: (limit: number) =>
    new CodedError({
      code: 'checkpoint/too-large',
      message: `The checkpoint is larger than ${sizeText(limit)}, which no adapter is.`,
      hint: 'Nothing was saved. Download only from servers that you trust.',
    }),

  noAdapter: (file: string) =>
    new CodedError({
      code: 'checkpoint/no-adapter',
      message: `The server sent no ${file}, so the download is not an adapter.`,
      hint: 'See the log of the server.',
    }),
};

function hintOf(
  step: number | undefined,
  checkpoints: TrainingState['checkpoints'],
  deleted: readonly number[],
): string {
  const steps = checkpoints.map((one) => one.step).join(', ');
  if (step !== undefined && deleted.includes(step) && steps === '') return 'It was deleted.';
  if (steps !== '') {
    const why = step !== undefined && deleted.includes(step) ? 'It was deleted. ' : '';
    return `${why}Steps with a checkpoint: ${steps}.`;
  }
  if (deleted.length > 0) return `Its checkpoints were deleted (step ${deleted.join(', ')}).`;
  return 'A training saves one every `save_freq` steps, and one when it ends.';
}
