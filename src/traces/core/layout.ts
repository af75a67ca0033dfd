import { usedToolsTable } from './usedTools.ts';

/**
 * The SQLite schema of a trace. Rows of an episode are clustered by episode and position, so reading one episode
 * touches only its pages. Texts and token arrays are in other tables than the rows that lists read.
 * Arrays of numbers are little-endian blobs: `calls`, `messages` and `tokenIds` of int32, `logprobs` of float32,
 * `lossMask` of bytes.
 */

/** `ajtr`, which identifies a trace among SQLite files. */
export const applicationId = 0x616a_7472;

/** Format that this code writes, in `user_version`. Reading opens newer ones as far as it knows them. */
export const formatVersion = 1;

/** The keys of the table `meta`. Values are JSON, except for the config's text. */
export const metaKeys = {
  run: 'run',
  configText: 'configText',
  merging: 'merging',
  batch: 'batch',
  writer: 'writer',
  places: 'places',
  end: 'end',
} as const;

/** Tables of row contents by {@link contentKey}. Salvaging a damaged trace does not copy them. */
export const bulkTables: ReadonlySet<string> = new Set(['callDetails', 'messageContents', 'alternatives']);

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

/** The episode of a {@link contentKey}. */
export function episodeOfKey(key: number): number {
  return Math.floor(key / 2 ** 20);
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
  -- Calls that failed; traces of earlier versions lack the column.
  failures INTEGER NOT NULL DEFAULT 0,
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
  -- Traces of earlier versions have neither of these.
  askedAfter REAL,
  firstAfter REAL,
  -- Of \`sources\`; null where it is not known. Traces of earlier versions lack the column, and both tables.
  source INTEGER,
  PRIMARY KEY (episode, call)
) STRICT, WITHOUT ROWID;
-- The key is that of contentKey, of the episode and the call.
CREATE TABLE callDetails (
  key INTEGER PRIMARY KEY,
  options TEXT NOT NULL,
  tools INTEGER,
  messages BLOB NOT NULL
) STRICT;

-- What the other setting of fix_retokenization_drift makes of a call's request, where that is something else. The key is
-- that of contentKey, of the episode and the call. Traces of earlier versions have no such table.
CREATE TABLE otherRequests (key INTEGER PRIMARY KEY, messages BLOB NOT NULL) STRICT;

-- Messages of requests that training leaves out: of each call, as JSON, with their places and the hashes of what was sent.
-- Messages and the data in them stand once, by hash. Traces of earlier versions have no such tables.
CREATE TABLE leftOut (key INTEGER PRIMARY KEY, messages TEXT NOT NULL) STRICT;
CREATE TABLE sentMessages (hash INTEGER PRIMARY KEY, message TEXT NOT NULL) STRICT;
CREATE TABLE binaries (hash INTEGER PRIMARY KEY, type TEXT NOT NULL, base64 TEXT NOT NULL) STRICT;

-- Traces of earlier versions have no such table.
CREATE TABLE spans (
  episode INTEGER NOT NULL,
  span INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  call INTEGER,
  startedAt REAL NOT NULL,
  -- Null while it runs; of an LLM call always, whose row goes when it ends.
  seconds REAL,
  error TEXT,
  PRIMARY KEY (episode, span)
) STRICT, WITHOUT ROWID;

-- Calls have few different ones.
CREATE TABLE tools (id INTEGER PRIMARY KEY, tools TEXT NOT NULL) STRICT;

-- Lines of the user's code that calls come from: few. Files are relative to the config's folder where they are in it.
CREATE TABLE sources (
  id INTEGER PRIMARY KEY,
  file TEXT NOT NULL,
  line INTEGER NOT NULL,
  "column" INTEGER,
  function TEXT
) STRICT;
-- Files of the user's code as they were, by which one can tell whether they have changed since.
CREATE TABLE sourceFiles (file TEXT PRIMARY KEY, fingerprint TEXT NOT NULL) STRICT, WITHOUT ROWID;

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
-- What the model might have made in the place of each token, for messages of which that was told; traces of earlier
-- versions have no such table. The key is that of messageContents; \`ids\` of int32 and \`logprobs\` of float32 have
-- \`width\` entries per token.
CREATE TABLE alternatives (
  key INTEGER PRIMARY KEY,
  width INTEGER NOT NULL,
  ids BLOB NOT NULL,
  logprobs BLOB NOT NULL
) STRICT;

-- Traces of earlier versions have neither of these.
${usedToolsTable('TABLE')};
CREATE TABLE usedAgents (
  episode INTEGER NOT NULL,
  agent TEXT NOT NULL,
  PRIMARY KEY (episode, agent)
) STRICT, WITHOUT ROWID;

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
