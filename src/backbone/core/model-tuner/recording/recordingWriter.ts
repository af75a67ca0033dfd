import type { CodedError } from '../../../../base/core/errors.ts';
import { redactField, redactSecrets } from '../../../../base/core/secrets/texts.ts';
import type { FinishedCall } from '../call.ts';
import { CallLineEncoder } from './callLineEncoder.ts';
import type { EpisodeName, EpisodeNames } from './episodeNames.ts';
import { recordingErrors } from './errors.ts';
import type { RecordingHeader } from './format.ts';

/** The file of a recording. */
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

/** The status of a canceled call. */
const givenUp = 499;

/** Writes the calls of a run to a recording, for replay. If it cannot write, the run gets one warning. */
export class RecordingWriter {
  readonly #options: RecordingWriterOptions;
  readonly #writer: CallLineEncoder;
  #calls = 0;
  #failed = false;

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

  /** Calls recorded so far. */
  get calls(): number {
    return this.#calls;
  }

  /** True if every call was recorded. */
  get isWhole(): boolean {
    return !this.#failed;
  }

  take(call: FinishedCall): void {
    if (this.#failed || (call.status === givenUp && this.#options.isStopping())) return;
    if (call.canned !== null) return; // not from a model: the replay creates it again
    try {
      const episode = this.#options.names.of(call.episode);
      this.#options.sink.append(this.#writer.write({ ...call, episode }));
      this.#calls += 1;
    } catch (error) {
      this.#failed = true;
      this.#options.warn(recordingErrors.goesNoFurther(this.#options.sink.file, error));
    }
  }

  episodeEnded(episode: EpisodeName): void {
    this.#writer.forget(episode);
  }
}
