import type { Finding } from '../protocol/hostRpc.ts';
import type { Training, TrainingStage } from './training.ts';

/** @param before the stage that training got to in the job's folder before, counted from 0 */
export function stageFindings(training: Training, before: number | null): Finding[] {
  const { stages } = training;
  return [
    ...stages.flatMap((stage, at) => ownFindings(stage, stages.slice(0, at))),
    ...skipped(training, before),
  ];
}

function ownFindings(
  { name, trainer, weights }: TrainingStage,
  earlier: readonly TrainingStage[],
): Finding[] {
  const found: Finding[] = [];
  if (earlier.some((one) => one.name.value === name.value)) {
    found.push({
      id: 'stage-twice',
      severity: 'error',
      message: `Two stages are called ${JSON.stringify(name.value)}: the later one would go on from the checkpoints of the earlier one, in its folder.`,
      hint: 'Give each stage a name of its own.',
      key: name.key,
    });
  }
  if (trainer.value !== 'verl') {
    found.push({
      id: 'stage-trainer',
      severity: 'error',
      message: `Trinity-RFT finds the weights that a stage ends with for the trainer \`verl\` alone, and the trainer of ${name.value} is ${trainer.value}.`,
      hint: 'Use `verl`, or train the stages as runs of their own.',
      key: trainer.key,
    });
  }
  if (weights.value !== 'last') {
    found.push({
      id: 'stage-weights',
      severity: 'info',
      message: `Trinity-RFT saves Hugging Face weights with the last checkpoint of a stage alone: \`save_hf_checkpoint\` is made \`last\`, whatever it is.`,
      key: weights.key,
    });
  }
  return found;
}

/** In a folder that has been trained in before, upstream goes on with the stage that it got to. */
function skipped({ stages, continues, job }: Training, before: number | null): Finding[] {
  const ended = stages.slice(0, before ?? 0).map(({ name }) => name.value);
  const next = stages[before ?? 0]?.name.value;
  if (ended.length === 0 || next === undefined) return [];
  const message = `The job's folder is there already, and training got to the stage ${next} in it: ${ended.join(', ')} will be skipped.`;
  const anew = `Change \`${job.name.key}\` to train all stages.`;
  if (continues.value)
    return [{ id: 'stages-skipped', severity: 'warning', message, hint: anew, key: job.name.key }];
  return [
    {
      id: 'stages-skipped',
      severity: 'error',
      message: `${message} Since \`${continues.key}\` is off, they get new folders without checkpoints, and ${next} begins with the model of the config.`,
      hint: anew,
      key: continues.key,
    },
  ];
}
