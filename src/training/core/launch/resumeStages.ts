/** Going on in a training that has stages, each with a folder of its own in the job's. */
import type { RunOrder, RunRecord } from '../protocol/runs.ts';
import { notResumable } from './failures.ts';
import type { Training } from './training.ts';

type From = NonNullable<RunOrder['from']>;

/** The tracker that says from which step to go on, by upstream's name. */
export const trackerFile = 'latest_checkpointed_iteration.txt';

/** Which stage goes on, as `{"latest_stage": N}` counted from 0: those before it are skipped. */
export const stageFile = 'stage_meta.json';

/** Of each stage of an earlier run, in their order. */
export interface SourceStage {
  readonly name: string;
  /** Inside the job's folder; not the name where upstream has renamed it. */
  readonly folder: string;
  /** The newest step that was saved; null: none. */
  readonly latest: number | null;
  /** Whether that has weights of Hugging Face's form, with which the next stage begins. */
  readonly hasWeights: boolean;
}

export interface StagedSource {
  /** What `stage_meta.json` says, counted from 0; null: nothing. */
  readonly current: number | null;
  readonly stages: readonly SourceStage[];
}

/** What a job's folder begins with. Paths are inside the folders of the old job and of the new one. */
export interface JobSeed {
  readonly copies: readonly {
    readonly from: string;
    readonly to: string;
    /** Whether it may be missing. */
    readonly optional: boolean;
  }[];
  /** Written once all is copied. */
  readonly texts: readonly { readonly path: string; readonly text: string }[];
}

/** The stages of a source that those of the config go on in. */
export interface ResumedStages {
  readonly current: number;
  readonly stages: readonly SourceStage[];
  /** The one that the step is of, counted from 0. */
  readonly at: number;
  /** Of that one. */
  readonly actors: Training['actors'];
}

/** Undefined: there are none. Throws `host/not-resumable` where source, order and config do not go together. */
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
    const of = stage === undefined ? 'is of no stage' : `is of the stage ${stage}`;
    throw notResumable(
      `the checkpoint ${of}, and the config ${has}`,
      names.length === 0
        ? 'Take the config of the earlier run.'
        : 'Choose a checkpoint of one of them, or take the config of the earlier run.',
    );
  }
  const stages = names.slice(0, at + 1).map((name) => source?.stages.find((one) => one.name === name));
  const known = stages.filter((one) => one !== undefined);
  if (source === undefined || known.length < stages.length) {
    throw notResumable(
      `the stages of the earlier run are not those of the config (${names.join(', ')})`,
      'Take the config of the earlier run.',
    );
  }
  const later = source.stages.slice(at + 1);
  return { current: source.current ?? 0, stages: [...known, ...later], at, actors };
}

/**
 * What training goes on from in the same folder: the newest step of the stage that was under way; where that has saved
 * nothing, it begins anew, with the weights of the one before.
 */
export function newestOf({ current, stages }: ResumedStages): { step: number | null; stage?: string } {
  const own = stages[current];
  const found = own?.latest === null ? stages[current - 1] : own;
  if (found === undefined || found.latest === null) return { step: null };
  if (found !== own && !found.hasWeights) throw missingWeights(found);
  return { step: found.latest, stage: found.name };
}

/** The copy of a step, and where the actors were where it is the newest. */
export function seedOf(
  step: number,
  latest: number | null,
  actors: Training['actors'],
  [from, to]: readonly [from: string, to: string] = ['', ''],
): JobSeed {
  const state = latest === step ? actors.map((actor) => `${actor}_meta.json`) : [];
  const copied = (name: string, optional: boolean): JobSeed['copies'][number] => {
    return { from: from + name, to: to + name, optional };
  };
  return {
    copies: [copied(`global_step_${step}`, false), ...state.map((name) => copied(name, true))],
    texts: [{ path: to + trackerFile, text: String(step) }],
  };
}

/** The stage goes on from the step. The ones before it are skipped, but upstream wants the weights that they ended with. */
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
  return {
    copies: own.flatMap(({ copies }) => copies),
    texts: [
      ...own.flatMap(({ texts }) => texts),
      { path: stageFile, text: JSON.stringify({ latest_stage: at }) },
    ],
  };
}

function missingWeights({ name, latest }: SourceStage): Error {
  const what =
    latest === null ? 'has no checkpoint' : `has no Hugging Face weights in its newest step, ${latest}`;
  return notResumable(
    `the stage ${name} ${what}, and the one after it would begin without what it has learnt`,
    `Go on from a checkpoint of the stage ${name}; upstream saves its weights when the stage ends.`,
  );
}

export function stepText({
  step,
  stage,
}: {
  readonly step: number;
  readonly stage?: string | undefined;
}): string {
  return stage === undefined ? `step ${step}` : `step ${step} of the stage ${stage}`;
}

/** The stages of a training, and which of them it was at last, counted from 1. */
export interface StageNames {
  readonly names: readonly string[];
  readonly current?: number | undefined;
}

export function stageNamesOf({ stages, stage }: Pick<RunRecord, 'stages' | 'stage'>): StageNames {
  return { names: stages?.map(({ name }) => name) ?? [], current: stage };
}

/** What becomes of the stages, a sentence each. */
export function describeStages({ as, stage = '' }: From, { names, current = 0 }: StageNames): string[] {
  const at = names.indexOf(stage);
  if (at < 0) return [];
  // One that is resumed from and has ended is skipped itself.
  const begins = as === 'resume' ? Math.max(at, current - 1) : at;
  const [before, after] = [names.slice(0, begins), names.slice(begins + 1)];
  const copied = as === 'fork' ? '; the weights that they ended with are copied' : '';
  return [
    ...(before.length === 0 ? [] : [`Stages that are not trained again: ${before.join(', ')}${copied}.`]),
    ...(after.length === 0 ? [] : [`Stages that are trained after it: ${after.join(', ')}.`]),
  ];
}

/** Where the stage that goes on has saved nothing yet: it begins with the weights of the one before. */
export function describeStageRestart(
  { as, step, stage }: From,
  { names, current = 0 }: StageNames,
): string[] | undefined {
  const next = names[current - 1];
  if (as === 'fork' || stage === undefined || next === undefined) return undefined;
  if (names.indexOf(stage) >= current - 1) return undefined;
  return [
    `The stage ${next} has saved nothing, so it begins anew, with the weights of ${stepText({ step, stage })}.`,
  ];
}
