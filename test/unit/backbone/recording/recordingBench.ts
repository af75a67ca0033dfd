import type { FinishedCall } from '../../../../src/backbone/core/model-tuner/call.ts';
import type { ChatModel } from '../../../../src/backbone/core/model-tuner/model.ts';
import { RecordingWriter } from '../../../../src/backbone/core/model-tuner/recording/recordingWriter.ts';
import { EpisodeNames } from '../../../../src/backbone/core/model-tuner/recording/episodeNames.ts';
import type {
  Recording,
  RecordingHeader,
} from '../../../../src/backbone/core/model-tuner/recording/format.ts';
import { readRecording } from '../../../../src/backbone/core/model-tuner/recording/readRecording.ts';
import { Replay, type OnMiss } from '../../../../src/backbone/core/model-tuner/recording/replayModel.ts';
import { neverCancelled, type CancellationToken } from '../../../../src/base/core/cancellation.ts';
import type { CodedError } from '../../../../src/base/core/errors.ts';
import { finishedCall } from '../recording.ts';
import { FakeClock } from '../../fakeClock.ts';
import { completionOf } from '../model-tuner/tunerBench.ts';

export const recordingFile = '/calls.jsonl';

export const header: RecordingHeader = {
  format: 'agentjet-recording',
  version: 1,
  createdAt: '1970-01-01T00:00:00.000Z',
  config: 'small.yaml',
  model: 'scripted',
};

/** Episodes 0 and 1 are the repeats of the task `t`; 2 is of the task `u`. */
export function threeEpisodes(): EpisodeNames {
  const names = new EpisodeNames();
  names.begin(0, 't', 0);
  names.begin(1, 't', 1);
  names.begin(2, 'u', 0);
  return names;
}

export function record(
  calls: readonly FinishedCall[],
  options: { readonly secrets?: readonly string[]; readonly isStopping?: boolean } = {},
): string {
  const lines: string[] = [];
  const recorder = new RecordingWriter({
    header,
    sink: { file: recordingFile, append: (line) => lines.push(line) },
    names: threeEpisodes(),
    secrets: options.secrets ?? [],
    isStopping: () => options.isStopping ?? false,
    warn: (problem) => {
      throw problem;
    },
  });
  for (const call of calls) recorder.take(call);
  return `${lines.join('\n')}\n`;
}

async function* inTurn(lines: readonly string[]): AsyncGenerator<string> {
  for (const line of lines) yield await Promise.resolve(line);
}

export async function read(
  text: string | undefined,
  warn: (problem: CodedError) => void = () => undefined,
): Promise<Recording> {
  const files = {
    exists: (file: string) => Promise.resolve(file === recordingFile && text !== undefined),
    // As `readline` gives them: no empty one after the last end.
    lines: () => inTurn((text ?? '').replace(/\n$/, '').split('\n')),
  };
  return readRecording(recordingFile, files, warn);
}

/** A call that asked `question` and was answered `answer`. */
export function asked(question: string, answer: string, changes: Partial<FinishedCall> = {}): FinishedCall {
  const messages = [{ role: 'user' as const, content: question }];
  return finishedCall({ request: { model: 'm', messages }, completion: completionOf(answer), ...changes });
}

/** A model that answers from what `calls` were, and what it logged. */
export async function replaying(
  calls: readonly FinishedCall[],
  options: { readonly onMiss?: OnMiss; readonly model?: ChatModel } = {},
) {
  const recording = await read(record(calls));
  const logged: string[] = [];
  const clock = new FakeClock();
  const replay = new Replay({
    recording,
    onMiss: options.onMiss ?? 'fail',
    names: threeEpisodes(),
    clock,
    logger: { log: (level, message) => logged.push(`${level}: ${message}`) },
  });
  const model = replay.inPlaceOf(options.model);
  const ask = ({ request, ...call }: FinishedCall, cancellation: CancellationToken = neverCancelled) =>
    model.respond(request, cancellation, call);
  /** What the call is answered, as a text. */
  const answer = async (call: FinishedCall): Promise<string> => {
    const reply = await ask(call);
    if (reply.kind === 'completion') return reply.completion.choices[0]?.message.content ?? '';
    return reply.kind === 'error' ? (reply.report?.message ?? reply.error.message) : reply.kind;
  };
  return { model, ask, answer, logged, clock };
}
