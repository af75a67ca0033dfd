import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import { CodedError } from '../../../../base/core/errors.ts';
import type { Logger } from '../../../../base/core/ports.ts';
import {
  faultKinds,
  type FaultKind,
  type InjectedFault,
} from '../../../../tracking/core/records/episodeResult.ts';
import type { FaultChoice } from '../../protocol/run.ts';
import { cutCompletion } from '../chunks.ts';
import { collect, brokenOff } from '../stream.ts';
import { Random } from '../../../../base/core/random.ts';
import type {
  CallIdentity,
  ChatCompletion,
  ChatModel,
  ChatRequest,
  ModelFailure,
  ModelReply,
} from '../model.ts';
import { formatEpisode, type EpisodeNames } from '../recording/episodeNames.ts';
import type { FinishedCall } from '../call.ts';
import { omit } from '../../../../base/core/omit.ts';
import { parseJson } from '../../../../base/core/parseJson.ts';

export class FaultTally {
  readonly #faults = new Map<string, InjectedFault[]>();

  take(call: FinishedCall): void {
    const kind = injectedFault(call);
    if (kind === undefined) return;
    const known = this.#faults.get(call.episodeUuid) ?? [];
    this.#faults.set(call.episodeUuid, [...known, { call: call.call, agent: call.agentName, kind }]);
  }

  of(episodeUuid: string): readonly InjectedFault[] {
    return this.#faults.get(episodeUuid) ?? [];
  }
}

export interface FaultOptions extends FaultChoice {
  readonly names: EpisodeNames;
  readonly logger: Logger;
}

/** Wraps a model so that calls fail or answers are damaged at the given rate. Each such call is logged. */
export function withFaults(model: ChatModel, options: FaultOptions): ChatModel {
  const share = `${Math.round(options.rate * 1000) / 10} %`;
  return {
    description: `${model.description}, with faults injected into ${share} of calls (seed ${options.seed})`,
    respond: async (request, cancellation, call) => {
      const kind = drawFault(options, call);
      if (kind === undefined) return model.respond(request, cancellation, call);
      const reply = await inject(kind, model, request, cancellation, call);
      if (reply.isInjected) {
        const episode = formatEpisode(options.names.of(call.episode));
        const who = `LLM call ${call.call} of ${episode}, by agent "${call.agentName}"`;
        options.logger.log('warn', `Injected fault (${kind}) into ${who}: ${what[kind]}.`);
      }
      return reply.reply;
    },
  };
}

/** The same for the same seed, task, repeat and call, whatever else the run does. */
export function drawFault(
  { seed, rate, kinds, names }: Pick<FaultOptions, 'seed' | 'rate' | 'kinds' | 'names'>,
  { episode, call }: Pick<CallIdentity, 'episode' | 'call'>,
): FaultKind | undefined {
  const { task, repeat, twin, attempt } = names.of(episode);
  const random = new Random(`fault ${seed} ${repeat} ${twin} ${attempt} ${call} ${task}`);
  return random.chance(rate) ? random.pick(kinds) : undefined;
}

interface Injected {
  readonly reply: ModelReply;
  /** False where the answer had nothing to damage. */
  readonly isInjected: boolean;
}

const statuses = { timeout: 504, 'rate-limit': 429, 'server-error': 500, cut: 502 } as const;

async function inject(
  kind: FaultKind,
  model: ChatModel,
  request: ChatRequest,
  cancellation: CancellationToken,
  call: CallIdentity,
): Promise<Injected> {
  const isAltered = kind === 'tool-json' || kind === 'length' || kind === 'empty';
  if (!isAltered && (kind !== 'cut' || request.stream !== true)) {
    return { reply: { kind: 'error', ...failureOf(kind) }, isInjected: true };
  }
  const reply = await model.respond(request, cancellation, call);
  if (reply.kind === 'error') return { reply, isInjected: false };
  const completion = reply.kind === 'completion' ? reply.completion : await collect(reply.chunks);
  if (!isAltered) {
    const chunks = [...cutCompletion(completion, { includeUsage: false })];
    const received = chunks.slice(0, Math.ceil(chunks.length / 2));
    return { reply: { kind: 'stream', chunks: brokenOff(received, failureOf('cut')) }, isInjected: true };
  }
  const altered = alterations[kind](completion);
  const sent = altered === undefined ? completion : ({ ...altered, [markField]: kind } as ChatCompletion);
  return { reply: { kind: 'completion', completion: sent }, isInjected: altered !== undefined };
}

const alterations = { 'tool-json': breakToolCall, length: truncateReply, empty: emptyReply } as const;

