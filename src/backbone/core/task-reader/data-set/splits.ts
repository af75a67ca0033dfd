import * as z from 'zod/mini';
import { dataSetErrors } from './errors.ts';
import { messageOf } from '../../../../base/core/errors.ts';
import { parse } from 'yaml';

export type TableFormat = 'parquet' | 'csv' | 'tsv' | 'json';

export interface SplitFiles {
  readonly format: TableFormat;
  /** Paths below the folder of the data set, parts joined by `/`, in the order of their rows. */
  readonly files: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

type Patterns = ReadonlyMap<string, readonly string[]>;

const separators = '[-._ 0-9]';
const keywords: Readonly<Record<string, readonly string[]>> = {
  train: ['train', 'training'],
  validation: ['validation', 'valid', 'dev', 'val'],
  test: ['test', 'testing', 'eval', 'evaluation'],
};
const five = '[0-9]'.repeat(5);

const byFolder = patternsOf((word) => [
  `**/${word}/**`,
  `**/${word}${separators}/**`,
  `**/*${separators}${word}/**`,
  `**/*${separators}${word}${separators}/**`,
]);
const byName = patternsOf((word) => [`**/${word}${separators}*`, `**/*${separators}${word}${separators}*`]);
const everything: Patterns = new Map([['train', ['**']]]);

function patternsOf(of: (word: string) => readonly string[]): Patterns {
  return new Map(Object.entries(keywords).map(([split, words]) => [split, words.flatMap(of)]));
}

const notData = new Set([
  'README.md',
  'config.json',
  'dataset_info.json',
  'dataset_infos.json',
  'dummy_data.zip',
  'dataset_dict.json',
]);

/** The formats by extension; `other` for those that `datasets` supports and this reader does not. */
const formats: Readonly<Record<string, TableFormat | 'other'>> = {
  csv: 'csv',
  tsv: 'tsv',
  json: 'json',
  jsonl: 'json',
  ndjson: 'json',
  parquet: 'parquet',
  geoparquet: 'parquet',
  gpq: 'parquet',
  ...Object.fromEntries(
    'arrow txt tar xml hdf5 h5 lance zip pdf jpg jpeg png gif bmp webp tiff wav mp3 flac ogg opus mp4 mkv avi mov'
      .split(' ')
      .map((extension) => [extension, 'other' as const]),
  ),
};

/**
 * Finds the files of a split as `datasets.load_dataset(folder, split=…)` does. It uses the README's `configs`, else sharded
 * files below `data/`, else folders or files named after splits, else all files for `train`.
 *
 * @param paths of all files below the folder, parts joined by `/`
 * @param place of the data set, for messages
 * @param subset the one of the README's that is wanted; undefined: the default one
 *
 * Throws `task-reader/no-data-files`, `…/missing-file`, `…/unknown-split`, `…/unread-format`, `…/subset-needed`, `…/bad-data-set-card`.
 */
export function findSplit(
  paths: readonly string[],
  readme: string | undefined,
  split: string,
  place: string,
  subset?: string,
): SplitFiles {
  const sorted = [...paths].sort();
  const subsets = chooseSubset(readme, place, subset);
  const splits = splitsOf(sorted, subsets?.chosen, place);
  // Upstream looks for files in the folder of the first one only where it names none.
  const first = subsets?.first.patterns === undefined ? undefined : subsets.first;
  const format = formatOf([...splitsOf(sorted, first, place).values()], place);
  const extensions = Object.keys(formats).filter((extension) => formats[extension] === format);
  const found = new Map(
    [...splits].map(([name, files]) => [name, files.filter((file) => hasExtension(file, extensions))]),
  );
  const files = found.get(split);
  if (files === undefined || files.length === 0) {
    const others = [...found].filter(([, of]) => of.length > 0).map(([name]) => name);
    throw dataSetErrors.unknownSplit(place, split, others);
  }
  return { format, files, options: subsets?.chosen.options ?? {} };
}

function splitsOf(
  paths: readonly string[],
  subset: Subset | undefined,
  place: string,
): ReadonlyMap<string, readonly string[]> {
  const folder = subset?.folder ?? '';
  const inside = paths.filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length));
  const patterns = subset?.patterns ?? guessPatterns(inside);
  const known = Object.keys(formats);
  const filesOf = (of: readonly string[]): string[] =>
    of.flatMap((pattern) => {
      const files = matching(inside, pattern).filter((file) => hasExtension(file, known));
      if (files.length === 0 && !hasWildcards(pattern)) throw dataSetErrors.missingFile(place, pattern);
      return files;
    });
  const splits = [...patterns].map(
    ([split, of]) => [split, filesOf(of).map((file) => `${folder}${file}`)] as const,
  );
  if (splits.every(([, files]) => files.length === 0)) throw dataSetErrors.noDataFiles(place);
  return new Map(splits);
}

