/**
 * Reads the intact parts of a damaged trace. The readable rows of lists are copied into temporary tables of the same
 * names, which SQLite then uses instead of the file's. Nothing is written to the file. Contents of calls and messages
 * are not copied; they are read on demand.
 */
import { emptyRun } from '../../core/episodeContent.ts';
import type * as z from 'zod/mini';
import type { DamageView } from '../../core/protocol/runRpc.ts';
import { episodeResult } from '../../../tracking/core/records/episodeResult.ts';
import { batchRules, mergeRules, runEnd, storedRun } from '../../../tracking/core/records/tracedRun.ts';
import { bulkTables, createTables, metaKeys, episodeOfKey } from '../../core/layout.ts';
import { writerIdentity, countRecord, episodeNumber } from '../../core/records.ts';
import type { Connection } from './connection.ts';
import { quoted } from '../../core/sql.ts';
import { ReadableRows, type Column, type Gap, type Row, type Table } from './readableRows.ts';
import { largestWindow } from '../../core/protocol/traceRpc.ts';

/** @param gaps gaps of the first column, by table */
function missingOf(
  connection: Connection,
  gaps: ReadonlyMap<string, readonly Gap[]>,
): Omit<DamageView, 'run'> {
  const behind = lastEpisode(connection) + 1;
  const lost = (gaps.get('episodes') ?? []).reduce(
    (sum, { after, before }) => sum + Math.max(0, (before ?? behind) - after - 1),
    0,
  );
  const numbers = connection
    .all(incompleteWith(rangesOf(gaps, behind)))
    .map((row) => episodeNumber.parse(row).episode);
  const tokens = (gaps.get('tokens') ?? []).length > 0;
  return { tokens, lost, incomplete: numbers.length, episodes: numbers.slice(0, largestWindow.episodes) };
}

/** Tables in which not every episode has a row. A gap may have lost one. */
const sparse = ['queries', 'outputs', 'printed', 'spans', 'alternatives', 'trained', 'trainerLogprobs'];

/** Returns the first and last episodes of gaps. */
function rangesOf(
  gaps: ReadonlyMap<string, readonly Gap[]>,
  behind: number,
): readonly (readonly [number, number])[] {
  return sparse.flatMap((table) => {
    const episodeOf = (key: number): number => (bulkTables.has(table) ? episodeOfKey(key) : key);
    return (gaps.get(table) ?? []).map(({ after, before }) => {
      // The episode of the last readable row may have had more rows.
      return [Math.max(0, episodeOf(after)), before === null ? behind : episodeOf(before)] as const;
    });
  });
}

function keysOf(table: string): string {
  return `keys of ${table}`;
}

function lastEpisode(connection: Connection): number {
  const [meta] = connection.all(planned);
  return Math.max(
    countRecord.parse(meta).count - 1,
    ...['episodes', 'calls', 'messages', 'timelines'].map((table) => {
      const [row] = connection.all(`SELECT coalesce(max(episode), -1) AS count FROM ${table}`);
      return countRecord.parse(row).count;
    }),
  );
}

/** Returns the number of episodes that have certainly started; a completed run has started all. */
const planned = `
SELECT coalesce(max(value ->> '$.episodes'), 0) AS count FROM meta
WHERE key = '${metaKeys.run}'
  AND EXISTS (SELECT 1 FROM meta WHERE key = '${metaKeys.end}' AND value ->> '$.status' = 'completed')`;

const rowsIn = (table: string): string =>
  `(SELECT count(*) FROM ${table} WHERE ${table}.episode = episodes.episode)`;

const lacksContents = (rows: string, place: string, contents: string): string =>
  `EXISTS (SELECT 1 FROM ${rows} WHERE ${rows}.episode = episodes.episode
    AND (${rows}.episode << 20) + ${place} NOT IN (SELECT key FROM "${keysOf(contents)}"))`;

const incompleteWith = (ranges: readonly (readonly [number, number])[]): string => `
SELECT episode FROM episodes
WHERE sequence IS NOT NULL AND (
    calls <> ${rowsIn('calls')}
    OR timelines <> ${rowsIn('timelines')}
    OR NOT EXISTS (SELECT 1 FROM results WHERE results.sequence = episodes.sequence))
  OR ${rowsIn('messages')} <>
    (SELECT coalesce(max(position), -1) + 1 FROM messages WHERE messages.episode = episodes.episode)
  OR ${lacksContents('calls', 'call', 'callDetails')}
  OR ${lacksContents('messages', 'position', 'messageContents')}
  ${ranges.map(([first, last]) => `OR episode BETWEEN ${first} AND ${last}`).join(' ')}
ORDER BY episode`;

/**
 * @param connection receives the tables; it can write no more after it has found a missing page
 * @param damaged another connection to the same file, which is read
 * @throws errors of SQLite if not even the file's list of tables can be read
 */
