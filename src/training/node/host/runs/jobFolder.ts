import path from 'node:path';
import type { RunStage } from '../../../core/protocol/runs.ts';

export interface JobFolderBounds {
  /** Of the host, absolute; its runs are in `runs/`. */
  readonly dataFolder: string;
  /** Of the user that the host runs as. */
  readonly home: string;
}

/**
 * Where a folder is that a run keeps its checkpoints and logs in: in its own code, where all is its own, or somewhere that its
 * config names, where what upstream writes is. `problem`: it can be no run's, as the end of a sentence, since who may look at
 * runs may read what is in it.
 */
export type JobFolderAccess =
  | { readonly kind: 'own' }
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'refused'; readonly problem: string };

/** Where a run has the files that were sent; absolute. */
export function codeFolder(dataFolder: string, run: string): string {
  return path.join(dataFolder, 'runs', run, 'code');
}

/**
 * @param folder absolute
 * @param runs the run and those that it goes on from
 */
export function jobFolderAccess(
  folder: string,
  runs: readonly string[],
  { dataFolder, home }: JobFolderBounds,
): JobFolderAccess {
  const ownCode = runs.map((run) => codeFolder(dataFolder, run));
  if (ownCode.some((code) => isWithin(code, folder))) return { kind: 'own' };
  if (isWithin(dataFolder, folder)) {
    return { kind: 'refused', problem: 'it is in the data folder of the host, outside the code of the run' };
  }
  if (isWithin(folder, dataFolder)) return { kind: 'refused', problem: 'the data of the host is in it' };
  if (isWithin(folder, home)) return { kind: 'refused', problem: 'the home folder of the host is in it' };
  const depth = path.resolve(folder).split(path.sep).filter(Boolean).length;
  if (depth < 2) return { kind: 'refused', problem: 'it is a folder of the system' };
  return { kind: 'elsewhere' };
}

/** What upstream puts into a job's folder; whatever else is there is somebody else's. */
const upstreams =
  /^(?:global_step_\d+|latest_\w+_iteration\.txt|\w+_meta\.json|\w+_server_url\.txt|config\.json|buffer|log|monitor)$/;

/**
 * @param inside a path in a job's folder, of which the first name tells
 * @param stages folders of stages, in which it is the first name as well
 */
export function isUpstreamEntry(inside: string, stages: readonly string[] = []): boolean {
  const stage = stages.find((folder) => folder !== '' && inside.startsWith(`${folder}/`));
  const [name = ''] = inside.slice(stage === undefined ? 0 : stage.length + 1).split('/');
  return upstreams.test(name) || stages.some((folder) => `${folder}/`.startsWith(`${inside}/`));
}

/** A folder that upstream keeps checkpoints and logs in: that of a job, or that of one of its stages. */
export interface JobPart {
  /** Counted from 1. */
  readonly stage?: number;
  /** The stage's; empty: it is the whole. */
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
}

export function partsOf(jobFolder: string, stages: readonly RunStage[] = []): readonly JobPart[] {
  if (stages.length === 0) return [{ name: '', folder: jobFolder }];
  return stages.map(({ name, folder }, at) => ({
    stage: at + 1,
    name,
    folder: path.join(jobFolder, folder),
  }));
}

/** What of a job's folder was there before the run: bytes of logs by source, and the step that was saved. */
export interface JobFolderSnapshot {
  readonly logs: Record<string, number>;
  readonly step: number | null;
  /** The same of its stages, by their names. */
  readonly stages?: Record<string, number | null> | undefined;
}

/** Where a run keeps its checkpoints, and what was there before it. */
export interface JobLayout {
  readonly jobFolder: string | null;
  readonly stages?: RunStage[] | undefined;
  readonly before: JobFolderSnapshot;
}

/**
 * The layout once upstream has made other folders in place of those that are there already: of the job, or of one of its
 * stages, `NAME/STAGE`. Undefined: the log tells of none that is not known yet.
 */
export function renamedJob(
  { jobFolder, stages = [], before }: JobLayout,
  renamed: readonly { readonly from: string; readonly to: string }[],
): JobLayout | undefined {
  if (jobFolder === null) return undefined;
  let layout: JobLayout | undefined;
  if (stages.length === 0) {
    const moved = renamedFolder(jobFolder, renamed.at(-1)?.to ?? '');
    return moved === undefined ? undefined : { jobFolder: moved, before: { logs: {}, step: null } };
  }
  for (const { from, to } of renamed) {
    const known = layout?.stages ?? stages;
    const stage = known.find(({ folder }) => folder !== '' && from.endsWith(`/${folder}`));
    const moved = stage && renamedFolder(stage.folder, to.slice(from.length - path.basename(from).length));
    if (stage === undefined || moved === undefined) continue;
    const { name } = stage;
    const logs = Object.entries(before.logs).filter(([source]) => !source.startsWith(`${name}/`));
    layout = {
      jobFolder,
      stages: known.map((one) => (one === stage ? { ...one, folder: moved } : one)),
      before: { ...before, logs: Object.fromEntries(logs), stages: { ...before.stages, [name]: null } },
    };
    before = layout.before;
  }
  return layout;
}

/** Beside the one before, under its name and the time. Undefined: it is no such name. */
function renamedFolder(folder: string, name: string): string | undefined {
  const before = path.basename(folder);
  const time = name.startsWith(`${before}_`) ? name.slice(before.length + 1) : '';
  return /^\d{8,20}$/.test(time) ? path.join(path.dirname(folder), name) : undefined;
}

/** Or the same. */
function isWithin(outer: string, inner: string): boolean {
  const relative = path.relative(outer, inner);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
