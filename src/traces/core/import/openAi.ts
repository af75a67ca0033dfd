/**
 * Imports logs of an OpenAI-compatible API as JSON: one request with its response per line, or a list of them.
 * Supported shapes:
 * - `{request, response}`, also `input`/`output` and `kwargs`/`completion`
 * - the batch API's `{custom_id, response: {body}}` with its request's `{custom_id, body}` as a separate record
 * - a request's fields with an additional `response`
 *
 * A log is one episode unless its records name conversations.
 */
import { isRecord } from '../../../base/core/isRecord.ts';
import { spelledTokenId } from '../../../tracking/core/replyTokens.ts';
import { chatMessage, chatMessages, numberOf, textOf } from './chat.ts';
import { eachValue } from './eachValue.ts';
import type { CallPart, EpisodePart, ImportedTokens, Importer, ImportSink } from './parts.ts';

type Fields = Readonly<Record<string, unknown>>;

export const openAiLog: Importer = {
  label: 'OpenAI request log',
  run: async (source, sink) => {
    const reader = new LogReader(source.name, sink);
    for await (const { where, value } of eachValue(source, ['', '*'], sink)) reader.take(where, value);
    reader.end();
  },
};

const requestNames = ['request', 'input', 'kwargs', 'body', 'req'];
const responseNames = ['response', 'output', 'completion', 'res', 'result'];
const conversationNames = ['conversation_id', 'session_id', 'episode_id', 'rollout_id', 'trace_id', 'user'];

export function isOpenAiRecord(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const isBatchResponse = 'custom_id' in value && isRecord(value['response']);
  return isBatchResponse || requestOf(value) !== undefined;
}

function requestOf(record: Fields): Fields | undefined {
  const places = [...requestNames.map((name) => record[name]), record];
  for (const place of places) {
    if (!isRecord(place)) continue;
    const inner = isRecord(place['body']) ? place['body'] : isRecord(place['json']) ? place['json'] : place;
    if (Array.isArray(inner['messages'])) return inner;
  }
  return undefined;
}

function responseOf(record: Fields): Fields | undefined {
  for (const name of responseNames) {
    const found = record[name];
    if (!isRecord(found)) continue;
    return isRecord(found['body']) ? found['body'] : found;
  }
  return Array.isArray(record['choices']) ? record : undefined;
}

class LogReader {
  readonly #name: string;
  readonly #sink: ImportSink;
  /** Requests of the batch API whose responses are separate records, by id. */
  readonly #waiting = new Map<string, { readonly where: string; readonly record: Fields }>();

  constructor(name: string, sink: ImportSink) {
    this.#name = name;
    this.#sink = sink;
  }

  take(where: string, value: unknown): void {
    if (!isRecord(value)) {
      this.#sink.skip(where, 'it is not a JSON object');
      return;
    }
    const id = textOf(value['custom_id']);
    const [request, response] = [requestOf(value), responseOf(value)];
    if (id === undefined || (request !== undefined && response !== undefined)) {
      this.#add(where, value, request, response);
      return;
    }
    const other = this.#waiting.get(id)?.record;
    this.#waiting.delete(id);
    if (other === undefined) this.#waiting.set(id, { where, record: value });
    else this.#add(where, { ...other, ...value }, request ?? requestOf(other), response ?? responseOf(other));
  }

  /** Adds requests without a response, which are calls, too. */
  end(): void {
    for (const { where, record } of this.#waiting.values()) {
      this.#add(where, record, requestOf(record), responseOf(record));
    }
  }

  #add(where: string, record: Fields, request: Fields | undefined, response: Fields | undefined): void {
    const messages = chatMessages(request?.['messages']);
    if (request === undefined || messages === undefined) {
      this.#sink.skip(where, 'it has no request with messages');
      return;
    }
    const conversation = conversationNames
      .map((name) => textOf(record[name]) ?? textOf(request[name]) ?? metadataOf(request, name))
      .find((id) => id !== undefined);
    this.#sink.add(conversation ?? this.#name, partsOf(record, { ...request, messages }, response));
  }
}

function metadataOf({ metadata }: Fields, name: string): string | undefined {
  return isRecord(metadata) ? textOf(metadata[name]) : undefined;
}

function partsOf(record: Fields, request: Fields, response: Fields | undefined): readonly EpisodePart[] {
  const choices = Array.isArray(response?.['choices']) ? (response['choices'] as unknown[]) : [];
  const choice = isRecord(choices[0]) ? choices[0] : {};
  const entries = entriesOf(choice);
  const call = callOf(record, request, response, choice);
  const tokens = tokensOf(choice, entries);
  if (call.reply === null || tokens === undefined) return [call];
  const texts = entries.flatMap(({ token }, place) => {
    const id = tokens.ids[place];
    const isText = typeof token === 'string' && spelledTokenId(token) === undefined;
    return isText && id !== undefined ? [{ id, text: token, special: token === '' }] : [];
  });
  return [
    { ...call, reply: { ...call.reply, tokens } },
    ...(texts.length > 0 ? [{ kind: 'tokens', tokens: texts } as const] : []),
  ];
}

