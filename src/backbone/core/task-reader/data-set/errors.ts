import { CodedError, type Location } from '../../../../base/core/errors.ts';

const quoted = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(', ');

/** The errors of a data set of `huggingface_dat_repo`. `place` is its folder, file or id on the hub. */
export const dataSetErrors = {
  notFound: (place: string, location: Location) =>
    new CodedError({
      code: 'task-reader/data-set-not-found',
      message: `The data set "${place}" is neither a folder, nor a file, nor an id on the Hugging Face Hub.`,
      location,
      hint: 'Correct dataset_path. A path is relative to the working directory, then to the folder of the config. An id has the form "owner/name".',
    }),
  noHub: (place: string, location: Location) =>
    new CodedError({
      code: 'task-reader/data-set-not-found',
      message: `"${place}" cannot be read: this reader only supports text files.`,
      location,
      hint: 'Write the tasks to a JSONL file and read them with the type "jsonl_dataset_file".',
    }),
  saved: (place: string) =>
    new CodedError({
      code: 'task-reader/saved-to-disk',
      message: `${place} was written by save_to_disk. AgentJet reads it with load_dataset, which rejects it.`,
      hint: 'Write the data set as Parquet: `datasets.load_from_disk(…)["train"].to_parquet("train.parquet")`.',
    }),
  noDataFiles: (place: string) =>
    new CodedError({
      code: 'task-reader/no-data-files',
      message: `${place} has no data files.`,
      hint: 'Add Parquet, JSONL, JSON or CSV files, named after their split, for example train.jsonl and test.jsonl.',
    }),
  missingFile: (place: string, file: string) =>
    new CodedError({
      code: 'task-reader/missing-file',
      message: `The README.md of ${place} names the data file "${file}", which does not exist or is not a data file.`,
      hint: 'Correct `configs` in the README, or add the file. Training rejects the data set too.',
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
      message: `The split "${split}" is not supported. Use a name, or a name with a range of rows such as "train[10:20]".`,
      location,
      hint: 'Use one split with row numbers counted from its start, or write the part to a separate file.',
    }),
  subsetNeeded: (place: string, subsets: readonly string[]) =>
    new CodedError({
      code: 'task-reader/subset-needed',
      message: `${place} has several subsets (${quoted(subsets)}), and AgentJet has no key to select one. Training fails here too.`,
      hint: 'Download the subset that you want into a separate folder, and set dataset_path to it.',
    }),
  noSuchSubset: (place: string, name: string, subsets: readonly string[]) =>
    new CodedError({
      code: 'task-reader/unknown-subset',
      message: `${place} has no subset "${name}"; it has ${quoted(subsets)}.`,
      hint: 'Set subset_name to one of them.',
    }),
  badCard: (place: string, reason: string) =>
    new CodedError({
      code: 'task-reader/bad-data-set-card',
      message: `The YAML header of README.md in ${place} cannot be read: ${reason.replace(/\s+/g, ' ').replace(/\.$/, '')}.`,
      hint: 'Fix its `configs`, or remove the header: files are then found by their names.',
    }),
  mixedFormats: (place: string, extensions: readonly string[]) =>
    new CodedError({
      code: 'task-reader/mixed-formats',
      message: `The splits of ${place} have different formats: ${extensions.map((one) => one || 'no data files').join(', ')}.`,
      hint: 'Use one format for all splits. Training requires it too.',
    }),
  unreadFormat: (place: string, extension: string) =>
    new CodedError({
      code: 'task-reader/unread-format',
      message:
        extension === ''
          ? `${place} has no files of a supported format.`
          : `The files of ${place} have the format ".${extension}", which is not supported.`,
      hint: 'Use Parquet, JSONL, JSON, CSV or TSV.',
    }),
  unreadOption: (place: string, option: string) =>
    new CodedError({
      code: 'task-reader/unread-option',
      message: `The README.md of ${place} sets \`${option}\` for its data files, which is not supported.`,
      hint: 'Only the options `sep` and `delimiter` are supported. Write the files so that they need no others.',
    }),
  broken: (file: string, reason: string, line?: number, cause?: unknown) =>
    new CodedError({
      code: 'task-reader/broken-file',
      message: `The data file cannot be read${line === undefined ? '' : ` from line ${line} on`}: ${reason.replace(/\.$/, '')}.`,
      location: { file, line },
      hint: 'Fix the file or write it again. Training reads the whole file and would fail here.',
      cause,
    }),
  otherColumns: (file: string, columns: readonly string[]) =>
    new CodedError({
      code: 'task-reader/other-columns',
      message: `The columns of this file differ from those of the first file of its split: ${quoted(columns)}.`,
      location: { file },
      hint: 'Give all files of a split the same columns. Training rejects the files too.',
    }),
  otherType: (file: string, row: number, column: string, type: string) =>
    new CodedError({
      code: 'task-reader/other-type',
      message: `In row ${row} of the split, "${column}" is not ${type}, as it is in earlier rows.`,
      location: { file },
      hint: 'Use the same type in all rows. Training rejects the rows too.',
    }),
  bigNumber: (file: string, column: string) =>
    new CodedError({
      code: 'task-reader/large-integer',
      message: `"${column}" has integers above 2^53, which JavaScript cannot represent exactly. They are strings in metadata here, and numbers in training.`,
      location: { file },
      hint: 'Compare them as strings or as BigInt.',
    }),
  noRows: (place: string, split: string, location: Location) =>
    new CodedError({
      code: 'task-reader/no-tasks',
      message: `The split "${split}" of ${place} has no rows. Training would start without tasks.`,
      location,
      hint: 'Select a split with rows.',
    }),
  noQuestion: (place: string, columns: readonly string[], location: Location) =>
    new CodedError({
      code: 'task-reader/no-main-query',
      message: `${place} has no column "question", so every main_query is "Empty", as in training. Its columns are ${quoted(columns)}.`,
      location,
      hint: 'Rename the column with the question, or read it from task.metadata in the workflow.',
    }),
  questionNotText: (place: string, location: Location) =>
    new CodedError({
      code: 'task-reader/wrong-field',
      message: `The column "question" of ${place} must be a string in every row, because it becomes main_query.`,
      location,
      hint: 'Write the questions as strings that are not empty. Training rejects the row too.',
    }),
  cancelled: () =>
    new CodedError({ code: 'task-reader/cancelled', message: 'Reading the data set was canceled.' }),
  fileNotFolder: (place: string, location: Location) =>
    new CodedError({
      code: 'task-reader/file-not-folder',
      message: `${place} is a file. Debug runs read it for both splits, but training accepts only a folder or an id of the hub.`,
      location,
      hint: 'Set dataset_path to the folder of the file.',
    }),
};
