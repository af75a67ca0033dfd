import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import { CodedError } from '../../../../base/core/errors.ts';
import type { Logger } from '../../../../base/core/ports.ts';
import {
  faultKinds,
  type FaultKind,
  type InjectedFault,
} from '../../../../tracking/core/records/episodeResult.ts';
import type { FaultChoice } from '../../protocol/run.ts';
import { Assembler } from '../assemble.ts';
import { cutCompletion } from '../chunks.ts';
import { oneByOne } from '../stream.ts';
import { Random } from '../../../../base/core/random.ts';
import {
  ModelFailureError,
  type CallIdentity,
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChatModel,
  type ChatRequest,
  type ModelFailure,
  type ModelReply,
} from '../model.ts';
import { formatEpisode, type EpisodeNames } from '../recording/episodeNames.ts';
import { truncateReply, emptyReply, breakToolCall } from './alteredReply.ts';
import type { FinishedCall } from '../call.ts';

/** Counts the faults injected into the calls of each episode. */
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
      if (reply.isInjected) tell(kind, call, options);
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
  switch (kind) {
    case 'timeout':
    case 'rate-limit':
    case 'server-error':
      return { reply: { kind: 'error', ...failureOf(kind) }, isInjected: true };
    case 'cut': {
      if (request.stream !== true) return { reply: { kind: 'error', ...failureOf(kind) }, isInjected: true };
      const completion = await wholeReply(await model.respond(request, cancellation, call));
      if ('kind' in completion) return { reply: completion, isInjected: false };
      return { reply: { kind: 'stream', chunks: brokenOff(completion) }, isInjected: true };
    }
    case 'tool-json':
    case 'length':
    case 'empty': {
      const completion = await wholeReply(await model.respond(request, cancellation, call));
      if ('kind' in completion) return { reply: completion, isInjected: false };
      const altered = alterations[kind](completion);
      if (altered === undefined) return { reply: { kind: 'completion', completion }, isInjected: false };
      return { reply: { kind: 'completion', completion: mark(altered, kind) }, isInjected: true };
    }
  }
}

const alterations = { 'tool-json': breakToolCall, length: truncateReply, empty: emptyReply } as const;

/** The answer put together, or the error in its place. */
async function wholeReply(
  reply: ModelReply,
): Promise<ChatCompletion | Extract<ModelReply, { kind: 'error' }>> {
  if (reply.kind === 'error') return reply;
  if (reply.kind === 'completion') return reply.completion;
  const assembler = new Assembler();
  for await (const batch of reply.chunks) for (const chunk of batch) assembler.add(chunk);
  const completion = assembler.completion();
  if (completion === undefined) throw new Error('The stream was empty.');
  return completion;
}

async function* brokenOff(completion: ChatCompletion): AsyncGenerator<readonly ChatCompletionChunk[]> {
  const chunks = [...cutCompletion(completion, { includeUsage: false })];
  yield* oneByOne(chunks.slice(0, Math.ceil(chunks.length / 2)));
  await Promise.reject(new ModelFailureError(failureOf('cut')));
}

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

function mark(completion: ChatCompletion, kind: FaultKind): ChatCompletion {
  return { ...completion, [markField]: kind } as ChatCompletion;
}

/** Returns the fault injected into a finished call, replayed ones included. */
export function injectedFault(call: {
  readonly completion: ChatCompletion | undefined;
  readonly failure: ModelFailure | undefined;
}): FaultKind | undefined {
  const code = call.failure?.report?.code ?? '';
  const { [markField]: marked } = (call.completion ?? {}) as { [markField]?: unknown };
  return faultKinds.find((kind) => code === `${codePrefix}${kind}` || marked === kind);
}

function tell(kind: FaultKind, call: CallIdentity, { names, logger }: FaultOptions): void {
  const who = `LLM call ${call.call} of ${formatEpisode(names.of(call.episode))}, by agent "${call.agentName}"`;
  logger.log('warn', `Injected fault (${kind}) into ${who}: ${what[kind]}.`);
}
