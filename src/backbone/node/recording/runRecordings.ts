import { recordingFormat } from '../../../base/core/recordingFormat.ts';
import path from 'node:path';
import type { FinishedCall } from '../../core/model-tuner/call.ts';
import type { CallIdentity, ChatModel, ChatRequest, ModelReply } from '../../core/model-tuner/model.ts';
import { EpisodeNames, type EpisodeName } from '../../core/model-tuner/recording/episodeNames.ts';
import { readRecording, partialName } from '../../core/model-tuner/recording/readRecording.ts';
import { traceRequest, recordingOfTrace } from '../../core/model-tuner/recording/traceRecording.ts';
import { Replay } from '../../core/model-tuner/recording/replayModel.ts';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError, hasCode } from '../../../base/core/errors.ts';
import type { Logger } from '../../../base/core/ports.ts';
import { type RunEvent, type RunRequest, warningEvent } from '../../core/protocol/run.ts';
import { systemClock } from '../../../base/node/clock.ts';
import { localFiles } from '../../../base/node/files.ts';
import { isTraceFile, readReplayed } from '../../../traces/node/replayedFile.ts';
import { counted } from '../client/runReport.ts';
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { RecordingWriter } from '../../core/model-tuner/recording/recordingWriter.ts';
import { recordingErrors, recordingVersion } from '../../core/model-tuner/recording/format.ts';
import { makeParents } from '../runFolder.ts';

function replayWhich(file: string): CodedError {
  return new CodedError({
    code: 'replay/which-episode',
    message: `${file} is a trace of training without requests, so only one episode can be replayed at a time.`,
    hint: 'Select the episode with --episode (launch.json: episode).',
  });
}

/** The task name of the helper LLM's calls, which belong to no episode. */
const helperTask = 'helper LLM';

export interface OpenReplay {
  readonly player: Replay;
  /** True if calls of the helper LLM were recorded. Old recordings and runs with a script as helper have none. */
  readonly hasHelper: boolean;
  /** True if calls of debug models were recorded. A trace does not have them. */
  readonly hasDebugModels: boolean;
  /** True if models answer calls that were not recorded. */
  readonly asksModels: boolean;
}

/** The recordings of a run: the one that it writes, and the one that it replays, for episodes and the helper LLM. */
export class RunRecordings {
  readonly names = new EpisodeNames();
  /** The setting of the run, which affects how a trace stores requests. */
  toolCallsDisabled = false;
  readonly #request: Pick<RunRequest, 'record' | 'replay'>;
  readonly #logger: Logger;
  readonly #emit: (event: RunEvent) => void;
  #replay: Promise<OpenReplay | undefined> | undefined;
  #recording: RunRecording | undefined;
  /** Calls that the helper made before the recording was open. */
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

  /** Returns the replay, or undefined if there is none. Rejects with `recording/…` if the recording is invalid. */
  replay(): Promise<OpenReplay | undefined> {
    return (this.#replay ??= this.#openReplay());
  }

  /** Reports recorded calls that the episode did not make, unless the run was canceled. */
  episodeEnded(name: EpisodeName, { isCancelled }: CancellationToken): void {
    this.#recording?.episodeEnded(name);
    if (isCancelled) return;
    this.#replay?.then(
      (replay) => replay?.player.ended(name),
      () => undefined, // the run has reported the error
    );
  }

  get replays(): boolean {
    return this.#request.replay !== undefined;
  }

