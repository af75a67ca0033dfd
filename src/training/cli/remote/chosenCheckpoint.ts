import { CodedError } from '../../../base/core/errors.ts';
import type { Checkpoint } from '../../core/protocol/runs.ts';
import { stepText } from '../../core/launch/resumeStages.ts';
import { newestCheckpoint } from '../../core/sync/checkpoints.ts';
import { usageError } from '../../../base/node/terminal/commandLine.ts';

/**
 * Returns the checkpoint of the step and stage, by default the newest usable one. Throws `remote/no-checkpoint`, and
 * `cli/usage` if several stages have the step.
 */
export function chosenCheckpoint(
  checkpoints: readonly Checkpoint[],
  wanted: {
    readonly run: string;
    readonly step: number | undefined;
    readonly stage: string | undefined;
    readonly isEnough: (checkpoint: Checkpoint) => boolean;
  },
): Checkpoint {
  const { run, step, stage, isEnough } = wanted;
  const all = stage === undefined ? checkpoints : checkpoints.filter((one) => one.stage === stage);
  const ofStep = all.filter((one) => one.step === step);
  if (ofStep.length > 1) {
    const stages = ofStep.map((one) => one.stage ?? '').join(', ');
    throw usageError(
      `Several stages of ${run} have a checkpoint of step ${step ?? 0}.`,
      `Choose one with --stage: ${stages}.`,
    );
  }
  const found = step === undefined ? newestCheckpoint(all.filter(isEnough)) : ofStep[0];
  if (found !== undefined) return found;
  const what = step === undefined ? 'whole checkpoint' : `checkpoint of step ${step}`;
  const there = checkpoints.map((one) => (one.stage === undefined ? String(one.step) : stepText(one)));
  throw new CodedError({
    code: 'remote/no-checkpoint',
    message: `The run ${run} has no ${what}${stage === undefined ? '' : ` of the stage ${stage}`}.`,
    hint:
      there.length === 0
        ? 'It has written no checkpoint yet.'
        : `It has checkpoints of these steps: ${there.join(', ')}.`,
  });
}
