import { CodedError, type Location } from '../../../base/core/errors.ts';

export const tuneErrors = {
  notCalled: (location: Location): CodedError =>
    new CodedError({
      code: 'tune/not-called',
      message: 'The script has ended without a call of tune(…), so nothing was run.',
      location,
      hint: 'Call tune(workflow_func=…, train_dataset=…) of agentscope.tuner in it, or tune() of an AgentJetJob, or under if __name__ == "__main__".',
    }),

  calledTwice: (location: Location): CodedError =>
    new CodedError({
      code: 'tune/called-twice',
      message: 'The script calls tune(…) a second time: here it runs one training.',
      location,
      hint: 'Debug the other from a script of its own.',
    }),

  noDataSet: (location: Location): CodedError =>
    new CodedError({
      code: 'tune/no-data-set',
      message: 'tune(…) is given no data set: neither train_dataset nor a taskset in its config.',
      location,
      hint: 'Give one: train_dataset=DatasetConfig(path="data", split="train").',
    }),

  noConfig: (file: string, location: Location): CodedError =>
    new CodedError({
      code: 'tune/no-config',
      message: `The config ${file} that tune(…) names cannot be read.`,
      location,
      hint: 'Correct config_path; it is relative to the working directory.',
    }),

  badConfig: (why: string, location: Location): CodedError =>
    new CodedError({
      code: 'tune/bad-config',
      message: why,
      location,
      hint: 'Correct it: agentjet check FILE tells all that is wrong with it.',
    }),

  cancelled: (): CodedError => new CodedError({ code: 'tune/cancelled', message: 'The run was cancelled.' }),
};
