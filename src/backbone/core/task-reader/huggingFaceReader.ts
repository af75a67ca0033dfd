import type { CodedError, Location } from '../../../base/core/errors.ts';
import type { Task } from '../../../sdk/core/index.ts';
import { CsvTable } from './data-set/csvTable.ts';
import type { DataSetListing, DataSetPorts, Row, TableReader, RowSelection } from './data-set/table.ts';
import { dataSetErrors } from './data-set/errors.ts';
import { JsonTable } from './data-set/jsonTable.ts';
import { ParquetTable } from './data-set/parquetTable.ts';
import { findSplit, type SplitFiles, type TableFormat } from './data-set/splits.ts';
import { requireIds, type ReadTasks, type TaskSelection, type TaskSource } from './taskReader.ts';
import type { FileReader } from '../../../base/core/ports.ts';

const section = 'ajet.task_reader.huggingface_dat_repo';

/** The config keys that select the data set and its rows. */
export interface DataSetKeys {
  readonly path: string;
  readonly split: string;
  /** The subset in the README; undefined for the default one. */
  readonly subset?: string | undefined;
}

/**
 * The reader of `huggingface_dat_repo`. It reads a folder with splits, a data file or a data set of the Hugging Face Hub, in
 * Parquet, JSONL, JSON, CSV or TSV. Tasks are those of upstream's `load_dataset(dataset_path, split=…)`. `main_query` is
 * the column `question` or `Empty`, `task_id` the index of the row, `metadata` the whole row.
 *
 * It reads only the selected rows and those that determine the column types. Throws `task-reader/…`, also for an empty
 * split, which upstream accepts.
 */
export const readHuggingFace: ReadTasks = async (source, selection) => {
  const keys = { path: `${section}.dataset_path`, split: `${section}.${source.split}_split` };
  const { rows, columns, warnings, place, where } = await readDataSet(source, selection, keys);
  const hasQuestion = columns.includes('question');
  const tasks = rows.map(({ id, row }): Task => ({
    main_query: hasQuestion ? queryOf(row['question'], place, where) : 'Empty',
    init_messages: [],
    task_id: id,
    env_type: 'no_env',
    metadata: row,
  }));
  const unnamed = hasQuestion || rows.length === 0 ? [] : [dataSetErrors.noQuestion(place, columns, where)];
  return { tasks, warnings: [...warnings, ...unnamed] };
};

export interface DataSetRows {
  /** `id`: the row's place in the split. */
  readonly rows: readonly { readonly id: string; readonly row: Row }[];
  readonly columns: readonly string[];
  readonly warnings: readonly CodedError[];
  /** The name of the data set in the config. */
  readonly place: string;
  readonly where: Location;
}

/** Reads the data set that the given config keys select. Throws `task-reader/…`. */
export async function readDataSet(
  source: TaskSource,
  selection: TaskSelection,
  keys: DataSetKeys,
): Promise<DataSetRows> {
  const place = source.config.string(keys.path);
  const where = source.config.locate(keys.path);
  const writtenSplit = source.config.string(keys.split);
  const split = parseSplit(writtenSplit, source.config.locate(keys.split));
  const found = await findDataSet({ place, where, split: split.name, subset: keys.subset }, source);
  const table = tables[found.format](source, portsOf(source, found.place, where));
  const read = await readRows(found, table, wantedOf(selection, split), source);
  if (read.length === 0 && selection.taskIds === undefined && selection.first > 0) {
    throw dataSetErrors.noRows(place, writtenSplit, source.config.locate(keys.split));
  }
  const rows = read.map(({ index, row }) => ({ id: String(index - split.from), row }));
  requireIds(
    selection,
    rows.map(({ id }) => id),
    where,
  );
  return { rows, columns: table.columns, warnings: [...found.warnings, ...table.warnings], place, where };
}

interface NamedDataSet {
  readonly place: string;
  readonly where: Location;
  readonly split: string;
  readonly subset: string | undefined;
}

interface FoundSplit extends SplitFiles {
  readonly folder: string;
  readonly place: string;
  readonly warnings: readonly CodedError[];
}

async function findDataSet(
  { place: path, where, split, subset }: NamedDataSet,
  source: TaskSource,
): Promise<FoundSplit> {
  const place = await source.resolveFile(path);
  const ports = portsOf(source, place, where);
  const listing = await listFolder(place, source.files);
  if (listing.paths.length > 0) {
    const named = new Set(listing.paths);
    if (named.has('state.json') || named.has('dataset_dict.json')) throw dataSetErrors.saved(place);
    return {
      ...findSplit(listing.paths, listing.readme, split, path, subset),
      folder: place,
      place: path,
      warnings: [],
    };
  }
  if (await source.files.exists(place)) return oneFile(place, ports, where);
  if (!ports.hub.isId(path)) throw dataSetErrors.notFound(path, where);
  const choose = ({ paths, readme }: DataSetListing): SplitFiles =>
    findSplit(paths, readme, split, path, subset);
  const { folder, chosen } = await ports.hub.open(path, choose, {
    cancellation: source.cancellation,
    progress: (message) => source.log('info', message),
  });
  return { ...chosen, folder, place: path, warnings: [] };
}

