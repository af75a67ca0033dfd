import { CodedError, messageOf } from '../../../base/core/errors.ts';
import type { Clock } from '../../../base/core/ports.ts';
import type { EpisodeResult, EpisodeTracking } from '../../../tracking/core/records/episodeResult.ts';
import type { CodeLocations, TracedRunEnd } from '../../../tracking/core/records/tracedRun.ts';
import type {
  PrintedOutput,
  TracedEpisode,
  TracedReturn,
  TraceWriter,
  TracedToken,
  TracedTraining,
} from '../../../tracking/core/records/trace.ts';
import type { TrainingSample } from '../../../tracking/core/samples.ts';
import type { ModelText, Tokenizer } from '../../../tracking/core/tokenizer.ts';
import type {
  ContextCheck,
  EpisodeTracker,
  TrackerOptions,
  AddedMessage,
} from '../../../tracking/core/tracker.ts';
import type { Task, WorkflowOutput } from '../../../sdk/core/index.ts';
import type { FinishedCall, PendingCall } from '../model-tuner/call.ts';
import type { ModelTextSource } from './modelTextSource.ts';
import { EpisodeSpans, type SpanStart, type SpanEnd } from './spans.ts';
import { begunRequest, tracedCall, trackerReply, trackerRequest } from './tracedCall.ts';

export interface RunTrackerOptions {
  readonly text: ModelTextSource;
  readonly tracking: Omit<TrackerOptions, 'text'>;
  createTracker(options: TrackerOptions): EpisodeTracker;
  /** Opens the trace; undefined for a run without one. */
  readonly openTrace: (() => TraceWriter) | undefined;
  readonly clock: Clock;
  warn(problem: CodedError): void;
  /** Called for each tracked reply. `tokens` includes the tokens that the chat template adds. */
  onTokens?(episode: number, tokens: number): void;
  /** Called with the training samples of an episode that ended, one per timeline. */
  readonly onSamples?: ((result: EpisodeResult, samples: readonly TrainingSample[]) => void) | undefined;
}

type EpisodeProblem = EpisodeTracking['problems'][number];

interface EpisodeState {
  /** Calls that ended before the tokenizer was open, in order. */
  readonly waiting: (FinishedCall | 'restart')[];
  tracker: EpisodeTracker | undefined;
  /** Number of the attempt's first call: the calls of an episode are numbered through all its attempts. */
  firstCall: number;
  readonly notes: Map<string, EpisodeProblem>;
  calls: number;
  /** Milliseconds since the Unix epoch. */
  stoppedAt: number | undefined;
  returned: TracedReturn | undefined;
  printed: PrintedOutput | undefined;
  readonly spans: EpisodeSpans;
}

/** The Context Tracker of a run. If tracking or the trace fails, the run gets one warning and continues without it. */
export class RunTracker {
  /** Absolute path of the trace; null if it could not be written, undefined for a run without one. */
  readonly trace: string | null | undefined;
  readonly #options: RunTrackerOptions;
  readonly #episodes = new Map<number, EpisodeState>();
  readonly #knownTokens = new Set<number>();
  #writer: TraceWriter | undefined;
  #opening: Promise<void> | undefined;
  #text: ModelText | undefined;
  #canTrack = true;
  #warnedOfOutput = false;

  constructor(options: RunTrackerOptions) {
    this.#options = options;
    this.trace = options.openTrace && this.#openTrace(options.openTrace);
  }