  /** Sets the recording, adds the waiting calls, and returns it. */
  recordTo(recording: RunRecording | undefined): RunRecording | undefined {
    this.#recording = recording;
    for (const call of this.#waiting.splice(0)) this.#record(call);
    return recording;
  }

  /** Records and replays the calls of a server. Only answered calls are kept, so that a replay does not pause. */
  wrapHelper(description: string, open: () => ChatModel): ChatModel {
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
    // The calls share no history, so nothing must be kept for the next one.
    this.#recording.episodeEnded(this.names.of(call.episode));
  }

  /** Registers the episode of a call, once. */
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
      : await readRecording(replay.file, localFiles, (problem) => this.#emit(warningEvent(problem)));
    const { names } = this;
    const compared = isTrace
      ? (request: ChatRequest) => traceRequest(request, this.toolCallsDisabled)
      : undefined;
    const asked = { onMiss: replay.miss, names, clock: systemClock, logger: this.#logger };
    return {
      player: new Replay({ ...asked, recording, compared, isRollout }),
      hasDebugModels: !isTrace,
      hasHelper: recording.calls.some(
        ({ episode, targetTag }) => episode.task === helperTask && targetTag === 'helper',
      ),
      asksModels: replay.miss === 'call-model',
    };
  }
}

/** Writes next to the final path, to keep an earlier file. Rejects with `recording/exists` or `…/cannot-write`. */
async function openRecordingFile({ file: wanted, overwrite }: NonNullable<RunRequest['record']>) {
  if (!overwrite && (await localFiles.exists(wanted))) throw recordingErrors.exists(wanted);
  try {
    await makeParents(path.dirname(wanted));
    const { file, descriptor } = createFree(partialName(wanted));
    return {
      file,
      /** Returns once the line is in the file. */
      append: (line: string): void => {
        const bytes = Buffer.from(`${line}\n`);
        for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
      },
      /** Closes the file: moves it to its final path, leaves it incomplete where it is, or removes it. Returns its path. */
      end: (how: 'keep' | 'leave' | 'remove'): string => {
        closeSync(descriptor);
        if (how === 'remove') rmSync(file, { force: true });
        if (how !== 'keep') return file;
        renameSync(file, wanted);
        return wanted;
      },
    };
  } catch (error) {
    throw recordingErrors.cannotWrite(wanted, error);
  }
}

/** Creates a file under the first free name, so that files of other runs stay. */
function createFree(wanted: string): { readonly file: string; readonly descriptor: number } {
  for (let number = 1; ; number++) {
    const file = number === 1 ? wanted : `${wanted}-${number}`;
    try {
      return { file, descriptor: openSync(file, 'wx') };
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
}

interface RunRecording {
  take(call: FinishedCall): void;
  episodeEnded(episode: EpisodeName): void;
  close(): void;
}

/** Undefined if none was requested. Rejects with `recording/exists` or `recording/cannot-write`. */
export async function openRunRecording(
  request: Pick<RunRequest, 'record' | 'config'>,
  options: {
    readonly names: EpisodeNames;
    readonly model: string;
    readonly cancellation: CancellationToken;
    readonly emit: (event: RunEvent) => void;
  },
): Promise<RunRecording | undefined> {
  const { record, config } = request;
  if (record === undefined) return undefined;
  const { names, cancellation, emit } = options;
  const file = await openRecordingFile(record);
  const warn = (problem: CodedError): void => emit(warningEvent(problem));
  const recorder = new RecordingWriter({
    header: {
      format: recordingFormat,
      version: recordingVersion,
      createdAt: new Date(systemClock.now()).toISOString(),
      config: path.basename(config),
      model: options.model,
    },
    sink: file,
    names,
    secrets: keysIn(request),
    isStopping: () => cancellation.isCancelled,
    warn,
  });
  return {
    take: (call) => recorder.take(call),
    episodeEnded: (episode) => recorder.episodeEnded(episode),
    close: () => {
      try {
        emit({ type: 'log', level: 'info', message: finish(file, recorder, cancellation) });
      } catch (error) {
        warn(recordingErrors.goesNoFurther(file.file, error));
      }
    },
  };
}

function keysIn(request: object): readonly string[] {
  return Object.entries(request).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'string') return name === 'apiKey' ? [value] : [];
    return typeof value === 'object' && value !== null ? keysIn(value) : [];
  });
}

/** Completes a recording. Only that of a completed run replaces an earlier one. */
function finish(
  file: Awaited<ReturnType<typeof openRecordingFile>>,
  { calls, isWhole }: RecordingWriter,
  { isCancelled }: CancellationToken,
): string {
  if (calls === 0) {
    file.end('remove');
    return 'Nothing was recorded: the run made no LLM calls.';
  }
  const count = counted(calls, 'LLM call');
  if (isCancelled || !isWhole) {
    return `Recorded ${count} of a run that did not complete: ${file.end('leave')}`;
  }
  return `Recorded ${count}: ${file.end('keep')}`;
}
