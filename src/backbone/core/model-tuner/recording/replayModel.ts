import { omit } from '../../../../base/core/omit.ts';
import type { replayMisses } from '../../protocol/run.ts';
import { waitFor, type CancellationToken } from '../../../../base/core/cancellation.ts';
import type { Clock, Logger } from '../../../../base/core/ports.ts';
import { cutCompletion } from '../chunks.ts';
import { failures } from '../failures.ts';
import { brokenOff } from '../stream.ts';
import type {
  CallIdentity,
  ChatCompletion,
  ChatModel,
  ChatRequest,
  ModelFailure,
  ModelReply,
} from '../model.ts';
import { episodeKey, formatEpisode, type EpisodeName, type EpisodeNames } from './episodeNames.ts';
import type { RecordedCall, Recording } from './format.ts';
import {
  normalizeRequest,
  samplingOptions,
  type NormalizedRequest,
  VolatileScanner,
} from './normalizeRequest.ts';
import { sharedMessageLength, findDivergence, type Divergence } from './divergence.ts';
import { CodedError } from '../../../../base/core/errors.ts';

/** The reaction to a request that was not recorded: a failure, the agent's next recorded answer, or a call. */
export type OnMiss = (typeof replayMisses)[number];

export interface ReplayOptions {
  readonly recording: Recording;
  readonly onMiss: OnMiss;
  readonly names: EpisodeNames;
  /** Selects the parts of a request to compare, if the recording does not have all of them. Default: everything. */
  readonly compared?: ((request: ChatRequest) => ChatRequest) | undefined;
  /** True for an episode that training wrote. Its answers are given in their order, whatever the requests are. */
  readonly isRollout?: boolean | undefined;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly logger: Logger;
}

/** Replays a recording instead of calling the models of a run. */
export class Replay {
  readonly #options: ReplayOptions;
  readonly #calls = new Map<string, readonly RecordedCall[]>();
  readonly #episodes = new Map<string, EpisodeReplay>();
  readonly #scanner: VolatileScanner;
  /** Episodes and sampling options that were warned of. */
  readonly #reported = new Set<string>();

  constructor(options: ReplayOptions) {
    this.#options = options;
    const { header, calls } = options.recording;
    this.#scanner = new VolatileScanner([Date.parse(header.createdAt), options.clock.now()]);
    for (const call of calls) {
      const key = episodeKey(call.episode);
      this.#calls.set(key, [...(this.#calls.get(key) ?? []), call]);
    }
  }

  /**
   * Returns a model that answers at once from the recording. It finds calls of an episode by their requests, so parallel
   * calls may arrive in any order. Equal requests get their answers in the recorded order. A failed call fails again.
   *
   * @param model answers requests that were not recorded, with `call-model` only
   */
  inPlaceOf(model: ChatModel | undefined): ChatModel {
    const { file, header } = this.#options.recording;
    const name = file.split(/[\\/]/).at(-1) ?? file;
    // A rollout's log does not name its model.
    const whose = header.model === '' ? '' : ` of ${header.model}`;
    return {
      description: `recording ${name}${whose}${model ? `, else ${model.description}` : ''}`,
      respond: (...asked) => this.#respond(model, ...asked),
    };
  }