function guessPatterns(paths: readonly string[]): Patterns {
  const sharded = paths
    .map((path) => /^data\/([^/]*)-\d{5}-of-\d{5}[^/]*\.[^/]*$/.exec(path)?.[1])
    .filter((split) => split !== undefined);
  if (sharded.length > 0) {
    return new Map([...new Set(sharded)].map((split) => [split, [`data/${split}-${five}-of-${five}*.*`]]));
  }
  for (const patterns of [byFolder, byName, everything]) {
    const found = [...patterns].filter(([, of]) => of.some((pattern) => matching(paths, pattern).length > 0));
    if (found.length > 0) return new Map(found);
  }
  return new Map();
}

function matching(paths: readonly string[], pattern: string): string[] {
  const plain = pattern.replace(/^\.\//, '');
  const base = baseName(plain);
  const expression = hasWildcards(plain) ? globExpression(plain) : undefined;
  return paths.filter(
    (path) =>
      (expression === undefined ? path === plain : expression.test(path)) &&
      (baseName(path) === base || !notData.has(baseName(path))) &&
      special(path) === special(plain) &&
      hidden(path) === hidden(plain),
  );
}

/** Folders such as `__pycache__`. */
function special(path: string): number {
  return path
    .split('/')
    .slice(0, -1)
    .filter((part) => part.startsWith('__')).length;
}

function hidden(path: string): number {
  return path.split('/').filter((part) => part.startsWith('.') && /[^.]/.test(part)).length;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function extensionsOf(path: string): string[] {
  return baseName(path).split('.').slice(1);
}

function hasExtension(path: string, extensions: readonly string[]): boolean {
  return extensionsOf(path).some((extension) => extensions.includes(extension));
}

/** Returns the most frequent format, which must be the same for all splits. */
function formatOf(splits: readonly (readonly string[])[], place: string): TableFormat {
  const extensions = splits.map(commonExtension);
  const [format, ...others] = new Set(extensions.map((extension) => formats[extension]));
  if (others.length > 0) throw dataSetErrors.mixedFormats(place, extensions);
  if (format === undefined || format === 'other')
    throw dataSetErrors.unreadFormat(place, extensions[0] ?? '');
  return format;
}

const favourites = ['csv', 'json', 'jsonl', 'parquet'];

function commonExtension(files: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const extension of files.slice(0, 10_000).flatMap(extensionsOf)) {
    const lower = extension.toLowerCase();
    counts.set(lower, (counts.get(lower) ?? 0) + 1);
  }
  const ranked = [...counts].sort(
    ([a, countOfA], [b, countOfB]) =>
      countOfB - countOfA || favourites.indexOf(b) - favourites.indexOf(a) || (a < b ? 1 : -1),
  );
  return ranked.map(([extension]) => extension).find((extension) => formats[extension] !== undefined) ?? '';
}

/** Converts a path pattern of fsspec's `glob`: `*` and `[…]` within a folder, `**` as a whole part for any depth. */
function globExpression(pattern: string): RegExp {
  const parts = pattern.split('/');
  const last = parts.length - 1;
  const source = parts.map((part, at) => {
    if (part === '**') return at < last ? '(?:.+/)?' : '.*';
    const text = part === '*' ? '[^/]+' : partSource(part);
    return at < last ? `${text}/` : text;
  });
  return new RegExp(`^(?:${source.join('')})$`, 'su');
}

function hasWildcards(pattern: string): boolean {
  return /[*?[]/.test(pattern);
}

function partSource(part: string): string {
  let source = '';
  for (let at = 0; at < part.length; at++) {
    const character = part.charAt(at);
    const end = character === '[' ? part.indexOf(']', at + 2) : -1;
    if (character === '*') source += '[^/]*';
    else if (character === '?') source += '[^/]';
    else if (end !== -1) {
      source += classSource(part.slice(at + 1, end));
      at = end;
    } else source += escape(character);
  }
  return source;
}

/** Converts a character class as Python's fnmatch: `-` is a range only between two characters. */
function classSource(inside: string): string {
  const isNegated = inside.startsWith('!');
  const characters = isNegated ? inside.slice(1) : inside;
  const members = Array.from(characters).map((character, at, all) =>
    character === '-' && at > 0 && at < all.length - 1 ? '-' : character.replace(/[\\^[\]-]/, '\\$&'),
  );
  return `[${isNegated ? '^' : ''}${members.join('')}]`;
}

function escape(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
}

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
interface Subset {
  readonly name: string;
  /** By split, patterns of paths below `folder`; undefined: by the names of the files. */
  readonly patterns: ReadonlyMap<string, readonly string[]> | undefined;
  /** Empty, or ending in `/`. */
  readonly folder: string;
  /** Further options of the file reader, for example `sep`. */
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * The `chosen` subset, as `datasets.load_dataset(path, name)` has it, and the `first`, whose files tell the format of
 * all. Undefined: the README names none.
 *
 * Throws `task-reader/bad-data-set-card`, `…/unknown-subset`, and `…/subset-needed` where no name is given and none is
 * the default one.
 */
function chooseSubset(readme: string | undefined, place: string, name?: string) {
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
