import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { Clock, PathRules } from '../../../base/core/ports.ts';

/** An OpenAI-compatible `/embeddings`. */
export interface EmbeddingEndpoint {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string;
}

/** System services for readers that generate tasks or do not read them from a text file. */
export interface ReaderTools {
  /** The base of upstream's relative paths. */
  readonly cwd: string;
  readonly paths: PathRules;
  readonly clock: Pick<Clock, 'after'>;
  readonly seed: number;
  /** Hexadecimal digits. A text is hashed as UTF-8. */
  digest(algorithm: 'md5' | 'sha256', content: string | Uint8Array): string;
  readBytes(file: string): Promise<Uint8Array>;
  /** Creates the folder, and replaces an existing file. */
  writeText(file: string, text: string): Promise<void>;
  appendText(file: string, text: string): Promise<void>;
  /**
   * The attributes of the spans with this name, in the order of the table `span_table` of a SQLite file that is only
   * read. Rejects with what SQLite says.
   */
  readSpans(file: string, name: string): Promise<readonly unknown[]>;
  /** Returns the text of each page of a PDF. Rejects if it cannot be parsed. */
  readPdf(content: Uint8Array): Promise<readonly string[]>;
  /** Sends one request. Rejects with the error. */
  embed(
    endpoint: EmbeddingEndpoint,
    text: string,
    cancellation: CancellationToken,
  ): Promise<readonly number[]>;
  /** The value of `DASHSCOPE_API_KEY`; undefined if it is not set or must not be read. */
  readonly embeddingKey: string | undefined;
  newUuid(): string;
}