  /** Opens the tokenizer. Calls that end before it is open wait for it. */
  open(): Promise<void> {
    return (this.#opening ??= this.#open());
  }

  episodeStarted(episode: TracedEpisode): void {
    this.#episodes.set(episode.episode, {
      waiting: [],
      tracker: undefined,
      firstCall: 0,
      notes: new Map(),
      calls: 0,
      stoppedAt: undefined,
      returned: undefined,
      printed: undefined,
      spans: new EpisodeSpans(episode.episode, this.#options.clock, (span) =>
        this.#write((writer) => writer.span(span)),
      ),
    });
    this.#write((writer) => writer.episodeStarted(episode));
  }

  /** Starts another attempt. The calls of the failed one stay in the trace, but in no timeline. */
  episodeRestarted(episode: number): void {
    const state = this.#episodes.get(episode);
    if (state === undefined) return;
    state.firstCall = state.calls;
    if (this.#text === undefined && this.#canTrack) state.waiting.push('restart');
    else state.tracker?.restart();
  }

  spanBegins(episode: number, span: SpanStart): SpanEnd {
    return this.#episodes.get(episode)?.spans.begin(span) ?? (() => undefined);
  }

  /** Adds a problem to the tracking result of an episode, once per code. */
  note(episode: number, problem: EpisodeProblem): void {
    this.#episodes.get(episode)?.notes.set(problem.code, problem);
  }

  /** @param at milliseconds since the Unix epoch */
  episodesStopped(episodes: readonly number[], at: number): void {
    for (const episode of episodes) {
      const state = this.#episodes.get(episode);
      if (state !== undefined) state.stoppedAt ??= at;
    }
  }

  /** Checks a call before it reaches the model, as upstream does. Without tracking every call is safe. */
  async callBegins(begun: PendingCall): Promise<ContextCheck> {
    const state = this.#episodes.get(begun.episode);
    if (state === undefined) return safe;
    const { firstCall } = state;
    state.spans.callBegins(begun.call + firstCall, begun);
    await this.open();
    // The attempt was abandoned in the meantime.
    if (state.firstCall !== firstCall) return safe;
    const request = begunRequest({ ...begun, call: begun.call + firstCall });
    const interrupted = isStopped(state, begun);
    return this.#track((text) => this.#trackerOf(state, text).begin({ ...request, interrupted })) ?? safe;
  }

  callEnded(finished: FinishedCall): void {
    const state = this.#episodes.get(finished.episode);
    if (state === undefined) return;
    const call = { ...finished, call: finished.call + state.firstCall };
    state.calls = Math.max(state.calls, call.call + 1);
    state.spans.callEnded(call.call);
    if (this.#text === undefined && this.#canTrack) state.waiting.push(call);
    else this.#record(call, state);
  }

  /** Keeps what the workflow returned, before a judge can change it. Values that are not JSON are dropped. */
  workflowReturned(episode: number, task: Task, output: WorkflowOutput): void {
    const state = this.#episodes.get(episode);
    if (state === undefined || this.#writer === undefined) return;
    try {
      state.returned = { task: JSON.stringify(task), output: JSON.stringify(output) };
    } catch (error) {
      if (!this.#warnedOfOutput) this.#options.warn(notKept(error));
      this.#warnedOfOutput = true;
    }
  }

  /** Keeps what the code of an episode printed. That of the last attempt wins. */
  printed(episode: number, output: PrintedOutput): void {
    const state = this.#episodes.get(episode);
    if (state !== undefined) state.printed = output;
  }

  /** Resolves to the result with the samples that training would get. Call it after the last LLM call has ended. */
  async episodeEnded(result: EpisodeResult): Promise<EpisodeResult> {
    const state = this.#episodes.get(result.episode);
    if (state === undefined) return result;
    await this.open();
    this.#episodes.delete(result.episode);
    state.spans.close();
    const tracked = this.#track((text) => this.#trackerOf(state, text).end());
    const problems = [...(tracked?.tracking.problems ?? []), ...state.notes.values()];
    const complete =
      tracked === undefined ? result : { ...result, tracking: { ...tracked.tracking, problems } };
    const { timelines = [], added = [], samples = [] } = tracked ?? {};
    this.#options.onSamples?.(complete, samples);
    const end = { result: complete, returned: state.returned, printed: state.printed, timelines };
    this.#write((writer) => writer.episodeEnded(end, added));
    return complete;
  }

  trained(timelines: readonly TracedTraining[]): void {
    this.#write((writer) => writer.trained(timelines));
  }

  codeFound(places: CodeLocations): void {
    this.#write((writer) => writer.codeFound(places));
  }

  runEnded(end: TracedRunEnd): void {
    this.#write((writer) => writer.runEnded(end));
  }

  async #open(): Promise<void> {
    try {
      this.#text = await this.#options.text.open();
    } catch (error) {
      this.#stopTracking(error);
    }
    for (const state of this.#episodes.values()) {
      for (const one of state.waiting.splice(0)) {
        if (one === 'restart') state.tracker?.restart();
        else this.#record(one, state);
      }
    }
  }

  #record(call: FinishedCall, state: EpisodeState): void {
    const interrupted = isStopped(state, call);
    // Replies of debug models are in the trace, but in no timeline.
    const tracked =
      call.debugModel === null
        ? this.#track((text) =>
            this.#trackerOf(state, text).track({ ...trackerRequest(call), interrupted }, trackerReply(call)),
          )
        : undefined;
    const reply = tracked?.added.find(({ position }) => position === tracked.reply);
    if (reply !== undefined) this.#options.onTokens?.(call.episode, reply.message.tokenIds.length);
    this.#write((writer) => {
      const added = tracked?.added ?? [];
      const tokens = this.#text === undefined ? [] : this.#newTokens(added, this.#text.tokenizer);
      writer.callEnded(tracedCall(call, tracked), added, tokens);
    });
  }

  /** Returns the tokens that are new to the run: the trace keeps the text of each token once. */
  #newTokens(added: readonly AddedMessage[], tokenizer: Tokenizer): TracedToken[] {
    const found: TracedToken[] = [];
    for (const { message } of added) {
      for (const id of [...message.tokenIds, ...(message.alternatives?.ids ?? [])]) {
        if (id < 0 || this.#knownTokens.has(id)) continue;
        this.#knownTokens.add(id);
        found.push({ id, bytes: tokenizer.bytesOf(id), special: tokenizer.isSpecial(id) });
      }
    }
    return found;
  }

  #trackerOf(state: EpisodeState, text: ModelText): EpisodeTracker {
    return (state.tracker ??= this.#options.createTracker({ ...this.#options.tracking, text }));
  }

  #track<T>(work: (text: ModelText) => T): T | undefined {
    if (this.#text === undefined || !this.#canTrack) return undefined;
    try {
      return work(this.#text);
    } catch (error) {
      this.#stopTracking(error);
      return undefined;
    }
  }

  #openTrace(open: () => TraceWriter): string | null {
    try {
      this.#writer = open();
      return this.#writer.file;
    } catch (error) {
      this.#stopTracing(error);
      return null;
    }
  }

  #stopTracking(error: unknown): void {
    this.#canTrack = false;
    this.#options.warn(error instanceof CodedError ? error : notTracked(error));
  }

  #write(work: (writer: TraceWriter) => void): void {
    if (this.#writer === undefined) return;
    try {
      work(this.#writer);
    } catch (error) {
      this.#stopTracing(error);
    }
  }

  #stopTracing(error: unknown): void {
    this.#writer = undefined;
    this.#options.warn(error instanceof CodedError ? error : notTraced(error));
  }
}

const safe: ContextCheck = { unsafe: null, overflows: false };

function isStopped({ stoppedAt }: EpisodeState, { startedAt }: Pick<FinishedCall, 'startedAt'>): boolean {
  return stoppedAt !== undefined && startedAt >= stoppedAt;
}

function notTracked(cause: unknown): CodedError {
  return new CodedError({
    code: 'context-tracker/failed',
    message: `Tracking of this run stopped: ${messageOf(cause)}.`,
    hint: 'Rewards are not affected. Report this as a bug, with the config and the workflow.',
    cause,
  });
}

function notKept(cause: unknown): CodedError {
  return new CodedError({
    code: 'context-tracker/output-not-kept',
    message: `The trace cannot be judged again, because the output of the workflow is not JSON: ${messageOf(cause)}.`,
    hint: 'Return only plain data in metadata.',
    cause,
  });
}

function notTraced(cause: unknown): CodedError {
  return new CodedError({
    code: 'context-tracker/no-trace',
    message: `Writing the trace of this run stopped: ${messageOf(cause)}.`,
    hint: 'The run continues without a trace. Check the free disk space and the permissions of the run folder.',
    cause,
  });
}