export function salvage(connection: Connection, damaged: Connection): DamageView {
  const gaps = new Map<string, readonly Gap[]>();
  const tables = tablesOf(damaged);
  let lacksRun = false;
  connection.transaction(() => {
    for (const [definition, name = ''] of createTables.matchAll(/CREATE TABLE (\w+) [\s\S]*?STRICT/g)) {
      // A table whose definition is lost is empty.
      if (tables.every((table) => table.name !== name))
        connection.execute(definition.replace('TABLE', 'TEMP TABLE'));
    }
    for (const table of tables) {
      connection.execute(`CREATE TEMP TABLE ${copyOf(table)} STRICT`);
      const copy = bulkTables.has(table.name) ? copyKeys : copyRows;
      gaps.set(table.name, copy(damaged, connection, table));
    }
    lacksRun = restoreRun(connection);
  });
  return { run: lacksRun, ...missingOf(connection, gaps) };
}

/** Returns the tables of the file that this version knows, with the file's columns. */
function tablesOf(connection: Connection): readonly Table[] {
  const known = new Set([...createTables.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name));
  const rows = connection.all("SELECT name FROM main.sqlite_schema WHERE type = 'table'") as readonly {
    readonly name: string;
  }[];
  return rows
    .filter(({ name }) => known.has(name))
    .map(({ name }) => ({
      name,
      columns: connection.all(`PRAGMA main.table_info(${quoted(name)})`) as readonly Column[],
    }));
}

function copyRows(from: Connection, into: Connection, table: Table): readonly Gap[] {
  const { name, columns } = table;
  const places = columns.map(() => '?').join(', ');
  const insert = `INSERT OR IGNORE INTO temp.${quoted(name)} VALUES (${places})`;
  return copy(new ReadableRows(from, table), (row) => {
    if (isSound(name, row))
      into.run(
        insert,
        columns.map((column) => row[column.name] ?? null),
      );
  });
}

/** Copies the keys of the readable rows of a content table; see `keysOf`. */
function copyKeys(from: Connection, into: Connection, table: Table): readonly Gap[] {
  const keys = quoted(keysOf(table.name));
  const insert = `INSERT OR IGNORE INTO temp.${keys} VALUES (?)`;
  const size = from.number('page_count') * from.number('page_size');
  const rows = new ReadableRows(from, table, [
    'key',
    ...(size > wholeCheck ? [] : table.columns.slice(-1).map(lastByte)),
  ]);
  return copy(rows, ({ key = null }) => into.run(insert, [key]));
}

/** The maximum file size, in bytes, up to which contents are read completely to check them. */
const wholeCheck = 256_000_000;

/** Returns SQL that reads a column to its end. */
function lastByte({ name }: Column): string {
  return `substr(${quoted(name)}, -1)`;
}

function copy(rows: ReadableRows, take: (row: Row) => void): readonly Gap[] {
  for (const row of rows) {
    try {
      take(row);
    } catch {
      // The column has another type than its table declares. It is missing where it is counted.
    }
  }
  return rows.gaps;
}

const types = new Set(['INTEGER', 'REAL', 'TEXT', 'BLOB']);

function copyOf({ name, columns }: Table): string {
  if (bulkTables.has(name)) return `${quoted(keysOf(name))} (key INTEGER PRIMARY KEY)`;
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const definitions = columns.map(({ name: column, type, notnull }) => {
    return `${quoted(column)} ${types.has(type) ? type : 'ANY'}${notnull === 0 ? '' : ' NOT NULL'}`;
  });
  const all = [...definitions, `PRIMARY KEY (${key.map((column) => quoted(column.name)).join(', ')})`];
  return `${quoted(name)} (${all.join(', ')})`;
}

const metaSchemas: ReadonlyMap<string, z.ZodMiniType> = new Map<string, z.ZodMiniType>([
  [metaKeys.run, storedRun],
  [metaKeys.merging, mergeRules],
  [metaKeys.batch, batchRules],
  [metaKeys.writer, writerIdentity],
  [metaKeys.end, runEnd],
]);

/** Returns whether the JSON of a row is valid. An invalid row would break every list. */
function isSound(table: string, row: Row): boolean {
  if (table === 'results') return fits(row['result'], episodeResult);
  const schema = table === 'meta' ? metaSchemas.get(String(row['key'])) : undefined;
  return schema === undefined || fits(row['value'], schema);
}

function fits(text: Row[string] | undefined, schema: z.ZodMiniType): boolean {
  try {
    return schema.safeParse(JSON.parse(String(text))).success;
  } catch {
    return false;
  }
}

/**
 * Restores lost facts about the run from its episodes, because advantages need the size of groups. Returns true if
 * they were lost.
 */
function restoreRun(connection: Connection): boolean {
  const one = (statement: string): number => countRecord.parse(connection.all(statement)[0]).count;
  if (one(`SELECT count(*) AS count FROM meta WHERE key = '${metaKeys.run}'`) > 0) return false;
  const repeat = one('SELECT coalesce(max(repeat), 0) + 1 AS count FROM episodes');
  const episodes = one('SELECT count(*) AS count FROM episodes');
  const tasks = one('SELECT coalesce(max(taskIndex), -1) + 1 AS count FROM episodes');
  const startedAt = one('SELECT coalesce(min(startedAt), 0) AS count FROM episodes');
  const run = { ...emptyRun, tasks, repeat, episodes, startedAt };
  connection.run('INSERT INTO temp.meta (key, value) VALUES (?, ?)', [metaKeys.run, JSON.stringify(run)]);
  return true;
}
