import { CodedError } from '../../../base/core/errors.ts';
import type { Clock } from '../../../base/core/ports.ts';
import type { EpisodeResult, EpisodeTracking } from '../../../tracking/core/records/episodeResult.ts';
import type { CodeLocations, TracedRunEnd } from '../../../tracking/core/records/tracedRun.ts';
import type { TracedEpisode, TracedReturn, TraceWriter } from '../../../tracking/core/records/trace.ts';
import type { ModelText } from '../../../tracking/core/tokenizer.ts';
import type {
  ContextCheck,
  EpisodeTracker,
  TrackedCall,
  TrackedEpisode,
  TrackerOptions,
} from '../../../tracking/core/tracker.ts';
import type { Task, WorkflowOutput } from '../../../sdk/core/index.ts';
import type { FinishedCall } from '../model-tuner/call.ts';
import type { BegunCall } from '../model-tuner/contextGuard.ts';
import type { ModelTextSource } from './modelTextSource.ts';
import { NewTokens } from './newTokens.ts';
import { EpisodeSpans, type BegunSpan, type SpanEnd } from './spans.ts';
import { begunRequest, tracedCall, trackerReply, trackerRequest } from './tracedCall.ts';

export interface RecorderOptions {
  readonly text: ModelTextSource;
  readonly tracking: Omit<TrackerOptions, 'text'>;
  createTracker(options: TrackerOptions): EpisodeTracker;
  /** Undefined: the run is to leave no trace. */
  readonly openTrace: (() => TraceWriter) | undefined;
  readonly clock: Clock;
  warn(problem: CodedError): void;
  /** Of every reply that was tracked, with what the template adds around it. */
  onTokens?(episode: number, tokens: number): void;
}

type EpisodeProblem = EpisodeTracking['problems'][number];

/** An episode that runs. */
interface Recording {
  /** Calls that ended before the tokenizer was open, in that order. */
  readonly waiting: (FinishedCall | 'restart')[];
  tracker: EpisodeTracker | undefined;
  /** Number of the attempt's first call: the calls of an episode are numbered through all its attempts. */
  firstCall: number;
  readonly notes: Map<string, EpisodeProblem>;
  calls: number;
  /** Milliseconds since the Unix epoch. */
  stoppedAt: number | undefined;
  returned: TracedReturn | undefined;
  readonly spans: EpisodeSpans;
}

/**
 * The Context Tracker of a run: makes timelines of each episode's calls, in the order in which the calls end, and
 * keeps them in the trace as they come. It fails no call and no episode: where tracking or the trace fails, the run is
 * warned once and goes on without it.
 */
