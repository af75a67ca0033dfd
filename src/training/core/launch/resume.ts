import type { PathRules } from '../../../base/core/ports.ts';
import { insertKey, replaceScalar, textScalar } from '../../../configs/core/edits.ts';
import { nodeAt } from '../../../configs/core/node.ts';
import { parseConfig } from '../../../configs/core/parse.ts';
import { applyEdits } from '../../../configs/core/text.ts';
import type { LauncherName, RunLauncher, RunOrder, RunRecord } from '../protocol/runs.ts';
import { launchErrors } from './failures.ts';
import {
  describeStages,
  newestOf,
  seedOf,
  describeStageRestart,
  stagedSeed,
  resumedStages,
  stepText,
  type JobSeed,
  type StagedSource,
  type ResumedStages,
  type StageNames,
} from './resumeStages.ts';
import { folderOf, type JobLocation, type Training } from './training.ts';

export interface ResumeSource {
  /** The folder of the earlier run's job, absolute. */
  readonly jobFolder: string;
  /** The step in `latest_checkpointed_iteration.txt`; null if there is none. */
  readonly latest: number | null;
  readonly staged?: StagedSource;
}

export interface ResumePlan {
  readonly config: string;
  /** Absolute. */
  readonly jobFolder: string;
  /** The initial content of the new job's folder; undefined if the run resumes in the old one. */
  readonly seed?: JobSeed;
}

/** Returns a run of training. Throws `host/not-resumable` for a Tinker server, which nothing resumes. */
export function trainingOf<
  T extends { readonly launcher: RunLauncher; readonly backbone: RunRecord['backbone'] },
>(
  run: T,
): Omit<T, 'launcher' | 'backbone'> & {
  readonly launcher: LauncherName;
  readonly backbone: RunOrder['backbone'];
} {
  const { launcher, backbone } = run;
  if (launcher !== 'tinker' && backbone !== 'tinker') return { ...run, launcher, backbone };
  const hint = 'Start it again with `agentjet remote serve`. It finds its checkpoints.';
  throw launchErrors.notResumable('it is a Tinker server', hint);
}

/** Comments and other settings stay unchanged. `why` is the reason for the change, as the start of a sentence. */
export function setConfigKeys(
  text: string,
  values: readonly (readonly [path: string, value: string | boolean])[],
  why = 'To continue from a checkpoint',
): string {
  return values.reduce((before, [path, value]) => {
    const document = parseConfig(before);
    const steps = path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    const node = nodeAt(document.root, steps);
    // An item of a list can be replaced, but not inserted by its index.
    const isInList = node === undefined && steps.some((step) => typeof step === 'number');
    const isText = typeof value === 'string';
    const edit =
      node?.kind === 'scalar' && node.span.end > node.span.start
        ? replaceScalar(document, node, String(value), isText)
        : !isInList && (node === undefined || node.kind === 'scalar')
          ? insertKey(document, path.split('.'), isText ? textScalar(value) : String(value))
          : undefined;
    if (edit === undefined) throw launchErrors.uneditableConfig(path, why);
    return applyEdits(before, [edit]);
  }, text);
}

function keysOf({ dialect }: Pick<Training, 'dialect'>): { readonly root: string; readonly name: string } {
  return dialect === 'trinity'
    ? { root: 'checkpoint_root_dir', name: 'name' }
    : { root: 'ajet.trainer_common.checkpoint_base_dir', name: 'ajet.experiment_name' };
}

/** If the config names no job, the launcher would use the time, which is neither known in advance nor unique. */
export function setJobName(text: string, training: Training, stem: string, run: string): string {
  if (training.job.name.value !== null) return text;
  const why = 'To make the folder known, which the config leaves open,';
  return setConfigKeys(text, [[keysOf(training).name, `${stem}_${run}`]], why);
}

/**
 * Plans a run from a checkpoint. `resume` continues in the same folder, with the same project, group and name, from
 * the newest step. `fork` starts in a new folder with a copy of one step. Throws `host/not-resumable` where upstream
 * would silently start from the beginning.
 */