function entriesOf({ logprobs }: Fields): readonly Fields[] {
  const content = isRecord(logprobs) ? logprobs['content'] : undefined;
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

/** Returns the ids of a reply from vLLM's `token_ids`, from tokens spelled `token_id:<n>`, or from llama.cpp's `id`. */
function tokensOf(choice: Fields, entries: readonly Fields[]): ImportedTokens | undefined {
  const listed = choice['token_ids'];
  const given = Array.isArray(listed)
    ? (listed as readonly unknown[])
    : entries.map(({ id, token }) => spelledTokenId(token) ?? id);
  if (given.length === 0 || !given.every((id): id is number => Number.isInteger(id))) return undefined;
  const logprobs = entries.map(({ logprob }) => numberOf(logprob) ?? null);
  return { ids: given, lossMask: null, logprobs: logprobs.length === given.length ? logprobs : null };
}

function callOf(record: Fields, request: Fields, response: Fields | undefined, choice: Fields): CallPart {
  const { messages, tools, model, ...options } = request;
  const failure = response?.['error'] ?? record['error'];
  const status = numberOf(record['status']) ?? numberOf(record['status_code']);
  return {
    kind: 'call',
    agent: textOf(record['agent']) ?? textOf(record['agent_name']) ?? null,
    ...timesOf(record, response),
    status: status ?? (failure === undefined || failure === null ? null : 500),
    error: failure === undefined || failure === null ? null : errorText(failure),
    model: textOf(response?.['model']) ?? textOf(model) ?? null,
    options: { ...(model !== undefined && { model }), ...plain(options) },
    tools: Array.isArray(tools) && tools.length > 0 ? JSON.stringify(tools) : null,
    finishReason: textOf(choice['finish_reason']) ?? null,
    messages: messages as CallPart['messages'],
    reply: chatMessage(choice['message']) ?? null,
    ...usageOf(response?.['usage']),
  };
}

function plain(options: Fields): Fields {
  const others = [...responseNames, 'choices', 'usage', 'custom_id', 'error', 'status'];
  return Object.fromEntries(Object.entries(options).filter(([name]) => !others.includes(name)));
}

export function usageOf(usage: unknown): Pick<CallPart, 'promptTokens' | 'replyTokens'> {
  const counts = isRecord(usage) ? usage : {};
  return {
    promptTokens: numberOf(counts['prompt_tokens']) ?? numberOf(counts['input_tokens']) ?? null,
    replyTokens: numberOf(counts['completion_tokens']) ?? numberOf(counts['output_tokens']) ?? null,
  };
}

/** Uses the API's `created`, in seconds, if the log has no time. */
function timesOf(record: Fields, response: Fields | undefined): Pick<CallPart, 'startedAt' | 'seconds'> {
  const names = ['started_at', 'start_time', 'timestamp', 'time', 'created_at', 'ts'];
  const startedAt = names.map((name) => moment(record[name])).find((time) => time !== undefined);
  const endedAt = moment(record['ended_at']) ?? moment(record['end_time']);
  const milliseconds = numberOf(record['latency_ms']) ?? numberOf(record['duration_ms']);
  const logged = numberOf(record['duration']) ?? numberOf(record['latency']) ?? numberOf(record['seconds']);
  const begun = startedAt ?? moment(response?.['created']) ?? null;
  const measured = begun === null || endedAt === undefined ? null : (endedAt - begun) / 1_000;
  return {
    startedAt: begun,
    seconds: milliseconds === undefined ? (logged ?? measured) : milliseconds / 1_000,
  };
}

/** Returns milliseconds since the Unix epoch, from a date or from a number of seconds or milliseconds. */
export function moment(value: unknown): number | undefined {
  if (typeof value === 'string' && value !== '') {
    const time = /^\d+(\.\d+)?$/.test(value) ? moment(Number(value)) : Date.parse(value);
    return time === undefined || Number.isNaN(time) ? undefined : time;
  }
  const number = numberOf(value);
  if (number === undefined || number <= 0) return undefined;
  return number < 1e11 ? number * 1_000 : number;
}

export function errorText(failure: unknown): string {
  if (typeof failure === 'string') return failure;
  const message = isRecord(failure) ? (failure['message'] ?? failure['detail']) : undefined;
  return typeof message === 'string' ? message : JSON.stringify(failure);
}
