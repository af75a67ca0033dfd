/**
 * How a trace lies in its SQLite file. Whatever grows with an episode is clustered by episode and position, so that
 * reading one episode touches only its pages; texts and token arrays stand apart from the rows that lists read.
 * Arrays of numbers are little-endian blobs: `calls`, `messages` and `tokenIds` of int32, `logprobs` of float32,
 * `lossMask` of bytes.
 */

/** `ajtr`: tells a trace from any other SQLite file. */
export const applicationId = 0x616a_7472;

/** Format that this code writes, in `user_version`. Reading opens newer ones as far as it knows them. */
export const formatVersion = 1;

/** What `meta` holds, each as JSON but for the config's text. */
export const metaKeys = {
  run: 'run',
  configText: 'configText',
  merging: 'merging',
  batch: 'batch',
  writer: 'writer',
  end: 'end',
} as const;

/** Characters of a query that stand in the episode's row; `queries` has longer ones whole. */
export const listedQueryLength = 300;

/**
 * Where long rows lie: by episode and, within it, by place. One number, since SQLite keeps long rows together only in
 * tables that have one for a key.
 *
 * @param place position of the message, or the call
 */
export function contentKey(episode: number, place: number): number {
  return episode * 2 ** 20 + place;
}

export const createTables = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE episodes (
  episode INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL,
  taskId TEXT NOT NULL,
  taskIndex INTEGER NOT NULL,
  repeat INTEGER NOT NULL,
  query TEXT NOT NULL,
  startedAt REAL NOT NULL,
  -- Of \`results\`; null while it runs, when what follows means nothing.
  sequence INTEGER,
  calls INTEGER NOT NULL DEFAULT 0,
  reward REAL,
  isSuccess INTEGER NOT NULL DEFAULT 0,
  seconds REAL,
  error TEXT,
  timelines INTEGER NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0,
  trainableTokens INTEGER NOT NULL DEFAULT 0
) STRICT;
-- Only those that are longer than in their episode's row.
CREATE TABLE queries (episode INTEGER PRIMARY KEY, query TEXT NOT NULL) STRICT;
-- What a judge needs; traces of earlier versions have no such table.
CREATE TABLE outputs (episode INTEGER PRIMARY KEY, task TEXT NOT NULL, output TEXT NOT NULL) STRICT;
-- In the order in which the episodes ended.
CREATE TABLE results (sequence INTEGER PRIMARY KEY, result TEXT NOT NULL) STRICT;

CREATE TABLE calls (
  episode INTEGER NOT NULL,
  call INTEGER NOT NULL,
  -- How many calls of the episode ended before it.
  ended INTEGER NOT NULL,
  agent TEXT NOT NULL,
  tag TEXT NOT NULL,
  startedAt REAL NOT NULL,
  seconds REAL NOT NULL,
  status INTEGER NOT NULL,
  error TEXT,
  finishReason TEXT,
  reply INTEGER,
  promptTokens INTEGER NOT NULL,
  replyTokens INTEGER NOT NULL,
  PRIMARY KEY (episode, call)
) STRICT, WITHOUT ROWID;
-- The key is that of contentKey, of the episode and the call.
CREATE TABLE callDetails (
  key INTEGER PRIMARY KEY,
  options TEXT NOT NULL,
  tools INTEGER,
  messages BLOB NOT NULL
) STRICT;

-- Calls have few different ones.
CREATE TABLE tools (id INTEGER PRIMARY KEY, tools TEXT NOT NULL) STRICT;

CREATE TABLE messages (
  episode INTEGER NOT NULL,
  position INTEGER NOT NULL,
  role TEXT NOT NULL,
  author TEXT NOT NULL,
  toolCallId TEXT,
  tokens INTEGER NOT NULL,
  trainableTokens INTEGER NOT NULL,
  PRIMARY KEY (episode, position)
) STRICT, WITHOUT ROWID;
-- One table, for what a commit costs is the pages that it changes; whoever asks for the text reads no further.
-- The key is that of contentKey, of the episode and the position.
CREATE TABLE messageContents (
  key INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  toolCalls TEXT,
  tokenIds BLOB NOT NULL,
  logprobs BLOB,
  lossMask BLOB NOT NULL
) STRICT;

CREATE TABLE timelines (
  episode INTEGER NOT NULL,
  timeline INTEGER NOT NULL,
  calls BLOB NOT NULL,
  messages BLOB NOT NULL,
  tokens INTEGER NOT NULL,
  trainableTokens INTEGER NOT NULL,
  PRIMARY KEY (episode, timeline)
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL, special INTEGER NOT NULL) STRICT;
CREATE INDEX specialTokens ON tokens (id) WHERE special = 1;

PRAGMA application_id = ${applicationId};
PRAGMA user_version = ${formatVersion};
`;
