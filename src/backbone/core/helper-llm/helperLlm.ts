import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError } from '../../../base/core/errors.ts';
import type { ModelFailure } from '../model-tuner/model.ts';

export interface HelperMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export function instructed(system: string, user: string): readonly HelperMessage[] {
  return [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ];
}

export interface HelperOptions {
  /** The model that the config names; one that the user chose for the helper wins over it. */
  readonly model?: string | undefined;
  /** `max_completion_tokens`. */
  readonly maxTokens?: number | undefined;
  /** Laid over `n` 1, `max_completion_tokens` and `temperature` 0, as upstream does. */
  readonly sampling?: Readonly<Record<string, unknown>> | undefined;
  /** JSON Schema of the answer. Only a model of this run's own is held to it: not every server takes a schema. */
  readonly answer?: Readonly<Record<string, unknown>> | undefined;
}

/** The large model of judges, graders and data generation (upstream's external LLM). Its calls are not tracked. */
export interface HelperLlm {
  /** e.g. `qwen-plus at https://…`. */
  readonly description: string;
  /** A model of this run's own answers, as none would in training. */
  readonly isStandIn?: boolean;
  /** The text of its reply. Rejects with a CodedError `helper-llm/…` once its attempts are used up. */
  ask(
    messages: readonly HelperMessage[],
    cancellation: CancellationToken,
    options?: HelperOptions,
  ): Promise<string>;
}

const ways =
  'Set DASHSCOPE_API_KEY and DASHSCOPE_API_KEY_BACKUP (training needs both). Or select a server with ' +
  '--helper-base-url URL (launch.json: helper.baseUrl), a script with --helper-script FILE (launch.json: helper.script), or ' +
  'the built-in model with --helper embedded (launch.json: helper.kind).';

export const helperErrors = {
  notConfigured: () =>
    new CodedError({
      code: 'helper-llm/not-configured',
      message: 'No helper LLM is configured.',
      hint: ways,
    }),

  noModel: (where: string) =>
    new CodedError({
      code: 'helper-llm/no-model',
      message: `The helper LLM at ${where} has no model name.`,
      hint: 'Set one with --helper-model (launch.json: helper.model).',
    }),

  noAnswer: (description: string, attempts: number, failure: ModelFailure) =>
    new CodedError({
      code: 'helper-llm/no-answer',
      message: `The helper LLM (${description}) did not respond ${
        attempts === 1 ? 'to a call' : `in ${attempts} attempts`
      }: ${failure.report?.message ?? failure.error.message}`,
      ...(failure.report?.location && { location: failure.report.location }),
      hint: 'Check --helper-base-url (launch.json: helper.baseUrl) and --helper-model (launch.json: helper.model), the API keys in the environment, and the network.',
    }),

  cancelled: () =>
    new CodedError({ code: 'helper-llm/cancelled', message: 'The call of the helper LLM was canceled.' }),

  noBackupKey: () =>
    new CodedError({
      code: 'helper-llm/no-backup-key',
      message:
        'DASHSCOPE_API_KEY_BACKUP is not set. Training calls the helper LLM only if both keys are set.',
      hint: 'Set DASHSCOPE_API_KEY_BACKUP before training. It may contain the same keys, separated by |.',
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