function portsOf({ dataSets }: TaskSource, place: string, where: Location): DataSetPorts {
  if (dataSets === undefined) throw dataSetErrors.noHub(place, where);
  return dataSets;
}

/** A single file is used for every split. */
async function oneFile(file: string, { parts }: DataSetPorts, where: Location): Promise<FoundSplit> {
  const [, folder = '', name = ''] = /^(.*[\\/])([^\\/]+)$/.exec(file) ?? [];
  // A folder has no size.
  const isFile = await parts.size(file).then(
    () => true,
    () => false,
  );
  if (!isFile) throw dataSetErrors.noDataFiles(file);
  const { format } = findSplit([name.replaceAll('/', '')], undefined, 'train', file);
  return {
    format,
    files: [name],
    options: {},
    folder: folder.slice(0, -1),
    place: file,
    warnings: [dataSetErrors.fileNotFolder(file, where)],
  };
}

const tables: Readonly<Record<TableFormat, (source: TaskSource, ports: DataSetPorts) => TableReader>> = {
  parquet: (_, { parts }) => new ParquetTable(parts),
  csv: (_, { parts }) => new CsvTable(parts),
  tsv: (_, { parts }) => new CsvTable(parts),
  json: ({ files }) => new JsonTable(files),
};

/** CSV options that a README can set. */
const separators = ['sep', 'delimiter'];

function separatorOf({ format, options, place }: FoundSplit): string {
  const unread = Object.keys(options).find(
    (option) => !separators.includes(option) && unreadOptions.has(option),
  );
  if (unread !== undefined) throw dataSetErrors.unreadOption(place, unread);
  const set = separators.map((option) => options[option]).find((value) => typeof value === 'string');
  return set ?? (format === 'tsv' ? '\t' : ',');
}

/** Options that change the rows; the others are remarks. */
const unreadOptions: ReadonlySet<string> = new Set(
  'field header names column_names index_col usecols skiprows nrows na_values keep_default_na encoding quotechar escapechar comment decimal thousands columns filters features'.split(
    ' ',
  ),
);

async function readRows(
  found: FoundSplit,
  table: TableReader,
  wanted: RowSelection,
  { cancellation }: TaskSource,
): Promise<readonly { readonly index: number; readonly row: Row }[]> {
  const separator = separatorOf(found);
  const rows = [];
  let offset = 0;
  for (const name of found.files) {
    if (offset > wanted.last) break;
    if (cancellation.isCancelled) throw dataSetErrors.cancelled();
    const read = await table.read({ file: `${found.folder}/${name}`, offset, wanted, separator });
    rows.push(...read.rows);
    if (read.count === undefined) break;
    offset += read.count;
  }
  return rows;
}

interface SplitName {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** A split as `load_dataset` takes it: `train`, or rows of it, `train[10:20]`. */
function parseSplit(text: string, where: Location): SplitName {
  const parts = /^\s*([\w.]+)(?:\[(\d*):(\d*)\])?\s*$/.exec(text);
  if (parts === null) throw dataSetErrors.badSplit(text, where);
  const [, name = '', from = '', to = ''] = parts;
  return { name, from: Number(from), to: to === '' ? Infinity : Number(to) };
}

function wantedOf(selection: TaskSelection, { from, to }: SplitName): RowSelection {
  if (selection.taskIds === undefined) {
    const end = Math.min(from + selection.first, to);
    return { has: (index) => index >= from && index < end, last: end - 1 };
  }
  const places = selection.taskIds.filter((id) => /^(?:0|[1-9]\d*)$/.test(id)).map((id) => Number(id) + from);
  const inside = new Set(places.filter((index) => index < to));
  return { has: (index) => inside.has(index), last: Math.max(-1, ...inside) };
}

/** Upstream's `Task` accepts only a string. */
function queryOf(value: unknown, place: string, where: Location): string {
  if (typeof value === 'string') return value;
  throw dataSetErrors.questionNotText(place, where);
}

/** Returns the files below a folder, except in hidden folders. Empty if it is a file or does not exist. */
export async function listFolder(
  folder: string,
  files: Pick<FileReader, 'list' | 'folders' | 'readText'>,
): Promise<DataSetListing> {
  const paths: string[] = [];
  const open = [''];
  for (let below = open.pop(); below !== undefined; below = open.pop()) {
    const place = below === '' ? folder : `${folder}/${below.slice(0, -1)}`;
    paths.push(...(await files.list(place)).map((name) => `${below}${name}`));
    const inside = (await files.folders?.(place)) ?? [];
    open.push(...inside.filter((name) => !name.startsWith('.')).map((name) => `${below}${name}/`));
  }
  const readme = paths.includes('README.md') ? await files.readText(`${folder}/README.md`) : undefined;
  return { paths, readme };
}