const what: Readonly<Record<FaultKind, string>> = {
  timeout: 'the model did not respond in time',
  'rate-limit': 'too many requests, retry after 1 s',
  'server-error': 'the model server failed',
  'tool-json': 'the JSON of a tool call is malformed',
  length: 'the response is cut off, as at the token limit',
  cut: 'the connection was lost during the response',
  empty: 'the response is empty',
};

const codePrefix = 'faults/';

function failureOf(kind: keyof typeof statuses): ModelFailure {
  const message = `Injected fault (${kind}): ${what[kind]}.`;
  return {
    status: statuses[kind],
    error: { message, type: 'injected_fault', param: null, code: `injected_${kind.replace('-', '_')}` },
    ...(kind === 'rate-limit' && { headers: { 'retry-after': '1' } }),
    report: new CodedError({
      code: `${codePrefix}${kind}`,
      message,
      hint: 'The model did not fail. Handle the error in the workflow, or remove --faults (launch.json: faults).',
    }),
  };
}

/** Name of the field that says so in an answer that was damaged. */
const markField = 'agentjet_injected_fault';

/** Returns the fault injected into a finished call, replayed ones included. */
export function injectedFault(call: {
  readonly completion: ChatCompletion | undefined;
  readonly failure: ModelFailure | undefined;
}): FaultKind | undefined {
  const code = call.failure?.report?.code ?? '';
  const { [markField]: marked } = (call.completion ?? {}) as { [markField]?: unknown };
  return faultKinds.find((kind) => code === `${codePrefix}${kind}` || marked === kind);
}

type Choice = ChatCompletion['choices'][number];

/** Cuts the arguments of the first choice's last function call. Returns undefined if there is none. */
function breakToolCall(completion: ChatCompletion): ChatCompletion | undefined {
  return alterFirst(completion, (choice) => {
    const calls = choice.message.tool_calls ?? [];
    const at = calls.findLastIndex(({ type }) => type === 'function');
    const call = calls[at];
    if (call?.type !== 'function') return undefined;
    const broken = { ...call, function: { ...call.function, arguments: firstHalf(call.function.arguments) } };
    return { ...withoutTokens(choice), message: { ...choice.message, tool_calls: calls.with(at, broken) } };
  });
}

/** Keeps half of the first choice's tokens (or characters, without token data). The finish reason is `length`. */
function truncateReply(completion: ChatCompletion): ChatCompletion | undefined {
  return alterFirst(completion, (choice) => {
    const { tool_calls: calls = [], content } = choice.message;
    const plain = { ...withoutTokens(choice), finish_reason: 'length' } as const;
    // A parser finds no call in half of one.
    if (calls.length > 0) return { ...plain, message: omit(choice.message, 'tool_calls') };
    if (content === null || content.length < 2) return undefined;
    const entries = choice.logprobs?.content ?? [];
    if (entries.map(({ token }) => token).join('') !== content) {
      const half = content.slice(0, Math.ceil(content.length / 2));
      return { ...plain, message: { ...choice.message, content: half } };
    }
    const kept = entries.slice(0, Math.max(1, Math.floor(entries.length / 2)));
    const { token_ids: ids } = choice as { token_ids?: unknown };
    return {
      ...choice,
      ...(Array.isArray(ids) && { token_ids: ids.slice(0, kept.length) as unknown[] }),
      message: { ...choice.message, content: kept.map(({ token }) => token).join('') },
      logprobs: { ...choice.logprobs, content: kept, refusal: null },
      finish_reason: 'length',
    };
  });
}

function emptyReply(completion: ChatCompletion): ChatCompletion {
  const choices = completion.choices.map((choice): Choice => {
    const message = { role: 'assistant' as const, content: '', refusal: null };
    return { ...withoutTokens(choice), message, finish_reason: 'stop' };
  });
  return { ...completion, choices };
}

function alterFirst(
  completion: ChatCompletion,
  alter: (choice: Choice) => Choice | undefined,
): ChatCompletion | undefined {
  const [first, ...rest] = completion.choices;
  const altered = first && alter(first);
  return altered && { ...completion, choices: [altered, ...rest] };
}

/** Returns the first half of a JSON text, changed so that it is not valid JSON. */
function firstHalf(json: string): string {
  const half = json.slice(0, Math.max(1, Math.ceil(json.length / 2)));
  return parseJson(half) === undefined ? half : `${half},`;
}

/** The tokens belong to the original text. */
function withoutTokens(choice: Choice): Choice {
  return { ...omit(choice as Choice & { token_ids?: unknown }, 'token_ids'), logprobs: null };
}
