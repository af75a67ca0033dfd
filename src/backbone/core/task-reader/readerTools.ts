import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { Clock, PathRules } from '../../../base/core/ports.ts';

/** An OpenAI-compatible `/embeddings`. */
export interface EmbeddingEndpoint {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string;
}

/** What readers that generate tasks, or gather them from elsewhere than a file, need of the machine. */
export interface ReaderTools {
  /** Where upstream's relative paths start. */
  readonly cwd: string;
  readonly paths: PathRules;
  readonly clock: Pick<Clock, 'after'>;
  /** The run's. */
  readonly seed: number;
  /** Hexadecimal digits. A text is hashed as UTF-8. */
  digest(algorithm: 'md5' | 'sha256', content: string | Uint8Array): string;
  readBytes(file: string): Promise<Uint8Array>;
  /** Makes the folder, and replaces a file that is there. */
  writeText(file: string, text: string): Promise<void>;
  appendText(file: string, text: string): Promise<void>;
  /**
   * The attributes of the spans with this name, in the order of the table `span_table` of a SQLite file that is only
   * read. Rejects with what SQLite says.
   */
  readSpans(file: string, name: string): Promise<readonly unknown[]>;
  /** The text of a PDF, its pages by themselves. Rejects where it cannot be parsed. */
  readPdf(content: Uint8Array): Promise<readonly string[]>;
  /** Asks once. Rejects with what went wrong. */
  embed(
    endpoint: EmbeddingEndpoint,
    text: string,
    cancellation: CancellationToken,
  ): Promise<readonly number[]>;
  /** Of `DASHSCOPE_API_KEY`; undefined where it is not set or may not be read. */
  readonly embeddingKey: string | undefined;
  newUuid(): string;
}