  async #respond(
    model: ChatModel | undefined,
    ...[request, cancellation, call]: Parameters<ChatModel['respond']>
  ): Promise<ModelReply> {
    const name = this.#options.names.of(call.episode);
    const episode = this.#episode(name);
    const { compared = (all: ChatRequest) => all, isRollout = false } = this.#options;
    const normal = normalizeRequest(compared(request), this.#scanner);
    const found = isRollout ? episode.open[0] : episode.find(normal, call);
    if (found !== undefined) {
      episode.spend(found);
      if (!isRollout) this.#compareSampling(found.recorded.request, request);
      return this.#answer(found, normal, cancellation);
    }
    const expected = episode.expected(normal, call);
    const miss = { episode: name, call, recorded: episode.recorded, divergence: expected?.divergence };
    const { onMiss } = this.#options;
    if (onMiss === 'call-model' && model !== undefined) {
      this.#report(miss, `${model.description} answers it`);
      return model.respond(request, cancellation, call);
    }
    if (onMiss === 'sequential' && expected !== undefined) {
      this.#report(miss, 'the recorded answers are used in their order');
      episode.spend(expected.open);
      return this.#answer(expected.open, normal, cancellation);
    }
    this.#report(miss, 'it fails');
    return { kind: 'error', ...missFailure(miss) };
  }

  /** Warns about recorded calls that the episode did not make. */
  ended(name: EpisodeName): void {
    const { open, recorded } = this.#episode(name);
    const [next] = open;
    // Where a call was not recorded, what comes after it is another conversation.
    if (next === undefined || this.#reported.has(episodeKey(name))) return;
    const what = `${open.length} of the ${recorded} recorded calls ${open.length === 1 ? 'was' : 'were'} not made`;
    const which = `LLM call ${next.recorded.call} by agent "${next.recorded.agentName}"`;
    this.#options.logger.log('warn', `In ${formatEpisode(name)}, ${what}. The first is ${which}.`);
  }

  #episode(name: EpisodeName): EpisodeReplay {
    const key = episodeKey(name);
    let episode = this.#episodes.get(key);
    if (episode === undefined) {
      const { isRollout = false, recording } = this.#options;
      episode = new EpisodeReplay(isRollout ? recording.calls : (this.#calls.get(key) ?? []), this.#scanner);
      this.#episodes.set(key, episode);
    }
    return episode;
  }

  async #answer(
    { recorded, request }: UnusedCall,
    current: NormalizedRequest,
    cancellation: CancellationToken,
  ): Promise<ModelReply> {
    const { failure } = recorded;
    if (recorded.status === failures.cancelled().status) {
      // Its workflow gave it up, as it most likely does again. If not, the call ends when it ended.
      await waitFor(recorded.seconds * 1000, this.#options.clock, cancellation);
      return { kind: 'error', ...failures.cancelled() };
    }
    if (recorded.completion === undefined) return { kind: 'error', ...(failure ?? failures.cancelled()) };
    const completion = adaptReply(recorded.completion, request.values, current.values);
    return failure === undefined
      ? { kind: 'completion', completion }
      : { kind: 'stream', chunks: brokenOff(cutCompletion(completion, { includeUsage: false }), failure) };
  }

  /** Once per episode. */
  #report(miss: ReplayMiss, consequence: string): void {
    const key = episodeKey(miss.episode);
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    const what = miss.recorded === 0 ? 'the recording has no calls of the episode' : describeMiss(miss);
    this.#options.logger.log(
      'warn',
      `${describeCall(miss)} was not recorded: ${what}. Result: ${consequence}.`,
    );
  }

  /** Once per option and run. */
  #compareSampling(recorded: ChatRequest, current: ChatRequest): void {
    for (const option of samplingOptions) {
      const [was, is] = [recorded[option as keyof ChatRequest], current[option as keyof ChatRequest]];
      if ((was ?? null) === (is ?? null) || this.#reported.has(option)) continue;
      this.#reported.add(option);
      this.#options.logger.log(
        'warn',
        `The recording was made with ${option} ${JSON.stringify(was ?? null)}, but this run uses ${JSON.stringify(is ?? null)}. The recorded answers are used unchanged.`,
      );
    }
  }
}

/** Shorter ones are too likely to be a part of something else. */
const shortestReplaced = 6;

/**
 * Returns a recorded answer with the ids and hosts of the current request in place of the recorded ones. A choice that this
 * changes loses its log probabilities and token ids, because they belong to the recorded text.
 *
 * @param recorded the values of the recorded request; `current` those of the current one, both in placeholder order
 */
function adaptReply(
  completion: ChatCompletion,
  recorded: readonly string[],
  current: readonly string[],
): ChatCompletion {
  const replacements = new Map(
    recorded
      .map((value, at): [string, string] => [value, current[at] ?? value])
      .filter(([from, to]) => from !== to && from.length >= shortestReplaced),
  );
  if (replacements.size === 0) return completion;
  const replace = replacer(replacements);
  const choices = completion.choices.map((choice) => {
    const message = mapTexts(choice.message, replace) as typeof choice.message;
    if (JSON.stringify(message) === JSON.stringify(choice.message)) return choice;
    return {
      ...omit(choice as typeof choice & { token_ids?: unknown }, 'token_ids'),
      message,
      logprobs: null,
    };
  });
  return { ...completion, choices };
}

/** One pass, the longest first, so that nothing is replaced twice. */
function replacer(replacements: ReadonlyMap<string, string>): (text: string) => string {
  const longestFirst = [...replacements.keys()].sort((a, b) => b.length - a.length);
  const any = new RegExp(
    longestFirst.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'),
    'g',
  );
  return (text) => text.replace(any, (found) => replacements.get(found) ?? found);
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, mapTexts(field, change)]));
}

interface UnusedCall {
  readonly recorded: RecordedCall;
  readonly request: NormalizedRequest;
}

