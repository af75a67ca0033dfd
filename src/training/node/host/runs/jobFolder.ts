import path from 'node:path';
import * as z from 'zod/mini';
import {
  type RunStage,
  finalStates,
  runStage,
  type RunOrder,
  type RunRecord,
} from '../../../core/protocol/runs.ts';
import type { JobUse } from '../../../core/launch/training.ts';
import { runErrors } from '../../../core/runs/failures.ts';

/** Tracks the folders of active runs. Two runs in one folder would overwrite each other's checkpoints. */
export class FoldersInUse {
  /** Folders by run. The record of the run has priority, because upstream may rename a folder. */
  readonly #claims = new Map<string, string>();
  readonly #recordOf: (run: string) => RunRecord | undefined;

  /** @param recordOf returns undefined for a run that is being created */
  constructor(recordOf: (run: string) => RunRecord | undefined) {
    this.#recordOf = recordOf;
  }

  /** Claims an absolute folder until the run has ended. Throws `host/folder-in-use`. */
  claim(run: string, folder: string, use: JobUse): void {
    const other = this.#userOf(folder, run);
    if (other !== undefined && use === 'alone') throw runErrors.folderInUse(other);
    this.#claims.set(run, folder);
  }

  /** Claims the folder in which an order resumes, if any. Throws `host/folder-in-use`. */
  resume(run: string, from: RunOrder['from']): void {
    const other = this.userFor(from, null);
    if (other !== undefined) throw runErrors.folderInUse(other);
    const folder = this.resumedBy(from);
    if (folder !== undefined) this.claim(run, folder, 'alone');
  }

  release(run: string): void {
    this.#claims.delete(run);
  }

  /** Returns the folder in which an order resumes. Undefined: it has its own folder, or the folder is unknown. */
  resumedBy(from: RunRecord['from'] | undefined): string | undefined {
    return from?.as === 'resume' ? this.#folderOf(from.run) : undefined;
  }

  /** Returns the run that uses the folder in which an order resumes, or else `folder` (absolute, or null). */
  userFor(from: RunOrder['from'], folder: string | null): string | undefined {
    const place = this.resumedBy(from) ?? folder;
    if (place !== null) return this.#userOf(place);
    return from?.as === 'resume' && !this.#isOver(from.run) ? from.run : undefined;
  }

  #folderOf(run: string): string | undefined {
    return this.#recordOf(run)?.jobFolder ?? this.#claims.get(run);
  }

  #userOf(folder: string, except?: string): string | undefined {
    return [...this.#claims.keys()].find((run) => {
      return run !== except && !this.#isOver(run) && this.#folderOf(run) === folder;
    });
  }

  #isOver(run: string): boolean {
    const record = this.#recordOf(run);
    return record !== undefined && finalStates.includes(record.state);
  }
}

/**
 * The access to a job folder. `own`: it is in the code of the run, and all of it is visible. `elsewhere`: the config
 * names it, and only the files of upstream are visible.
 * `refused`: it cannot be a job folder, because viewers of the run could read it. `problem` is the end of a sentence.
 */
export type JobFolderAccess =
  | { readonly kind: 'own' | 'elsewhere' }
  | { readonly kind: 'refused'; readonly problem: string };

export function codeFolder(dataFolder: string, run: string): string {
  return path.join(dataFolder, 'runs', run, 'code');
}

/**
 * All folders are absolute. `runs` are the run and those that it continues from. `dataFolder` has the runs in `runs/`.
 * `home` is the home folder of the user of the host.
 */
export function jobFolderAccess(
  folder: string,
  runs: readonly string[],
  { dataFolder, home }: { readonly dataFolder: string; readonly home: string },
): JobFolderAccess {
  const ownCode = runs.map((run) => codeFolder(dataFolder, run));
  if (ownCode.some((code) => isWithin(code, folder))) return { kind: 'own' };
  const depth = path.resolve(folder).split(path.sep).filter(Boolean).length;
  const problems = [
    isWithin(dataFolder, folder) && 'it is in the data folder of the host, outside the code of the run',
    isWithin(folder, dataFolder) && 'it contains the data of the host',
    isWithin(folder, home) && 'it contains the home folder of the host',
    depth < 2 && 'it is a system folder',
  ];
  const problem = problems.find((one) => one !== false);
  return problem === undefined ? { kind: 'elsewhere' } : { kind: 'refused', problem };
}

/** The entries that upstream creates in a job folder. Any others are not ours. */
const upstreams =
  /^(?:global_step_\d+|latest_\w+_iteration\.txt|\w+_meta\.json|\w+_server_url\.txt|config\.json|buffer|log|monitor)$/;

/** `inside` is a path in the job folder. `stages` are the folders of stages. */
export function isUpstreamEntry(inside: string, stages: readonly string[] = []): boolean {
  const stage = stages.find((folder) => folder !== '' && inside.startsWith(`${folder}/`));
  const [name = ''] = inside.slice(stage === undefined ? 0 : stage.length + 1).split('/');
  return upstreams.test(name) || stages.some((folder) => `${folder}/`.startsWith(`${inside}/`));
}

/** A folder with checkpoints and logs: that of a job or of a stage. */
export interface JobPart {
  /** The number of the stage, from 1. */
  readonly stage?: number;
  /** The name of the stage; empty for a job without stages. */
  readonly name: string;
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

/** The job folder of a run, and its state before the run. */
export const jobLayout = z.object({
  jobFolder: z.nullable(z.string()),
  stages: z.optional(z.array(runStage)),
  before: z.object({
    /** The bytes of each log. */
    logs: z.record(z.string(), z.int()),
    /** The saved step, also of each stage by name. */
    step: z.nullable(z.int()),
    stages: z.optional(z.record(z.string(), z.nullable(z.int()))),
  }),
});
export type JobLayout = z.infer<typeof jobLayout>;

/** Applies folders that upstream has renamed, of the job or a stage (`NAME/STAGE`). Undefined: nothing new was renamed. */
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

/** Returns the renamed folder, whose name ends with a time. Undefined: the name has another form. */
function renamedFolder(folder: string, name: string): string | undefined {
  const before = path.basename(folder);
  const time = name.startsWith(`${before}_`) ? name.slice(before.length + 1) : '';
  return /^\d{8,20}$/.test(time) ? path.join(path.dirname(folder), name) : undefined;
}

/** Returns whether `inner` is in or equal to `outer`. */
function isWithin(outer: string, inner: string): boolean {
  const relative = path.relative(outer, inner);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
