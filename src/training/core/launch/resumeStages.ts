/** Resuming a training with stages. Each stage has its own folder in the job's folder. */
import type { RunOrder, RunRecord } from '../protocol/runs.ts';
import { launchErrors } from './failures.ts';
import type { Training } from './training.ts';

type From = NonNullable<RunOrder['from']>;
/** The file with the step to resume from, by upstream's name. */
export const trackerFile = 'latest_checkpointed_iteration.txt';
/** The file with the stage to resume, as `{"latest_stage": N}` from 0. Earlier stages are skipped. */
export const stageFile = 'stage_meta.json';

export interface SourceStage {
  readonly name: string;
  /** The folder inside the job's folder. It differs from the name if upstream renamed it. */
  readonly folder: string;
  /** The newest saved step; null if there is none. */
  readonly latest: number | null;
  /** True if that step has weights in Hugging Face format, with which the next stage begins. */
  readonly hasWeights: boolean;
}

export interface StagedSource {
  /** The stage in `stage_meta.json`, from 0; null if there is none. */
  readonly current: number | null;
  readonly stages: readonly SourceStage[];
}

/** The initial content of a job's folder. Paths are relative to the old and the new folder. */
export interface JobSeed {
  readonly copies: readonly {
    readonly from: string;
    readonly to: string;
    readonly optional: boolean;
  }[];
  /** Files to write after the copies. */
  readonly texts: readonly { readonly path: string; readonly text: string }[];
}

/** The stages of a source run that the config continues. */
export interface ResumedStages {
  readonly current: number;
  readonly stages: readonly SourceStage[];
  /** The stage of the chosen step, from 0. */
  readonly at: number;
  readonly actors: Training['actors'];
}

/** Throws `host/not-resumable` if source, order and config do not match. Undefined: there are no stages. */
export function resumedStages(
  { stage }: From,
  source: StagedSource | undefined,
  training: Training,
): ResumedStages | undefined {
  if (stage === undefined && source === undefined && training.stages.length === 0) return undefined;
  const names = training.stages.map(({ name }) => name.value);
  const at = names.indexOf(stage ?? '');
  const actors = training.stages[at]?.actors;
  if (actors === undefined) {
    const has = names.length === 0 ? 'has no stages' : `has the stages ${names.join(', ')}`;
    const owner = stage === undefined ? 'belongs to no stage' : `belongs to stage ${stage}`;
    throw launchErrors.notResumable(
      `the checkpoint ${owner}, and the config ${has}`,
      names.length === 0
        ? 'Use the config of the earlier run.'
        : 'Choose a checkpoint of one of them, or use the config of the earlier run.',
    );
  }
  const stages = names.slice(0, at + 1).map((name) => source?.stages.find((one) => one.name === name));
  const known = stages.filter((one) => one !== undefined);
  if (source === undefined || known.length < stages.length) {
    throw launchErrors.notResumable(
      `the stages of the earlier run are not those of the config (${names.join(', ')})`,
      'Use the config of the earlier run.',
    );
  }
  const later = source.stages.slice(at + 1);
  return { current: source.current ?? 0, stages: [...known, ...later], at, actors };
}

/** Returns the newest step of the current stage, or of the one before, with whose weights a new stage begins. */
export function newestOf({ current, stages }: ResumedStages): { step: number | null; stage?: string } {
  const own = stages[current];
  const found = own?.latest === null ? stages[current - 1] : own;
  if (found === undefined || found.latest === null) return { step: null };
  if (found !== own && !found.hasWeights) throw missingWeights(found);
  return { step: found.latest, stage: found.name };
}

/** Returns the files of a step, with the state of the actors if the step is the newest one. */
export function seedOf(
  step: number,
  latest: number | null,
  actors: Training['actors'],
  [from, to]: readonly [from: string, to: string] = ['', ''],
): JobSeed {
  const state = latest === step ? actors.map((actor) => `${actor}_meta.json`) : [];
  const copied = (name: string, optional: boolean) => ({ from: from + name, to: to + name, optional });
  return {
    copies: [copied(`global_step_${step}`, false), ...state.map((name) => copied(name, true))],
    texts: [{ path: to + trackerFile, text: String(step) }],
  };
}

/** Returns the files to resume a stage. Upstream skips the earlier stages, but reads their final weights. */
export function stagedSeed({ step }: From, { stages, at, actors }: ResumedStages): JobSeed {
  const own = stages.slice(0, at + 1).map((stage, index): JobSeed => {
    const places = [`${stage.folder}/`, `${stage.name}/`] as const;
    if (index === at) return seedOf(step, stage.latest, actors, places);
    if (stage.latest === null || !stage.hasWeights) throw missingWeights(stage);
    const weights = `global_step_${stage.latest}/actor/huggingface`;
    return {
      copies: [{ from: places[0] + weights, to: places[1] + weights, optional: false }],
      texts: [{ path: places[1] + trackerFile, text: String(stage.latest) }],
    };
  });
  const current = { path: stageFile, text: JSON.stringify({ latest_stage: at }) };
  return {
    copies: own.flatMap(({ copies }) => copies),
    texts: [...own.flatMap(({ texts }) => texts), current],
  };
}

function missingWeights({ name, latest }: SourceStage): Error {
  const what =
    latest === null ? 'has no checkpoint' : `has no Hugging Face weights in its newest step, ${latest}`;
  return launchErrors.notResumable(
    `the stage ${name} ${what}, so the next stage would start without its training`,
    `Continue from a checkpoint of stage ${name}. Upstream saves its weights when the stage ends.`,
  );
}

export function stepText({ step, stage }: Pick<From, 'step' | 'stage'>): string {
  return stage === undefined ? `step ${step}` : `step ${step} of stage ${stage}`;
}

/** The names of a training's stages, and the last one it reached, from 1. */
export interface StageNames {
  readonly names: readonly string[];
  readonly current?: number | undefined;
}

export function stageNamesOf({ stages, stage }: Pick<RunRecord, 'stages' | 'stage'>): StageNames {
  return { names: stages?.map(({ name }) => name) ?? [], current: stage };
}

export function describeStages({ as, stage = '' }: From, { names, current = 0 }: StageNames): string[] {
  const at = names.indexOf(stage);
  if (at < 0) return [];
  // A completed stage that is resumed is skipped itself.
  const begins = as === 'resume' ? Math.max(at, current - 1) : at;
  const [before, after] = [names.slice(0, begins), names.slice(begins + 1)];
  const copied = as === 'fork' ? '; their final weights are copied' : '';
  return [
    ...(before.length === 0 ? [] : [`Stages that are skipped: ${before.join(', ')}${copied}.`]),
    ...(after.length === 0 ? [] : [`Stages that follow: ${after.join(', ')}.`]),
  ];
}

/** Describes a stage without a checkpoint, which begins with the weights of the one before. */
export function describeStageRestart(
  { as, step, stage }: From,
  { names, current = 0 }: StageNames,
): string | undefined {
  const next = names[current - 1];
  if (as === 'fork' || stage === undefined || next === undefined) return undefined;
  if (names.indexOf(stage) >= current - 1) return undefined;
  return `Stage ${next} has no checkpoint, so it starts again with the weights of ${stepText({ step, stage })}.`;
}
