import path from 'node:path';
import type { FinishedCall } from '../../core/model-tuner/call.ts';
import { RecordingWriter } from '../../core/model-tuner/recording/recordingWriter.ts';
import type { EpisodeName, EpisodeNames } from '../../core/model-tuner/recording/episodeNames.ts';
import { recordingErrors } from '../../core/model-tuner/recording/errors.ts';
import { recordingFormat, recordingVersion } from '../../core/model-tuner/recording/format.ts';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { toReport, type CodedError } from '../../../base/core/errors.ts';
import type { RunEvent, RunRequest } from '../../core/protocol/run.ts';
import { systemClock } from '../../../base/node/clock.ts';
import { RecordingFile } from './recordingFile.ts';

export interface RunRecordingOptions {
  readonly names: EpisodeNames;
  /** Of what answers. */
  readonly model: string;
  /** Of the run. */
  readonly cancellation: CancellationToken;
  readonly emit: (event: RunEvent) => void;
}

/** The recording that a run makes. */
export interface RunRecording {
  take(call: FinishedCall): void;
  episodeEnded(episode: EpisodeName): void;
  close(): void;
}

/** Undefined where none was asked for. Rejects with `recording/exists` or `recording/cannot-write`. */
export async function openRunRecording(
  request: Pick<RunRequest, 'record' | 'config'>,
  options: RunRecordingOptions,
): Promise<RunRecording | undefined> {
  const { record, config } = request;
  if (record === undefined) return undefined;
  const { names, cancellation, emit } = options;
  const file = await RecordingFile.open(record);
  const warn = (problem: CodedError): void =>
    emit({ type: 'problem', severity: 'warning', report: toReport(problem, problem.code) });
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

/** The keys of every server that the request names. */
function keysIn(request: object): readonly string[] {
  return Object.entries(request).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'string') return name === 'apiKey' ? [value] : [];
    return typeof value === 'object' && value !== null ? keysIn(value) : [];
  });
}

/** Only the recording of a whole run takes the place of another. */
function finish(file: RecordingFile, recorder: RecordingWriter, { isCancelled }: CancellationToken): string {
  const { calls } = recorder;
  if (calls === 0) {
    file.remove();
    return 'There was no LLM call to record.';
  }
  const count = `${calls} LLM call${calls === 1 ? '' : 's'}`;
  if (isCancelled || !recorder.isWhole) {
    return `Recorded ${count} of a run that did not complete: ${file.leave()}`;
  }
  return `Recorded ${count}: ${file.keep()}`;
}