export class RunRecorder {
  /** The trace, absolute; null: it could not be written; undefined: there is to be none. */
  readonly trace: string | null | undefined;
  readonly #options: RecorderOptions;
  readonly #episodes = new Map<number, Recording>();
  readonly #newTokens = new NewTokens();
  #writer: TraceWriter | undefined;
  #opening: Promise<void> | undefined;
  #text: ModelText | undefined;
  #canTrack = true;
  #warnedOfOutput = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.trace = options.openTrace && this.#openTrace(options.openTrace);
  }

  /** Begins to open the tokenizer; calls that end before it is open wait for it. */
  open(): void {
    this.#opening ??= this.#open();
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
      spans: new EpisodeSpans(episode.episode, this.#options.clock, (span) =>
        this.#write((writer) => writer.span(span)),
      ),
    });
    this.#write((writer) => writer.episodeStarted(episode));
  }

  /** The attempt failed and there is another: its calls stay in the trace, but in no timeline. */
  episodeRestarted(episode: number): void {
    const recording = this.#episodes.get(episode);
    if (recording === undefined) return;
    recording.firstCall = recording.calls;
    if (this.#text === undefined && this.#canTrack) recording.waiting.push('restart');
    else recording.tracker?.restart();
  }

  /** Something that the episode does beside its calls. */
  spanBegins(episode: number, span: BegunSpan): SpanEnd {
    return this.#episodes.get(episode)?.spans.begin(span) ?? (() => undefined);
  }

  /** Something of an episode that is told with what its tracking finds; each code once. */
  note(episode: number, problem: EpisodeProblem): void {
    this.#episodes.get(episode)?.notes.set(problem.code, problem);
  }

  /** @param at milliseconds since the Unix epoch */
  episodesStopped(episodes: readonly number[], at: number): void {
    for (const episode of episodes) {
      const recording = this.#episodes.get(episode);
      if (recording !== undefined) recording.stoppedAt ??= at;
    }
  }

  /** Checks a call before the model is asked, as upstream does. Where nothing can be tracked, the model is asked. */
  async callBegins(begun: BegunCall): Promise<ContextCheck> {
    const recording = this.#episodes.get(begun.episode);
    if (recording === undefined) return safe;
    const { firstCall } = recording;
    recording.spans.callBegins(begun.call + firstCall, begun);
    this.open();
    await this.#opening;
    // Given up in the meantime, with its whole attempt.
    if (recording.firstCall !== firstCall) return safe;
    const request = begunRequest({ ...begun, call: begun.call + firstCall });
    const interrupted = isStopped(recording, begun);
    return this.#track((text) => this.#trackerOf(recording, text).begin({ ...request, interrupted })) ?? safe;
  }

  callEnded(finished: FinishedCall): void {
    const recording = this.#episodes.get(finished.episode);
    if (recording === undefined) return;
    const call = { ...finished, call: finished.call + recording.firstCall };
    recording.calls = Math.max(recording.calls, call.call + 1);
    recording.spans.callEnded(call.call);
    if (this.#text === undefined && this.#canTrack) recording.waiting.push(call);
    else this.#record(call, recording);
  }

  /** What the workflow returned, as it was before a judge saw it. What JSON cannot hold is not kept. */
  workflowReturned(episode: number, task: Task, output: WorkflowOutput): void {
    const recording = this.#episodes.get(episode);
    if (recording === undefined || this.#writer === undefined) return;
    try {
      recording.returned = { task: JSON.stringify(task), output: JSON.stringify(output) };
    } catch (error) {
      if (!this.#warnedOfOutput) this.#options.warn(notKept(error));
      this.#warnedOfOutput = true;
    }
  }

  /** Once the last call of the episode has ended. Resolves to the result with what training would make of it. */
  async episodeEnded(result: EpisodeResult): Promise<EpisodeResult> {
    const recording = this.#episodes.get(result.episode);
    if (recording === undefined) return result;
    this.open();
    await this.#opening;
    this.#episodes.delete(result.episode);
    recording.spans.close();
    const tracked = this.#track((text) => this.#trackerOf(recording, text).end());
    const problems = [...(tracked?.tracking.problems ?? []), ...recording.notes.values()];
    const complete =
      tracked === undefined ? result : { ...result, tracking: { ...tracked.tracking, problems } };
    this.#writeEnd(complete, tracked, recording.returned);
    return complete;
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
    for (const recording of this.#episodes.values()) {
      for (const one of recording.waiting.splice(0)) {
        if (one === 'restart') recording.tracker?.restart();
        else this.#record(one, recording);
      }
    }
  }

  #record(call: FinishedCall, recording: Recording): void {
    const interrupted = isStopped(recording, call);
    // What a debug model answered is in the trace, but of no timeline.
    const tracked =
      call.debugModel === null
        ? this.#track((text) =>
            this.#trackerOf(recording, text).track(
              { ...trackerRequest(call), interrupted },
              trackerReply(call),
            ),
          )
        : undefined;
    const reply = tracked?.added.find(({ position }) => position === tracked.reply);
    if (reply !== undefined) this.#options.onTokens?.(call.episode, reply.message.tokenIds.length);
    this.#writeCall(call, tracked);
  }

  #writeCall(call: FinishedCall, tracked: TrackedCall | undefined): void {
    this.#write((writer) => {
      const added = tracked?.added ?? [];
      const tokens = this.#text === undefined ? [] : this.#newTokens.of(added, this.#text.tokenizer);
      writer.callEnded(tracedCall(call, tracked), added, tokens);
    });
  }

  #writeEnd(
    result: EpisodeResult,
    tracked: TrackedEpisode | undefined,
    returned: TracedReturn | undefined,
  ): void {
    const timelines = tracked?.timelines ?? [];
    this.#write((writer) => writer.episodeEnded({ result, returned, timelines }, tracked?.added ?? []));
  }

  #trackerOf(recording: Recording, text: ModelText): EpisodeTracker {
    return (recording.tracker ??= this.#options.createTracker({ ...this.#options.tracking, text }));
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

/** Whether the episode had been told to stop when the call came. */
function isStopped({ stoppedAt }: Recording, { startedAt }: Pick<FinishedCall, 'startedAt'>): boolean {
  return stoppedAt !== undefined && startedAt >= stoppedAt;
}

function notTracked(cause: unknown): CodedError {
  return new CodedError(
    {
      code: 'context-tracker/failed',
      message: `The calls of this run are tracked no further: ${reasonOf(cause)}.`,
      hint: 'Rewards are not concerned; report this with the config and the workflow.',
    },
    { cause },
  );
}

function notKept(cause: unknown): CodedError {
  return new CodedError(
    {
      code: 'context-tracker/output-not-kept',
      message: `What the workflow returns is no JSON, so the trace cannot be judged again: ${reasonOf(cause)}.`,
      hint: 'Return plain data in metadata.',
    },
    { cause },
  );
}

function notTraced(cause: unknown): CodedError {
  return new CodedError(
    {
      code: 'context-tracker/no-trace',
      message: `The trace of this run goes no further: ${reasonOf(cause)}.`,
      hint: 'The run goes on without it; look at the disk and the permissions of the run folder.',
    },
    { cause },
  );
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
