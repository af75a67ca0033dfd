import { toReport, type CodedError } from '../../../../base/core/errors.ts';
import { omit } from '../../../../base/core/omit.ts';
import { redactField, redactSecrets } from '../../../../base/core/secrets/texts.ts';
import type { FinishedCall } from '../call.ts';
import { type EpisodeName, type EpisodeNames, episodeKey } from './episodeNames.ts';
import { recordingErrors, type RecordingHeader, type CallLine, type RecordedCall } from './format.ts';
import type { ChatRequest } from '../model.ts';

export interface RecordingSink {
  /** Absolute. */
  readonly file: string;
  /** Returns when the line survives the end of this process. Throws if it cannot be written. */
  append(line: string): void;
}

export interface RecordingWriterOptions {
  readonly header: RecordingHeader;
  readonly sink: RecordingSink;
  readonly names: EpisodeNames;
  /** Texts to remove in addition to what is known to be a secret, such as an endpoint's key. */
  readonly secrets: readonly string[];
  /** Returns whether the run is being stopped. Calls that this cancels are not recorded. */
  isStopping(): boolean;
  warn(problem: CodedError): void;
}

const givenUp = 499;

/** Writes the calls of a run to a recording, for replay. If it cannot write, the run gets one warning. */
export class RecordingWriter {
  readonly #options: RecordingWriterOptions;
  readonly #writer: CallLineEncoder;
  calls = 0;
  /** True if every call was recorded. */
  isWhole = true;

  /** Throws if the header cannot be written. */
  constructor(options: RecordingWriterOptions) {
    this.#options = options;
    const secrets = options.secrets.filter((secret) => secret !== '');
    const withoutKnown = (text: string): string =>
      secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
    this.#writer = new CallLineEncoder((name, text) => redactField(name, withoutKnown(text)));
    const model = redactSecrets(withoutKnown(options.header.model));
    options.sink.append(JSON.stringify({ ...options.header, model }));
  }

  take(call: FinishedCall): void {
    if (!this.isWhole || (call.status === givenUp && this.#options.isStopping())) return;
    if (call.canned !== null) return; // not from a model: the replay creates it again
    try {
      const episode = this.#options.names.of(call.episode);
      this.#options.sink.append(this.#writer.write({ ...call, episode }));
      this.calls += 1;
    } catch (error) {
      this.isWhole = false;
      this.#options.warn(recordingErrors.goesNoFurther(this.#options.sink.file, error));
    }
  }

  episodeEnded(episode: EpisodeName): void {
    this.#writer.forget(episode);
  }
}

/** A node of the tree of message prefixes: one message more than its parent. */
interface Prefix {
  readonly call: number;
  readonly next: Map<string, Prefix>;
}

/** Encodes calls as lines of a recording. Messages of earlier lines are referenced, not repeated. */
class CallLineEncoder {
  readonly #episodes = new Map<string, Map<string, Prefix>>();
  readonly #tools = new Map<string, number>();
  readonly #rewrite: (name: string, text: string) => string;
  #next = 0;

  /** @param rewrite changes the text of each field before it is written */
  constructor(rewrite: (name: string, text: string) => string) {
    this.#rewrite = rewrite;
  }

  write(recorded: RecordedCall): string {
    const id = this.#next++;
    const { episode, request, completion, failure } = recorded;
    const { messages, tools, ...options } = request;
    const line: CallLine = {
      id,
      task: episode.task,
      repeat: episode.repeat,
      ...(episode.twin > 0 && { twin: episode.twin }),
      ...(episode.attempt > 0 && { attempt: episode.attempt }),
      call: recorded.call,
      agent: recorded.agentName,
      target: recorded.targetTag,
      messages: this.#messages(id, episodeKey(episode), messages),
      ...(Array.isArray(tools) && tools.length > 0 && { tools: this.#toolsOf(id, tools) }),
      options,
      startedAt: recorded.startedAt,
      seconds: recorded.seconds,
      status: recorded.status,
      ...(completion !== undefined && { completion: completion as unknown as CallLine['completion'] }),
      ...(failure !== undefined && { failure: failureFields(failure) }),
    };
    return JSON.stringify(line, (name, value: unknown) =>
      typeof value === 'string' ? this.#rewrite(name, value) : value,
    );
  }

  forget(episode: RecordedCall['episode']): void {
    this.#episodes.delete(episodeKey(episode));
  }

  #messages(id: number, episode: string, messages: ChatRequest['messages']): CallLine['messages'] {
    let at = this.#episodes.get(episode) ?? new Map<string, Prefix>();
    this.#episodes.set(episode, at);
    let first = 0;
    let from: number | undefined;
    for (const [index, message] of messages.entries()) {
      const text = JSON.stringify(message);
      let prefix: Prefix | undefined = at.get(text);
      if (prefix === undefined) at.set(text, (prefix = { call: id, next: new Map() }));
      else if (first === index) {
        first = index + 1;
        from = prefix.call;
      }
      at = prefix.next;
    }
    const then = messages.slice(first) as unknown as Record<string, unknown>[];
    return from === undefined ? { then } : { from, first, then };
  }

  #toolsOf(id: number, tools: readonly unknown[]): NonNullable<CallLine['tools']> {
    const text = JSON.stringify(tools);
    const from = this.#tools.get(text);
    if (from !== undefined) return { from };
    this.#tools.set(text, id);
    return tools as Record<string, unknown>[];
  }
}

function failureFields({ status, error, headers, report }: NonNullable<RecordedCall['failure']>) {
  return {
    status,
    error,
    ...(headers && { headers: { ...headers } }),
    ...(report && { report: omit(toReport(report, report.code), 'stack') }),
  };
}
