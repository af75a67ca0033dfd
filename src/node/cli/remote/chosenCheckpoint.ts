import { CodedError } from '../../../base/errors.ts';
import type { Checkpoint } from '../../../protocol/host/runs.ts';

/** That of the step, else the newest one that is enough for the purpose. Throws `remote/no-checkpoint`. */
export function chosenCheckpoint(
  checkpoints: readonly Checkpoint[],
  wanted: {
    readonly run: string;
    readonly step: number | undefined;
    readonly isEnough: (checkpoint: Checkpoint) => boolean;
  },
): Checkpoint {
  const { run, step, isEnough } = wanted;
  const found =
    step === undefined
      ? checkpoints.filter(isEnough).sort((a, b) => b.step - a.step)[0]
      : checkpoints.find((one) => one.step === step);
  if (found !== undefined) return found;
  const steps = checkpoints.map((one) => one.step).sort((a, b) => a - b);
  throw new CodedError({
    code: 'remote/no-checkpoint',
    message: `The run ${run} has no ${step === undefined ? 'whole checkpoint' : `checkpoint of step ${step}`}.`,
    hint:
      steps.length === 0
        ? 'It has written none yet.'
        : `It has something of these steps: ${steps.join(', ')}.`,
  });
}