export function planResume(
  request: {
    readonly run: string;
    readonly from: NonNullable<RunOrder['from']>;
    readonly source: ResumeSource;
    readonly text: string;
    readonly cwd: string;
    readonly paths: Pick<PathRules, 'resolve'>;
  },
  training: Training,
): ResumePlan {
  const { from, source, text, paths, cwd, run } = request;
  const keys = keysOf(training);
  const continuation = training.continues.value ? [] : [continuing(training)];
  const staged = resumedStages(from, source.staged, training);
  if (from.as === 'resume') {
    const { root, name } = placeIn(source.jobFolder, training.job);
    mustBeNewest(from, staged === undefined ? { step: source.latest } : newestOf(staged));
    const stages = staged === undefined ? [] : renamedStages(staged, training);
    const config = setConfigKeys(text, [[keys.root, root], [keys.name, name], ...stages, ...continuation]);
    return { config, jobFolder: source.jobFolder };
  }
  const { job } = training;
  const name = `${job.name.value ?? 'run'}_${run}`;
  return {
    config: setConfigKeys(text, [[keys.name, name], ...continuation]),
    jobFolder: folderOf(job, name, cwd, paths),
    seed: staged === undefined ? seedOf(from.step, source.latest, training.actors) : stagedSeed(from, staged),
  };
}

/** Throws `host/not-resumable` unless the step is `newest`, from which training in the folder would resume. */
function mustBeNewest(
  { step, stage }: NonNullable<RunOrder['from']>,
  newest: { readonly step: number | null; readonly stage?: string },
): void {
  if (newest.step === step && newest.stage === stage) return;
  const newestText =
    newest.step === null ? 'it has none' : `the newest is ${stepText({ ...newest, step: newest.step })}`;
  throw launchErrors.notResumable(
    `training resumes from the newest checkpoint of its folder, and ${newestText}`,
    `To continue from ${stepText({ step, stage })}, choose a fork, which does not change the earlier run.`,
  );
}

/** Returns the changes that name renamed stages by their folders, which is the only way for upstream to find them. */
function renamedStages(
  { stages }: ResumedStages,
  training: Training,
): (readonly [path: string, value: string])[] {
  return stages.flatMap(({ name, folder }, at) => {
    const key = training.stages[at]?.name.key;
    return folder === name || key === undefined ? [] : [[key, folder] as const];
  });
}

function continuing({ backbone, dialect }: Training): readonly [string, string | boolean] {
  if (backbone === 'verl') return ['trainer.resume_mode', 'auto'];
  return [dialect === 'trinity' ? 'continue_from_checkpoint' : 'trinity.continue_from_checkpoint', true];
}

/**
 * Returns the root and name that give a job's folder with the project and group of the config. The name of a fork, or
 * of a run that upstream renamed, is longer than that in its config.
 */
function placeIn(folder: string, { project, group, name }: JobLocation): { root: string; name: string } {
  const segments = folder.split('/');
  const own = segments.at(-1) ?? '';
  const last = (name.value ?? own).split('/');
  if (own.startsWith(`${last.at(-1) ?? ''}_`)) last.splice(-1, 1, own);
  const between = [project.value, group.value].flatMap((part) => part.split('/'));
  const expected = [...between, ...last].filter((part) => part !== '');
  const root = segments.slice(0, -expected.length).join('/');
  if (segments.slice(-expected.length).join('/') === expected.join('/') && root !== '') {
    return { root, name: last.join('/') };
  }
  throw launchErrors.notResumable(
    `its project, group and name (${expected.join('/')}) are not those of the earlier run's folder ${folder}`,
    'Use the config of the earlier run, or choose a fork.',
  );
}

const notRestored =
  'Not restored: unfinished episodes, experiences that were not trained on, and the state of services and environments.';

/** Returns sentences on what a resumed or forked run restores and what not. `stages` are of the source run. */
export function describeRestore(
  from: NonNullable<RunOrder['from']>,
  backbone: RunOrder['backbone'],
  isNewest: boolean,
  stages: StageNames = { names: [] },
): string[] {
  const folder =
    from.as === 'resume'
      ? "The run continues in the earlier run's folder and writes its checkpoints there."
      : `The run starts in a new folder with a copy of ${stepText(from)}. The earlier run does not change.`;
  const trainer = `Restored: weights, optimizer and learning rate schedule of ${stepText(from)}.`;
  const restart = describeStageRestart(from, stages);
  if (restart !== undefined) return [folder, restart, ...describeStages(from, stages), notRestored];
  const position = isNewest
    ? 'Restored: the position in the data set at the last weight sync, which can be some steps off.'
    : 'Not restored: the position in the data set, which starts again, and the step number of the explorer.';
  return [
    folder,
    ...describeStages(from, stages),
    trainer,
    backbone === 'verl' ? 'Restored: the position in the data set, if the checkpoint has it.' : position,
    notRestored,
    'Metrics start a new curve. Steps after the checkpoint are trained again.',
  ];
}
