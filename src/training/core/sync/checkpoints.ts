import type { FileEntry } from '../protocol/hostRpc.ts';
import type { Checkpoint } from '../protocol/runs.ts';

/** The number of a folder that holds the checkpoint of a step; undefined: it is none. */
export function stepOf(folder: string): number | undefined {
  const step = /^global_step_(\d{1,15})$/.exec(folder)?.[1];
  return step === undefined ? undefined : Number(step);
}

/**
 * What a job's folder holds of a step.
 * @param files below the step's folder, their paths from there
 * @param latest the step of `latest_checkpointed_iteration.txt`, which upstream writes once all of it is on the disk; null:
 *   there is none
 */
export function checkpointOf(
  step: number,
  files: readonly FileEntry[],
  latest: number | null,
  reward: number | null,
): Checkpoint {
  const names = new Set(files.map(({ path }) => path));
  return {
    step,
    path: `global_step_${step}`,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    files: files.length,
    modifiedAt: files.reduce((newest, { modifiedAt }) => Math.max(newest, modifiedAt), 0),
    resumable: latest !== null && step <= latest && isFull(names),
    huggingFace: hasWeights(weightFolderOf(files)),
    reward,
  };
}

/** Of checkpoints in their order, stage after stage, that which training came to last. */
export function newestCheckpoint<C extends CheckpointId>(checkpoints: readonly C[]): C | undefined {
  return checkpoints.reduce<C | undefined>((newest, one) => {
    return newest?.stage === one.stage && one.step < (newest?.step ?? 0) ? newest : one;
  }, undefined);
}

/** Among those of one run. */
export type CheckpointId = Pick<Checkpoint, 'step' | 'stage'>;

export function isSameCheckpoint(one: CheckpointId, other: CheckpointId): boolean {
  return one.step === other.step && one.stage === other.stage;
}

/** A stage as the name of a folder on any machine: it is told by a host. */
export function stageFolder(stage: string): string {
  return stage.replaceAll(/[^\w-]+/g, '_').slice(0, 100) || '_';
}

/**
 * Weights that are only handed from trainer to explorer lie in folders of the same names, without a state to go on from.
 */
function isFull(names: ReadonlySet<string>): boolean {
  if (names.has('.full_checkpoint')) return true;
  const all = [...names];
  if (all.some((name) => name.startsWith('actor/dist_ckpt/'))) return true;
  const optimizer = all.map((name) => /^actor\/optim_world_size_(\d+)_rank_\d+\.pt$/.exec(name)?.[1]);
  const world = Number(optimizer.find((size) => size !== undefined) ?? 0);
  const isThere = (rank: number): boolean =>
    ['model', 'optim'].every((part) => names.has(`actor/${part}_world_size_${world}_rank_${rank}.pt`));
  return (
    world > 0 &&
    optimizer.filter(Boolean).length >= world &&
    Array.from({ length: world }, (_, rank) => rank).every(isThere)
  );
}

function weightFolderOf(files: readonly FileEntry[]): string[] {
  const folder = 'actor/huggingface/';
  return files.flatMap(({ path }) => (path.startsWith(folder) ? [path.slice(folder.length)] : []));
}

const weights = /^(?:model|pytorch_model)(?:-(\d+)-of-(\d+))?\.(?:safetensors|bin)$/;

/** Of the names in a folder of Hugging Face's form. Configuration and tokenizer are always there; of weights in parts all have to be. */
export function hasWeights(names: readonly string[]): boolean {
  const found = names.map((name) => weights.exec(name)).filter((match) => match !== null);
  return found.some(
    ([, , parts]) => parts === undefined || found.filter(([, , of]) => of === parts).length === Number(parts),
  );
}
