import { CodedError, type Location } from '../../../../base/core/errors.ts';

const quoted = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(', ');

/** What is wrong with a data set of `huggingface_dat_repo`; `place` is its folder, file or id on the hub. */
export const dataSetErrors = {
  notFound: (place: string, location: Location) =>
    new CodedError({
      code: 'task-reader/data-set-not-found',
      message: `There is no folder or file "${place}", and it is no id on the Hugging Face Hub.`,
      location,
      hint: 'Correct dataset_path; it is relative to the working directory, then to the folder of the config. On the hub it would be "owner/name".',
    }),
  noHub: (place: string, location: Location) =>
    new CodedError({
      code: 'task-reader/data-set-not-found',
      message: `"${place}" cannot be read here: there are only texts.`,
      location,
      hint: 'Write the tasks to a JSONL file and read them with the type "jsonl_dataset_file".',
    }),
  saved: (place: string) =>
    new CodedError({
      code: 'task-reader/saved-to-disk',
      message: `${place} was written by save_to_disk, which load_dataset refuses to read, and so does AgentJet.`,
      hint: 'Write the data set once more as Parquet: `datasets.load_from_disk(…)["train"].to_parquet("train.parquet")`.',
    }),
  noDataFiles: (place: string) =>
    new CodedError({
      code: 'task-reader/no-data-files',
      message: `${place} has no data files.`,
      hint: 'Put Parquet, JSONL, JSON or CSV files in it, named after their split, for example train.jsonl and test.jsonl.',
    }),
  missingFile: (place: string, file: string) =>
    new CodedError({
      code: 'task-reader/missing-file',
      message: `The README.md of ${place} names the data file "${file}", which is not there or no data file.`,
      hint: 'Correct its `configs`, or add the file; training refuses the data set as it is.',
    }),
  unknownSplit: (place: string, split: string, others: readonly string[]) =>
    new CodedError({
      code: 'task-reader/unknown-split',
      message: `${place} has no split "${split}"; it has ${quoted(others)}.`,
      hint: 'Correct training_split or validation_split under ajet.task_reader.huggingface_dat_repo.',
    }),
  badSplit: (split: string, location: Location) =>
    new CodedError({
      code: 'task-reader/split-expression',
      message: `The split "${split}" is not read here: only a name, or a name with rows counted from its start, as in "train[10:20]".`,
      location,
      hint: 'Write rows as whole numbers, from the start, and one split alone; or write that part to a file of its own.',
    }),
  subsetNeeded: (place: string, subsets: readonly string[]) =>
    new CodedError({
      code: 'task-reader/subset-needed',
      message: `${place} holds several data sets (${quoted(subsets)}), and AgentJet has no key to name one: training fails here too.`,
      hint: 'Download the one you want into a folder of its own, and name that folder as dataset_path.',
    }),
  noSuchSubset: (place: string, name: string, subsets: readonly string[]) =>
    new CodedError({
      code: 'task-reader/unknown-subset',
      message: `${place} has no subset "${name}"; it has ${quoted(subsets)}.`,
      hint: 'Name one of them as subset_name.',
    }),
  badCard: (place: string, reason: string) =>
    new CodedError({
      code: 'task-reader/bad-data-set-card',
      message: `The YAML at the head of the README.md of ${place} cannot be read: ${reason.replace(/\s+/g, ' ').replace(/\.$/, '')}.`,
      hint: 'Mend its `configs`, or remove it: files are then found by their names.',
    }),
  mixedFormats: (place: string, extensions: readonly string[]) =>
    new CodedError({
      code: 'task-reader/mixed-formats',
      message: `The splits of ${place} are of different formats: ${extensions.map((one) => one || 'no data files').join(', ')}.`,
      hint: 'Keep all splits in one format; training reads no other data set.',
    }),
  unreadFormat: (place: string, extension: string) =>
    new CodedError({
      code: 'task-reader/unread-format',
      message:
        extension === ''
          ? `${place} has no files of a format that is read here.`
          : `The files of ${place} are of the format ".${extension}", which is not read here.`,
      hint: 'Parquet, JSONL, JSON, CSV and TSV are read.',
    }),
  unreadOption: (place: string, option: string) =>
    new CodedError({
      code: 'task-reader/unread-option',
      message: `The README.md of ${place} sets \`${option}\` for its data files, which is not read here.`,
      hint: 'Of the options of readers, `sep` and `delimiter` are read; write the files so that they need no other.',
    }),
  broken: (file: string, reason: string, line?: number, cause?: unknown) =>
    new CodedError(
      {
        code: 'task-reader/broken-file',
        message: `The data file cannot be read${line === undefined ? '' : ` from line ${line} on`}: ${reason.replace(/\.$/, '')}.`,
        location: { file, line },
        hint: 'Mend the file or write it anew; training reads it whole and would stop here.',
      },
      { cause },
    ),
  otherColumns: (file: string, columns: readonly string[]) =>
    new CodedError({
      code: 'task-reader/other-columns',
      message: `The columns of this file differ from those of the first one of its split: ${quoted(columns)}.`,
      location: { file },
      hint: 'Give all files of a split the same columns; training refuses them as they are.',
    }),
  otherType: (file: string, row: number, column: string, type: string) =>
    new CodedError({
      code: 'task-reader/other-type',
      message: `In row ${row} of the split, "${column}" is not ${type} as in the rows before.`,
      location: { file },
      hint: 'Write the column alike in all rows; training refuses them as they are.',
    }),
  bigNumber: (file: string, column: string) =>
    new CodedError({
      code: 'task-reader/large-integer',
      message: `"${column}" has whole numbers beyond 2^53, which JavaScript cannot hold exactly; in metadata they are texts of their digits, in training numbers.`,
      location: { file },
      hint: 'Compare them as texts, or as BigInt.',
    }),
  noRows: (place: string, split: string, location: Location) =>
    new CodedError({
      code: 'task-reader/no-tasks',
      message: `The split "${split}" of ${place} has no rows, so there is nothing to run; AgentJet would start training without tasks.`,
      location,
      hint: 'Name a split that has rows.',
    }),
  noQuestion: (place: string, columns: readonly string[], location: Location) =>
    new CodedError({
      code: 'task-reader/no-main-query',
      message: `${place} has no column "question", so every main_query reads "Empty", as in training; its columns are ${quoted(columns)}.`,
      location,
      hint: 'Rename the column of the question, or have the workflow read it from task.metadata.',
    }),
  questionNotText: (place: string, location: Location) =>
    new CodedError({
      code: 'task-reader/wrong-field',
      message: `The column "question" of ${place} is not a text in every row, and a task's main_query is nothing else.`,
      location,
      hint: 'Write the questions as texts, without empty ones; training would refuse the row.',
    }),
  cancelled: () =>
    new CodedError({ code: 'task-reader/cancelled', message: 'Reading the data set was cancelled.' }),
  fileNotFolder: (place: string, location: Location) =>
    new CodedError({
      code: 'task-reader/file-not-folder',
      message: `${place} is a file. It is read here for either split; training takes a folder or an id of the hub only, and would refuse it.`,
      location,
      hint: 'Name the folder that holds the file.',
    }),
};
