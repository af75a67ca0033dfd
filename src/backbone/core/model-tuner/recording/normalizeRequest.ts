import { hashText } from '../../../../base/core/random.ts';
import { canonicalJson } from '../../../../base/core/canonicalJson.ts';
import { redactField, redactSecrets } from '../../../../base/core/secrets/texts.ts';
import type { ChatRequest } from '../model.ts';
import { VolatileFolder, type VolatileScanner } from './volatile.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The parts of a request that determine its answer, with placeholders for volatile values. */
export interface NormalizedRequest {
  /** A 53-bit hash, equal for requests that differ only in volatile values. */
  readonly key: number;
  readonly messages: readonly unknown[];
  readonly tools: readonly unknown[];
  readonly options: Fields;
  /** The values of the numbered placeholders. */
  readonly values: readonly string[];
}

/** Options that affect only the transport, or differ between runs. The seed depends on the order of arrival. */
const transport: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'stream_options',
  'seed',
  'user',
  'metadata',
  'store',
  'safety_identifier',
  'prompt_cache_key',
  'logprobs',
  'top_logprobs',
  'return_token_ids',
]);

/** They come from the config: another value makes another sample, not another conversation. */
export const samplingOptions = [
  'temperature',
  'top_p',
  'max_tokens',
  'max_completion_tokens',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'top_k',
  'min_p',
] as const;

const unkeyed: ReadonlySet<string> = new Set([...transport, ...samplingOptions, 'messages', 'tools']);

/**
 * Returns the form of a request that is compared with others. Fields that only concern its transport are removed, and the
 * others have a fixed order. Null and absent are equal. Times, ids and ports of loopback become placeholders.
 */
export function normalizeRequest(request: ChatRequest, scanner: VolatileScanner): NormalizedRequest {
  const folder = new VolatileFolder(scanner);
  const messages = request.messages.map((message) => fold(message, folder));
  const tools = (request.tools ?? []).map((tool) => fold(tool, folder));
  const rest = Object.entries(request).filter(([name]) => !unkeyed.has(name));
  const options = fold(Object.fromEntries(rest), folder) as Fields;
  const key = hashText(canonicalJson({ messages, tools, options }));
  return { key, messages, tools, options, values: folder.values };
}

function fold(value: unknown, folder: VolatileFolder): unknown {
  if (typeof value === 'string') return folder.text(redactSecrets(value));
  if (Array.isArray(value)) return value.map((item) => fold(item, folder));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value)
    .filter(([, field]) => field !== null && field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  // A tool call's id is always volatile.
  const isToolCall = 'function' in value && 'id' in value;
  return Object.fromEntries(
    fields.map(([name, field]) => {
      const isId = name === 'tool_call_id' || (name === 'id' && isToolCall);
      if (typeof field !== 'string') return [name, fold(field, folder)];
      const text = redactField(name, field);
      return [name, isId ? folder.id(text) : folder.text(text)];
    }),
  );
}
