import { CodedError } from '../../../base/core/errors.ts';
import type { ModelFailure } from '../model-tuner/model.ts';

const ways =
  'Set DASHSCOPE_API_KEY (and DASHSCOPE_API_KEY_BACKUP, which training wants too), or name a server with ' +
  '--helper-base-url, --helper-model and --helper-api-key-env, or a script with --helper-script FILE, or ' +
  '--helper embedded (launch.json: helper).';

export const helperErrors = {
  notConfigured: () =>
    new CodedError({
      code: 'helper-llm/not-configured',
      message: 'This needs the helper LLM, and none is configured.',
      hint: ways,
    }),

  noModel: (where: string) =>
    new CodedError({
      code: 'helper-llm/no-model',
      message: `No model is named for the helper LLM at ${where}.`,
      hint: 'Name one with --helper-model (launch.json: helper.model).',
    }),

  noAnswer: (description: string, attempts: number, failure: ModelFailure) =>
    new CodedError({
      code: 'helper-llm/no-answer',
      message: `The helper LLM (${description}) gave no answer ${
        attempts === 1 ? 'when asked' : `in ${attempts} attempts`
      }: ${failure.report?.message ?? failure.error.message}`,
      ...(failure.report?.location && { location: failure.report.location }),
      hint: 'Check what --helper… (launch.json: helper) names, the keys in the environment, and the network.',
    }),

  cancelled: () =>
    new CodedError({ code: 'helper-llm/cancelled', message: 'The helper LLM was no longer waited for.' }),

  noBackupKey: () =>
    new CodedError({
      code: 'helper-llm/no-backup-key',
      message: 'DASHSCOPE_API_KEY_BACKUP is not set; training asks the helper LLM only when both are.',
      hint: 'Set DASHSCOPE_API_KEY_BACKUP before training; it may hold the same keys, with | between them.',
    }),
};

/** Returns whether similar requests would fail in the same way. */
export function isPermanent(error: unknown): boolean {
  return error instanceof CodedError && hopeless.has(error.code);
}

const hopeless: ReadonlySet<string> = new Set([
  'helper-llm/not-configured',
  'helper-llm/no-model',
  'helper-llm/cancelled',
  'model/bad-endpoint-url',
  'model/script-not-found',
  'model/script-not-loaded',
  'model/script-no-function',
  'model/script-bad-json',
]);
