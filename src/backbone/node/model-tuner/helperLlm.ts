import type { CodedError } from '../../../base/core/errors.ts';
import type { Clock, Logger } from '../../../base/core/ports.ts';
import { createHelperLlm, missingHelper, type HelperSource } from '../../core/helper-llm/createHelper.ts';
import { helperErrors } from '../../core/helper-llm/errors.ts';
import type { HelperLlm } from '../../core/helper-llm/helperLlm.ts';
import { splitKeys, type HelperKeys } from '../../core/helper-llm/keys.ts';
import type { ChatModel } from '../../core/model-tuner/model.ts';
import type { HelperChoice, ModelChoice } from '../../core/protocol/run.ts';
import { createEndpointModel } from './endpointModel.ts';
import type { RunRecordings } from '../recording/runRecordings.ts';
import { writeUrl } from './modelEndpointFailures.ts';

export interface HelperContext {
  readonly seed: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Opens the built-in model or a script's. */
  openLocal(choice: Extract<ModelChoice, { kind: 'embedded' | 'script' }>): ChatModel | Promise<ChatModel>;
  /** What servers are recorded on and replayed from; absent: neither. */
  readonly recordings?: Pick<RunRecordings, 'replays' | 'ofHelper'>;
  /** Told when the helper is first asked. */
  warn(problem: CodedError): void;
}

/** DashScope's OpenAI-compatible address, which upstream writes into its code. */
const dashScope = 'https://dashscope.aliyuncs.com/compatible-mode/v1';

/**
 * The helper that the user chose, else the one that upstream's environment names: the keys of `DASHSCOPE_API_KEY` and
 * `DASHSCOPE_API_KEY_BACKUP`, with `|` between them, at DashScope or at `DASHSCOPE_BASE_URL`; else one that tells
 * what to set when it is asked.
 */
export function openHelperLlm(choice: HelperChoice | undefined, context: HelperContext): HelperLlm {
  switch (choice?.kind) {
    case 'embedded':
    case 'script': {
      const description = choice.kind === 'embedded' ? 'built-in' : `script ${choice.file}`;
      const open = async (): Promise<ChatModel> => context.openLocal(choice);
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
    const absent = tapedServer('recorded', undefined, { primary: [], backup: [] }, context, () => {
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
  return tapedServer(description, model, keys, context, (named, apiKey) =>
    createEndpointModel({ baseUrl, model: named, apiKey, logger: context.logger, details: false }),
  );
}

function tapedServer(
  description: string,
  model: string | undefined,
  keys: HelperKeys,
  { recordings: tapes }: HelperContext,
  open: (named: string, apiKey: string | undefined) => ChatModel,
): HelperSource {
  const taped: typeof open = (named, apiKey) =>
    tapes?.ofHelper(description, () => open(named, apiKey)) ?? open(named, apiKey);
  return { kind: 'server', description, model, keys, open: taped };
}
