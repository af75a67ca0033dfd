import { messageOf } from '../../../../base/core/errors.ts';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { dataSetErrors } from './errors.ts';

const paths = z.union([z.string(), z.array(z.string())]);
const splitFiles = z.object({ split: z.string(), path: paths });
const subset = z.looseObject({
  config_name: z.string(),
  data_files: z.optional(z.nullable(z.union([paths, z.array(splitFiles)]))),
  data_dir: z.optional(z.nullable(z.string())),
  default: z.optional(z.boolean()),
});
const card = z.looseObject({ configs: z.optional(z.nullable(z.array(subset))) });

/** One of the data sets (a "subset" or "config") that a repository's README names. */
export interface Subset {
  readonly name: string;
  /** By split, patterns of paths below `folder`; undefined: by the names of the files. */
  readonly patterns: ReadonlyMap<string, readonly string[]> | undefined;
  /** Empty, or ending in `/`. */
  readonly folder: string;
  /** Further options of the file reader, for example `sep`. */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface Subsets {
  /** Its files tell the format of all. */
  readonly first: Subset;
  readonly chosen: Subset;
}

/**
 * The subset that is read, as `datasets.load_dataset(path, name)` has it; undefined: the README names none.
 *
 * Throws `task-reader/bad-data-set-card`, `…/unknown-subset`, and `…/subset-needed` where no name is given and none is
 * the default one.
 */
export function chooseSubset(readme: string | undefined, place: string, name?: string): Subsets | undefined {
  const header = /^\uFEFF?\s*---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)/s.exec(readme ?? '')?.[1];
  const subsets = header === undefined ? [] : subsetsOf(header, place);
  const [first] = subsets;
  if (first === undefined) return undefined;
  const isDefault = (one: z.infer<typeof subset>): boolean =>
    subsets.length === 1 || one.config_name === 'default' || one.default === true;
  const chosen = subsets.find((one) => (name === undefined ? isDefault(one) : one.config_name === name));
  if (chosen === undefined) {
    const names = subsets.map((one) => one.config_name);
    throw name === undefined
      ? dataSetErrors.subsetNeeded(place, names)
      : dataSetErrors.noSuchSubset(place, name, names);
  }
  return { first: toSubset(first), chosen: toSubset(chosen) };
}

function toSubset({ config_name: name, data_files, data_dir, ...options }: z.infer<typeof subset>): Subset {
  const folder = (data_dir ?? '').replace(/^\.\//, '').replace(/\/*$/, '');
  return {
    name,
    patterns: data_files === undefined || data_files === null ? undefined : bySplit(data_files),
    folder: folder === '' || folder === '.' ? '' : `${folder}/`,
    options,
  };
}

function subsetsOf(header: string, place: string): readonly z.infer<typeof subset>[] {
  let value: unknown;
  try {
    value = parse(header, { logLevel: 'silent' });
  } catch (error) {
    throw dataSetErrors.badCard(place, messageOf(error));
  }
  const decoded = card.safeParse(value ?? {});
  if (!decoded.success) throw dataSetErrors.badCard(place, z.prettifyError(decoded.error));
  return decoded.data.configs ?? [];
}

function bySplit(
  files: NonNullable<z.infer<typeof subset>['data_files']>,
): ReadonlyMap<string, readonly string[]> {
  if (typeof files === 'string') return new Map([['train', [files]]]);
  const named = files.filter((entry) => typeof entry !== 'string');
  if (named.length === 0) return new Map([['train', files.filter((entry) => typeof entry === 'string')]]);
  return new Map(named.map(({ split, path }) => [split, typeof path === 'string' ? [path] : path]));
}
