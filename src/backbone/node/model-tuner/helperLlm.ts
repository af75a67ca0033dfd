import type { CodedError } from '../../../base/core/errors.ts';
import type { Clock, Logger } from '../../../base/core/ports.ts';
import {
  createHelperLlm,
  missingHelper,
  type HelperSource,
  splitKeys,
  type HelperKeys,
} from '../../core/helper-llm/createHelper.ts';
import { helperErrors, type HelperLlm } from '../../core/helper-llm/helperLlm.ts';
import type { CallBudget } from '../../core/model-tuner/callBudget.ts';
import type { ChatModel } from '../../core/model-tuner/model.ts';
import type { HelperChoice, ModelChoice } from '../../core/protocol/run.ts';
import { createEndpointModel } from './endpointModel.ts';
import type { RunRecordings } from '../recording/runRecordings.ts';
import { writeUrl } from '../../../base/core/httpTexts.ts';

export interface HelperContext {
  readonly seed: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly environment: Readonly<Record<string, string | undefined>>;
  openLocal(choice: Extract<ModelChoice, { kind: 'embedded' | 'script' }>): ChatModel | Promise<ChatModel>;
  /** The recordings for calls of servers; absent for none. */
  readonly recordings?: Pick<RunRecordings, 'replays' | 'wrapHelper'>;
  /** Counts the calls of its models. */
  readonly budget: Pick<CallBudget, 'around'>;
  /** Called on the first call of the helper. */
  warn(problem: CodedError): void;
}

/** DashScope's OpenAI-compatible address, which upstream hard-codes. */
const dashScope = 'https://dashscope.aliyuncs.com/compatible-mode/v1';

/**
 * Opens the helper that the user chose, otherwise the one of upstream's environment. That has the keys in
 * `DASHSCOPE_API_KEY` and `DASHSCOPE_API_KEY_BACKUP`, separated by `|`, and DashScope or `DASHSCOPE_BASE_URL` as
 * server. Without keys, its calls fail with an explanation.
 */
export function openHelperLlm(choice: HelperChoice | undefined, context: HelperContext): HelperLlm {
  switch (choice?.kind) {
    case 'embedded':
    case 'script': {
      const description = choice.kind === 'embedded' ? 'built-in' : `script ${choice.file}`;
      const open = async (): Promise<ChatModel> => context.budget.around(await context.openLocal(choice));
      return createHelperLlm({ kind: 'local', description, open }, context);
    }
    case 'endpoint': {
      const keys = { primary: splitKeys(choice.apiKey), backup: [] };
      return createHelperLlm(server(choice.baseUrl, choice.model, keys, context), context);
    }
    case undefined:
      return fromEnvironment(context);
  }
}

function fromEnvironment(context: HelperContext): HelperLlm {
  const { environment } = context;
  const primary = splitKeys(environment['DASHSCOPE_API_KEY']);
  const backup = splitKeys(environment['DASHSCOPE_API_KEY_BACKUP']);
  if (primary.length === 0) {
    if (context.recordings?.replays !== true) return missingHelper();
    const absent = recordedServer('recorded', undefined, { primary: [], backup: [] }, context, () => {
      throw helperErrors.notConfigured();
    });
    return createHelperLlm(absent, context);
  }
  const baseUrl = environment['DASHSCOPE_BASE_URL'] ?? '';
  const source = server(baseUrl === '' ? dashScope : baseUrl, undefined, { primary, backup }, context);
  const helper = createHelperLlm(source, context);
  if (backup.length > 0) return helper;
  let warned = false;
  return {
    ...helper,
    ask: (...question) => {
      if (!warned) context.warn(helperErrors.noBackupKey());
      warned = true;
      return helper.ask(...question);
    },
  };
}

function server(
  baseUrl: string,
  model: string | undefined,
  keys: HelperKeys,
  context: HelperContext,
): HelperSource {
  const description = `${model ?? "the config's model"} at ${writeUrl(baseUrl)}`;
  return recordedServer(description, model, keys, context, (named, apiKey) =>
    context.budget.around(
      createEndpointModel({ baseUrl, model: named, apiKey, logger: context.logger, details: false }),
    ),
  );
}

function recordedServer(
  description: string,
  model: string | undefined,
  keys: HelperKeys,
  { recordings }: HelperContext,
  open: (named: string, apiKey: string | undefined) => ChatModel,
): HelperSource {
  const recorded: typeof open = (named, apiKey) =>
    recordings?.wrapHelper(description, () => open(named, apiKey)) ?? open(named, apiKey);
  return { kind: 'server', description, model, keys, open: recorded };
}