/** The recorded calls of one episode. Each is replayed once. */
class EpisodeReplay {
  readonly recorded: number;
  readonly open: UnusedCall[];

  constructor(calls: readonly RecordedCall[], scanner: VolatileScanner) {
    this.recorded = calls.length;
    this.open = calls
      .toSorted((a, b) => a.call - b.call)
      .map((recorded) => ({ recorded, request: normalizeRequest(recorded.request, scanner) }));
  }

  /** Returns a call with the same request: the agent's own if there is one, else the first recorded. */
  find(request: NormalizedRequest, by: CallIdentity): UnusedCall | undefined {
    const equal = this.open.filter((open) => open.request.key === request.key);
    return equal.find(({ recorded }) => isBy(recorded, by)) ?? equal[0];
  }

  /** Returns the call that should have come instead, and how this one differs from it. */
  expected(
    request: NormalizedRequest,
    by: CallIdentity,
  ): { open: UnusedCall; divergence: Divergence } | undefined {
    const open = mostAlike(this.#turn(by), request);
    const divergence = open && findDivergence(open.request, request);
    return open && divergence && { open, divergence };
  }

  spend(open: UnusedCall): void {
    this.open.splice(this.open.indexOf(open), 1);
  }

  /** Returns the agent's next call, and the calls that ran in parallel to it. */
  #turn(by: CallIdentity): readonly UnusedCall[] {
    const own = this.open.filter(({ recorded }) => isBy(recorded, by));
    const candidates = own.length > 0 ? own : this.open;
    const next = candidates[0]?.recorded;
    if (next === undefined) return [];
    const endedAt = next.startedAt + next.seconds * 1000;
    return candidates.filter(({ recorded }) => recorded === next || recorded.startedAt < endedAt);
  }
}

function isBy(recorded: RecordedCall, { agentName, targetTag }: CallIdentity): boolean {
  return recorded.agentName === agentName && recorded.targetTag === targetTag;
}

/** Returns the most similar call, the first one if several are equally similar. */
function mostAlike(calls: readonly UnusedCall[], request: NormalizedRequest): UnusedCall | undefined {
  if (calls.length <= 1) return calls[0];
  const lengths = calls.map((open) => sharedMessageLength(open.request, request));
  return calls[lengths.indexOf(Math.max(...lengths))];
}

/** A request without an answer in the recording. */
interface ReplayMiss {
  readonly episode: EpisodeName;
  readonly call: CallIdentity;
  /** Number of recorded calls of the episode, of all agents. */
  readonly recorded: number;
  /** The difference from the expected call; undefined if there was none left. */
  readonly divergence: Divergence | undefined;
}

const goOn =
  'Undo the change of the request. Or use --on-replay-miss call-model (launch.json: onReplayMiss): the model answers from there on. With the value ' +
  'sequential, the agent gets its next recorded answer.';

/** Returns a failure that clients do not retry. The user sees it as `replay/…`. */
function missFailure(miss: ReplayMiss): ModelFailure {
  const report = missReport(miss);
  return {
    status: 422,
    error: {
      message: `${report.message} ${report.hint ?? ''}`.trim(),
      type: 'invalid_request_error',
      param: miss.divergence?.field ?? null,
      code: 'replay_diverged',
    },
    report,
  };
}

function missReport(miss: ReplayMiss): CodedError {
  if (miss.recorded > 0) return diverged(miss);
  return new CodedError({
    code: 'replay/no-episode',
    message: `The recording has no calls of ${formatEpisode(miss.episode)}.`,
    hint: 'Run the recorded tasks and repeats, or add --on-replay-miss call-model (launch.json: onReplayMiss).',
  });
}

function diverged(miss: ReplayMiss): CodedError {
  return new CodedError({
    code: 'replay/diverged',
    message: `${describeCall(miss)} differs from the recording: ${describeMiss(miss)}.`,
    hint: goOn,
  });
}

function describeCall({ call, episode }: Pick<ReplayMiss, 'call' | 'episode'>): string {
  return `LLM call ${call.call} of ${formatEpisode(episode)}, by agent "${call.agentName}",`;
}

/** e.g. `message 3 differs in messages[3].content: expected "a", got "b"`. */
function describeMiss({ divergence, recorded }: Pick<ReplayMiss, 'divergence' | 'recorded'>): string {
  if (divergence === undefined) return `all ${recorded} recorded calls of the episode have been used`;
  const { message, field, expected, got } = divergence;
  const where = message === undefined ? field : `message ${message} differs in ${field}`;
  return `${where}: expected ${expected}, got ${got}`;
}
