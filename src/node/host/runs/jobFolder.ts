import path from 'node:path';

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
export type JobPlace =
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
export function jobPlace(
  folder: string,
  runs: readonly string[],
  { dataFolder, home }: JobFolderBounds,
): JobPlace {
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

/** @param name of what is directly in a job's folder */
export function isUpstreams(name: string): boolean {
  return upstreams.test(name);
}

/**
 * The folder that upstream makes in place of one that is there already: beside it, under its name and the time. Undefined: what
 * the log tells of is no such folder.
 */
export function renamedJobFolder(folder: string, name: string): string | undefined {
  const before = path.basename(folder);
  const time = name.startsWith(`${before}_`) ? name.slice(before.length + 1) : '';
  return /^\d{8,20}$/.test(time) ? path.join(path.dirname(folder), name) : undefined;
}

/** Or the same. */
function isWithin(outer: string, inner: string): boolean {
  const relative = path.relative(outer, inner);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
