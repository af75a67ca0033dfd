import type { FinishedCall } from '../../core/model-tuner/call.ts';
import type { CallIdentity, ChatModel, ChatRequest, ModelReply } from '../../core/model-tuner/model.ts';
import { EpisodeNames, type EpisodeName } from '../../core/model-tuner/recording/episodeNames.ts';
import { readRecording } from '../../core/model-tuner/recording/readRecording.ts';
import { asTraced, recordingOfTrace } from '../../core/model-tuner/recording/traceRecording.ts';
import { createReplay, type Replay } from '../../core/model-tuner/recording/replayModel.ts';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError, toReport } from '../../../base/core/errors.ts';
import type { Logger } from '../../../base/core/ports.ts';
import type { RunEvent, RunRequest } from '../../core/protocol/run.ts';
import { systemClock } from '../../../base/node/clock.ts';
import { localFiles } from '../../../base/node/files.ts';
import type { RunRecording } from './runRecording.ts';
import { isTraceFile, readReplayed } from '../../../traces/node/replayedFile.ts';

function replayWhich(file: string): CodedError {
  return new CodedError({
    code: 'replay/which-episode',
    message: `Training wrote the episodes of ${file} without their requests: one can be run again at a time.`,
    hint: 'Name it with --episode (launch.json: episode).',
  });
}

/** The helper LLM's calls are of no episode; in a recording they stand under a name of their own. */
const helperTask = 'helper LLM';

export interface OpenReplay {
  readonly player: Replay;
  /** Whether calls of the helper LLM were recorded; not so before the recording had them, or where a script answered. */
  readonly hasHelper: boolean;
  /** Whether what debug models answered was recorded; a trace does not have it. */
  readonly hasDebugModels: boolean;
  /** Whether models are asked for what was not recorded. */
  readonly asksModels: boolean;
}

/** What a run's calls are recorded on and replayed from: those of its episodes, and those of its helper LLM. */
export class RunRecordings {
  readonly names = new EpisodeNames();
  /** Of the run, which decides what a trace has of its requests. */
  toolCallsDisabled = false;
  readonly #request: Pick<RunRequest, 'record' | 'replay'>;
  readonly #logger: Logger;
  readonly #emit: (event: RunEvent) => void;
  #replay: Promise<OpenReplay | undefined> | undefined;
  #recording: RunRecording | undefined;
  /** Tasks may be made by the helper before there is a recording. */
  #waiting: FinishedCall[] = [];

  constructor(
    request: Pick<RunRequest, 'record' | 'replay'>,
    logger: Logger,
    emit: (event: RunEvent) => void,
  ) {
    this.#request = request;
    this.#logger = logger;
    this.#emit = emit;
  }

  /** Undefined where nothing is to be replayed. Rejects with what is wrong with the recording, `recording/…`. */
  replay(): Promise<OpenReplay | undefined> {
    return (this.#replay ??= this.#openReplay());
  }

  /** What was recorded before and not made this time is told of, unless the run was given up. */
  episodeEnded(name: EpisodeName, { isCancelled }: CancellationToken): void {
    this.#recording?.episodeEnded(name);
    if (isCancelled) return;
    this.#replay?.then(
      (replay) => replay?.player.ended(name),
      () => undefined, // that there is none, the run has told
    );
  }

  get replays(): boolean {
    return this.#request.replay !== undefined;
  }

  /** What is recorded from here on, and was before, goes there; given back as it is. */
  recordOn(recording: RunRecording | undefined): RunRecording | undefined {
    this.#recording = recording;
    for (const call of this.#waiting.splice(0)) this.#record(call);
    return recording;
  }

  /**
   * A server's helper LLM, recorded where there is to be a recording, and a recording in its place where it has the
   * helper's calls. Only what was answered is kept, so that no pause between attempts is lived through again.
   *
   * @param open the server; may throw
   */
  ofHelper(description: string, open: () => ChatModel): ChatModel {
    let opened: ChatModel | undefined;
    const live = (): ChatModel => (opened ??= open());
    return {
      description,
      respond: async (request, cancellation, call) => {
        const replay = await this.replay();
        if (replay?.hasHelper !== true) return this.#asked(live(), request, cancellation, call);
        this.#begin(call);
        const model = replay.player.inPlaceOf(replay.asksModels ? live() : undefined);
        return this.#asked(model, request, cancellation, call);
      },
    };
  }

  async #asked(
    model: ChatModel,
    request: ChatRequest,
    cancellation: CancellationToken,
    call: CallIdentity,
  ): Promise<ModelReply> {
    const startedAt = systemClock.now();
    const begun = systemClock.monotonic();
    const reply = await model.respond(request, cancellation, call);
    if (reply.kind === 'completion' && this.#request.record !== undefined) {
      const { completion } = reply;
      const seconds = (systemClock.monotonic() - begun) / 1000;
      const about = { episodeUuid: '', debugModel: null, canned: null, failure: undefined };
      const times = { askedAfter: 0, firstAfter: null };
      this.#record({ ...call, ...about, ...times, request, startedAt, seconds, status: 200, completion });
    }
    return reply;
  }

  #record(call: FinishedCall): void {
    if (this.#recording === undefined) {
      this.#waiting.push(call);
      return;
    }
    this.#recording.take(this.#begin(call));
    // They share no history, so nothing is to be kept for the next.
    this.#recording.episodeEnded(this.names.of(call.episode));
  }

  /** Once, whoever asks first. */
  #begin<T extends CallIdentity>(call: T): T {
    if (!this.names.has(call.episode)) this.names.begin(call.episode, helperTask, 0);
    return call;
  }

  async #openReplay(): Promise<OpenReplay | undefined> {
    const { replay } = this.#request;
    if (replay === undefined) return undefined;
    const isTrace = isTraceFile(replay.file);
    const run = isTrace ? readReplayed(replay.file, replay.episode) : undefined;
    const isRollout = run?.isRollout === true;
    if (isRollout && replay.episode === undefined) throw replayWhich(replay.file);
    const recording = run
      ? recordingOfTrace(run, replay.file)
      : await readRecording(replay.file, localFiles, (problem) =>
          this.#emit({ type: 'problem', severity: 'warning', report: toReport(problem, problem.code) }),
        );
    const { names } = this;
    const compared = isTrace
      ? (request: ChatRequest) => asTraced(request, this.toolCallsDisabled)
      : undefined;
    const asked = { onMiss: replay.miss, names, clock: systemClock, logger: this.#logger };
    return {
      player: createReplay({ ...asked, recording, compared, isRollout }),
      hasDebugModels: !isTrace,
      hasHelper: recording.calls.some(
        ({ episode, targetTag }) => episode.task === helperTask && targetTag === 'helper',
      ),
      asksModels: replay.miss === 'call-model',
    };
  }
}
