/**
 * What can still be read of a damaged trace. The rows that lists are made of are copied, one by one and around whatever
 * cannot be read, into temporary tables of the same names, which SQLite then takes in place of the file's: nothing is
 * written to the file. Contents of calls and messages stay where they are, and are read when somebody asks for them.
 */
import type * as z from 'zod/mini';
import type { DamageView } from '../../core/protocol/runRpc.ts';
import { episodeResult } from '../../../tracking/core/records/episodeResult.ts';
import { bulkTables, createTables, metaKeys } from '../../core/layout.ts';
import { storedBatch, storedEnd, storedMerging, storedRun, writerIdentity } from '../../core/records.ts';
import type { Connection } from './connection.ts';
import { keysOf, missingOf } from './missing.ts';
import { quoted, ReadableRows, type Column, type Gap, type Row, type Table } from './readableRows.ts';
import { restoreRun } from './restoreRun.ts';

/**
 * @param connection gets the tables. It can write none once it has missed a page
 * @param damaged another connection to the same file, which is read
 * @throws what SQLite throws where not even the file's list of tables can be read
 */
export function salvage(connection: Connection, damaged: Connection): DamageView {
  const gaps = new Map<string, readonly Gap[]>();
  let lacksRun = false;
  connection.transaction(() => {
    for (const table of tablesOf(damaged)) {
      connection.execute(`CREATE TEMP TABLE ${copyOf(table)} STRICT`);
      const copy = bulkTables.has(table.name) ? copyKeys : copyRows;
      gaps.set(table.name, copy(damaged, connection, table));
    }
    lacksRun = restoreRun(connection);
  });
  return { run: lacksRun, ...missingOf(connection, gaps) };
}

/** Those of the file that this version knows, with the file's columns. */
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

/** Into a table of the same name. */
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

/** Which rows of a table of contents are there; see `keysOf`. */
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

/** Bytes of a file up to which contents are read to their ends, in order to know whether they can be. */
const wholeCheck = 256_000_000;

/** Reading it leads through all of a row. */
function lastByte({ name }: Column): string {
  return `substr(${quoted(name)}, -1)`;
}

function copy(rows: ReadableRows, take: (row: Row) => void): readonly Gap[] {
  for (const row of rows) {
    try {
      take(row);
    } catch {
      // Of types that its table does not have: it is missed where it is counted.
    }
  }
  return rows.gaps;
}

const types = new Set(['INTEGER', 'REAL', 'TEXT', 'BLOB']);

/** Name and columns of the table that takes the rows of a table, or only their keys. */
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
  [metaKeys.merging, storedMerging],
  [metaKeys.batch, storedBatch],
  [metaKeys.writer, writerIdentity],
  [metaKeys.end, storedEnd],
]);

/** Whether the JSON of a row is what it is to be: one that is not would keep every list from being read. */
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
