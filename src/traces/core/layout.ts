/** Number arrays are blobs. The machines that run AgentJet are little-endian. */
export function int32Bytes(values: ArrayLike<number>): Uint8Array {
  return new Uint8Array(new Int32Array(values).buffer);
}

export function float32Bytes(values: ArrayLike<number>): Uint8Array {
  return new Uint8Array(new Float32Array(values).buffer);
}

/** Returns a copy of the numbers. Bytes after the last whole number are ignored. */
export function int32Values(bytes: Uint8Array): Int32Array {
  return new Int32Array(wholeNumbers(bytes));
}

export function float32Values(bytes: Uint8Array): Float32Array {
  return new Float32Array(wholeNumbers(bytes));
}

/** Returns a copy, because a typed array must start at a whole number of its buffer. */
function wholeNumbers(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes.subarray(0, bytes.length - (bytes.length % 4))).buffer;
}

/**
 * The SQLite schema of a trace. Rows of an episode are clustered by episode and position, so reading one episode
 * touches only its pages. Texts and token arrays are in separate tables, apart from the rows that lists read.
 * Number arrays are little-endian blobs: int32 in `calls`, `messages` and `tokenIds`, float32 in `logprobs` and
 * `base`, bytes in `lossMask`.
 */

/** `ajtr`, which identifies a trace among SQLite files. */
export const applicationId = 0x616a_7472;

/** The format that this code writes, in `user_version`. Newer formats open with the parts that this code knows. */
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
export const bulkTables: ReadonlySet<string> = new Set([
  'callDetails',
  'messageContents',
  'alternatives',
  'trainerLogprobs',
]);

/** Number of characters of a query in the episode's row. The table `queries` has longer ones in full. */
export const listedQueryLength = 300;

/**
 * Returns the key of the row of a message or a call. It is one number, since SQLite keeps long rows together only in
 * tables with an integer key.
 */
export function contentKey(episode: number, place: number): number {
  return episode * 2 ** 20 + place;
}

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
  -- The key of \`results\`; null while it runs. Then the columns below mean nothing.
  sequence INTEGER,
  calls INTEGER NOT NULL DEFAULT 0,
  reward REAL,
  isSuccess INTEGER NOT NULL DEFAULT 0,
  seconds REAL,
  error TEXT,
  -- Calls that failed.
  failures INTEGER NOT NULL DEFAULT 0,
  timelines INTEGER NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0,
  trainableTokens INTEGER NOT NULL DEFAULT 0
) STRICT;
-- Queries that are longer than their episode's row has them.
CREATE TABLE queries (episode INTEGER PRIMARY KEY, query TEXT NOT NULL) STRICT;
-- The data that a judge needs.
CREATE TABLE outputs (episode INTEGER PRIMARY KEY, task TEXT NOT NULL, output TEXT NOT NULL) STRICT;
-- What the code of an episode printed, as JSON. Traces of older versions do not have this table.
CREATE TABLE printed (episode INTEGER PRIMARY KEY, output TEXT NOT NULL) STRICT;
-- In the order in which the episodes ended.
CREATE TABLE results (sequence INTEGER PRIMARY KEY, result TEXT NOT NULL) STRICT;

CREATE TABLE calls (
  episode INTEGER NOT NULL,
  call INTEGER NOT NULL,
  -- Number of calls of the episode that ended before it.
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
  askedAfter REAL,
  firstAfter REAL,
  -- The key of \`sources\`; null: unknown.
  source INTEGER,
  PRIMARY KEY (episode, call)
) STRICT, WITHOUT ROWID;
-- The key is the contentKey of the episode and the call.
CREATE TABLE callDetails (
  key INTEGER PRIMARY KEY,
  options TEXT NOT NULL,
  tools INTEGER,
  messages BLOB NOT NULL
) STRICT;

-- The request of a call with the other setting of fix_retokenization_drift, if it differs. The key is
-- the contentKey of the episode and the call.
CREATE TABLE otherRequests (key INTEGER PRIMARY KEY, messages BLOB NOT NULL) STRICT;

-- Messages of requests that training excludes: for each call, as JSON, with their positions and the hashes of the contents.
-- Messages and the data in them are stored once, by hash.
CREATE TABLE leftOut (key INTEGER PRIMARY KEY, messages TEXT NOT NULL) STRICT;
CREATE TABLE sentMessages (hash INTEGER PRIMARY KEY, message TEXT NOT NULL) STRICT;
CREATE TABLE binaries (hash INTEGER PRIMARY KEY, type TEXT NOT NULL, base64 TEXT NOT NULL) STRICT;

CREATE TABLE spans (
  episode INTEGER NOT NULL,
  span INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  call INTEGER,
  startedAt REAL NOT NULL,
  -- Null while it runs, and always for an LLM call, whose row is deleted when it ends.
  seconds REAL,
  error TEXT,
  PRIMARY KEY (episode, span)
) STRICT, WITHOUT ROWID;

-- Different tool lists are few.
CREATE TABLE tools (id INTEGER PRIMARY KEY, tools TEXT NOT NULL) STRICT;

-- Lines of the user's code that made calls: few. Files in the config's folder have paths relative to it.
CREATE TABLE sources (
  id INTEGER PRIMARY KEY,
  file TEXT NOT NULL,
  line INTEGER NOT NULL,
  "column" INTEGER,
  function TEXT
) STRICT;
-- Fingerprints of the user's files during the run, which show whether a file has changed since.
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
-- One table, because the cost of a commit is the pages that it changes. A reader of the text reads only the first columns.
-- The key is the contentKey of the episode and the position.
CREATE TABLE messageContents (
  key INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  toolCalls TEXT,
  tokenIds BLOB NOT NULL,
  logprobs BLOB,
  lossMask BLOB NOT NULL
) STRICT;
-- The model's alternatives at each token, for messages whose server sent them. The key is the same as in messageContents.
-- \`ids\` of int32 and \`logprobs\` of float32 have \`width\` entries per token.
CREATE TABLE alternatives (
  key INTEGER PRIMARY KEY,
  width INTEGER NOT NULL,
  ids BLOB NOT NULL,
  logprobs BLOB NOT NULL
) STRICT;

-- The tools that messages of an episode call, and the agents that made calls.
CREATE TABLE usedTools (
  episode INTEGER NOT NULL,
  tool TEXT NOT NULL,
  PRIMARY KEY (episode, tool)
) STRICT, WITHOUT ROWID;
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

-- The timelines that training used. Traces of older versions do not have these two tables.
CREATE TABLE trained (
  episode INTEGER NOT NULL,
  timeline INTEGER NOT NULL,
  advantage REAL NOT NULL,
  -- Null: the loss is not clipped.
  clipLow REAL,
  clipHigh REAL,
  PRIMARY KEY (episode, timeline)
) STRICT, WITHOUT ROWID;
-- Log probabilities of the base model and of the trainer. The key is the contentKey of the episode and the timeline.
CREATE TABLE trainerLogprobs (key INTEGER PRIMARY KEY, base BLOB, logprobs BLOB NOT NULL) STRICT;

CREATE TABLE tokens (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL, special INTEGER NOT NULL) STRICT;
CREATE INDEX specialTokens ON tokens (id) WHERE special = 1;

PRAGMA application_id = ${applicationId};
PRAGMA user_version = ${formatVersion};
`;
