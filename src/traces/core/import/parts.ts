/**
 * Parts of episodes that importers read from files of other tools, in any order. They are plain data, because they are
 * written to a scratch file. Unknown values are absent or null.
 */

/** Parallel arrays, one entry per token. */
export interface ImportedTokens {
  readonly ids: readonly number[];
  /** Null: no token has one. An entry is null if its token has none. */
  readonly logprobs: readonly (number | null)[] | null;
  /** Null: the format does not say what counts in the loss. */
  readonly lossMask: readonly (0 | 1)[] | null;
}

export interface ImportedMessage {
  readonly role: string;
  readonly text: string;
  /** JSON; null: none. */
  readonly toolCalls: string | null;
  readonly toolCallId: string | null;
  readonly tokens?: ImportedTokens | undefined;
  /** True if a model wrote it; absent: its position decides. */
  readonly fromModel?: boolean | undefined;
}

/** A call of a model. Null means unknown. */
export interface CallPart {
  readonly kind: 'call';
  readonly agent: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number | null;
  readonly seconds: number | null;
  readonly status: number | null;
  readonly error: string | null;
  readonly model: string | null;
  readonly options: Readonly<Record<string, unknown>>;
  /** JSON; null: none. */
  readonly tools: string | null;
  readonly finishReason: string | null;
  readonly messages: readonly ImportedMessage[];
  readonly reply: ImportedMessage | null;
  readonly promptTokens: number | null;
  readonly replyTokens: number | null;
}

/** A tool call that the other program measured. */
export interface ToolPart {
  readonly kind: 'tool';
  readonly name: string;
  readonly startedAt: number;
  readonly seconds: number;
  readonly error: string | null;
}

export interface TimelinePart {
  readonly kind: 'timeline';
  /** The episode's calls that it contains, counted from 0 in order; absent: the calls whose messages it has. */
  readonly calls?: readonly number[] | undefined;
  readonly messages: readonly ImportedMessage[];
}

/** Facts about an episode as a whole. The last value of each field counts. */
export interface FactsPart {
  readonly kind: 'facts';
  readonly task?: string | undefined;
  /** The id of its group; absent: the group of its task; null: unknown. */
  readonly group?: string | null | undefined;
  readonly query?: string | undefined;
  readonly uuid?: string | undefined;
  readonly agent?: string | undefined;
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
  readonly reward?: number | undefined;
  readonly isSuccess?: boolean | undefined;
  readonly error?: string | undefined;
  readonly metrics?: Readonly<Record<string, number>> | undefined;
}

export interface TokensPart {
  readonly kind: 'tokens';
  readonly tokens: readonly { readonly id: number; readonly text: string; readonly special: boolean }[];
}

export type EpisodePart = CallPart | ToolPart | TimelinePart | FactsPart | TokensPart;

export interface ImportSink {
  /** @param episode the name of the episode in the format */
  add(episode: string, parts: readonly EpisodePart[]): void;
  drop(episode: string): void;
  /** Counts and reports a record, or a part of one, that cannot be read. */
  skip(where: string, why: string): void;
  name(experiment: string): void;
}

export interface ImportDatabase {
  rows(statement: string): Iterable<Readonly<Record<string, unknown>>>;
}

export interface ImportSource {
  readonly name: string;
  /** Yields the UTF-8 text in pieces. */
  pieces(): AsyncIterable<string>;
  /** Null: it is not an SQLite file. */
  readonly database: ImportDatabase | null;
  /** Inflates zlib data. Throws if the data is invalid, or larger than `most` bytes when inflated. */
  inflate(bytes: Uint8Array, most: number): Uint8Array;
  fromBase64(text: string): Uint8Array;
}

export interface Importer {
  readonly label: string;
  /** True if training writes the format. */
  readonly rollouts?: true;
  /** True if its task ids are those of the data set. */
  readonly ownTaskIds?: true;
  /** Imports a file. Rejects with a CodedError if nothing in it can be read. */
  run(source: ImportSource, sink: ImportSink): Promise<void>;
}
