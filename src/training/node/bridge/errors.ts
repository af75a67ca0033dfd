import { CodedError, type Location } from '../../../base/core/errors.ts';

export const bridgeErrors = {
  noEndpoint: () =>
    new CodedError({
      code: 'bridge/no-endpoint',
      message: 'asOaiBaseUrlApiKey needs a server that this training run was not started with.',
      hint: 'Set ajet.enable_experimental_interchange_server to true in the config, or use asOpenAIClient.',
    }),

  notServed: (what: string) =>
    new CodedError({
      code: 'bridge/not-served',
      message: `Training does not serve ${what}.`,
      hint: 'Ask for chat completions that are not streamed.',
    }),

  noOutput: (name: string, value: unknown, location: Location | undefined) =>
    new CodedError({
      code: 'bridge/no-output',
      location,
      message: `execute of ${name} returned ${kindOf(value)}, not a WorkflowOutput.`,
      hint: 'Return an object such as {reward, isSuccess, metadata}.',
    }),

  badReward: (name: string, location: Location | undefined) =>
    new CodedError({
      code: 'bridge/bad-reward',
      location,
      message: `${name} gave a reward that is not a finite number.`,
      hint: 'Return one number; leave the reward of a workflow out to have the judge compute it.',
    }),

  cancelled: () => new CodedError({ code: 'bridge/cancelled', message: 'The episode was cancelled.' }),

  noReset: () =>
    new CodedError({
      code: 'bridge/no-reset',
      message: 'An episode has an environment of its own, which cannot be reset.',
    }),
};

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value;
}
