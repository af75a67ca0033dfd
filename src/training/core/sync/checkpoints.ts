import type { FileEntry } from '../protocol/hostRpc.ts';
import type { Checkpoint } from '../protocol/runs.ts';

export function stepOf(folder: string): number | undefined {
  const step = /^global_step_(\d{1,15})$/.exec(folder)?.[1];
  return step === undefined ? undefined : Number(step);
}

/**
 * @param files files in the step's folder, relative to it
 * @param latest the step in `latest_checkpointed_iteration.txt`, which upstream writes once everything is on disk;
 *   null if there is none
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

/** Returns the newest of ordered checkpoints: the last step of the last stage. */
export function newestCheckpoint<C extends CheckpointId>(checkpoints: readonly C[]): C | undefined {
  return checkpoints.reduce<C | undefined>((newest, one) => {
    return newest?.stage === one.stage && one.step < (newest?.step ?? 0) ? newest : one;
  }, undefined);
}

export type CheckpointId = Pick<Checkpoint, 'step' | 'stage'>;

export function isSameCheckpoint(one: CheckpointId, other: CheckpointId): boolean {
  return one.step === other.step && one.stage === other.stage;
}

/** Returns a folder name for a stage that is valid on any machine. The name comes from a host. */
export function stageFolder(stage: string): string {
  return stage.replaceAll(/[^\w-]+/g, '_').slice(0, 100) || '_';
}

/** Weights that pass from trainer to explorer are in folders of the same names, without this state. */
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

/** Configuration and tokenizer are always there. All parts of split weights are required. */
export function hasWeights(names: readonly string[]): boolean {
  const found = names.map((name) => weights.exec(name)).filter((match) => match !== null);
  return found.some(
    ([, , parts]) => parts === undefined || found.filter(([, , of]) => of === parts).length === Number(parts),
  );
}
