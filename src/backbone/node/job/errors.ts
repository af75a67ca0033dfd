import { CodedError, messageOf } from '../../../base/core/errors.ts';

/** Names of the job API in the language of the script. */
export interface JobNames {
  readonly nGpu: string;
  readonly nGpuForInfer: string;
  readonly setData: string;
  readonly setWorkflow: string;
  /** A file with a workflow, for examples. */
  readonly file: string;
}

export const typeScriptNames: JobNames = {
  nGpu: 'nGpu',
  nGpuForInfer: 'nGpuForInfer',
  setData: 'setData',
  setWorkflow: 'setWorkflow',
  file: 'file.ts',
};

export const pythonNames: JobNames = {
  nGpu: 'n_gpu',
  nGpuForInfer: 'n_gpu_for_infer',
  setData: 'set_data',
  setWorkflow: 'set_workflow',
  file: 'file.py',
};

export const jobErrors = {
  unknownBackbone: (backbone: string, known: readonly string[]) =>
    new CodedError({
      code: 'job/unknown-backbone',
      message: `Unknown backbone ${JSON.stringify(backbone)}.`,
      hint: `Choose from ${known.join(', ')}.`,
    }),

  inferOnVerl: ({ nGpuForInfer }: JobNames) =>
    new CodedError({
      code: 'job/infer-on-verl',
      message: `${nGpuForInfer} is only for trinity. On verl, every GPU samples and trains.`,
      hint: `Leave ${nGpuForInfer} out.`,
    }),

  badInfer: (names: JobNames, forInfer: number, all: number) =>
    new CodedError({
      code: 'job/bad-infer',
      message: `${names.nGpuForInfer} is ${forInfer} and ${names.nGpu} is ${all}, so no GPU remains for training.`,
      hint: `Set it to a whole number from 1 to ${names.nGpu} - 1.`,
    }),

  unknownData: ({ setData }: JobNames, type: string, known: readonly string[]) =>
    new CodedError({
      code: 'job/unknown-data',
      message: `${setData} does not support data of type ${JSON.stringify(type)}.`,
      hint: `Use ${known.join(', ')}. For other readers, set job.config.ajet.task_reader.`,
    }),

  noDataset: ({ setData }: JobNames, type: string) =>
    new CodedError({
      code: 'job/no-dataset',
      message: `${setData}(${JSON.stringify(type)}) needs the path of the data set.`,
      hint: `Write ${setData}(${JSON.stringify(type)}, 'path/or/id').`,
    }),

  noWorkflow: ({ setWorkflow, file }: JobNames) =>
    new CodedError({
      code: 'job/no-workflow',
      message: 'The job has no workflow.',
      hint: `Call ${setWorkflow} with the class, or with '${file}->ClassName', before tune.`,
    }),

  notExported: (name: string) =>
    new CodedError({
      code: 'job/not-exported',
      message: `A config cannot name ${name}, because only the script itself defines it.`,
      hint: `Move ${name} to a separate file, export it there, and import it in the script.`,
    }),

  tunedTwice: () =>
    new CodedError({
      code: 'job/tuned-twice',
      message: 'A script can run only one job, and tune was called before.',
      hint: 'Use a separate script for the other job.',
    }),

  notTuned: (script: string) =>
    new CodedError({
      code: 'job/not-tuned',
      message: 'The script ended without a run.',
      location: { file: script },
      hint: 'Create an AgentJetJob in the script, set its workflow and data, and call its tune().',
    }),

  notWritten: (file: string, cause: unknown) =>
    new CodedError({
      code: 'job/not-written',
      message: `The config ${file} cannot be written: ${messageOf(cause)}.`,
      hint: 'Choose another file.',
      cause,
    }),
};
