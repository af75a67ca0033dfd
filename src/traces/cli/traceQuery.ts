import { Buffer } from 'node:buffer';
import { CodedError, messageOf } from '../../base/core/errors.ts';
import { float32Values, int32Values } from '../core/layout.ts';
import { openSource } from '../node/store/source.ts';
import type { CommandOutput } from '../../base/node/terminal/commandIo.ts';
import { escapeControlCharacters } from '../../base/core/visibleText.ts';

export interface QueryOptions {
  readonly limit: number;
  readonly json: boolean;
  readonly stdout: Pick<CommandOutput, 'write'>;
  readonly stderr: Pick<CommandOutput, 'write'>;
}

const reading = /^\s*(?:--[^\n]*\n\s*|\/\*[\s\S]*?\*\/\s*)*(?:SELECT|WITH|VALUES|EXPLAIN)\b/i;

/** Prints the rows of one statement that only reads. Throws `query/…` and `trace/…`. */
export function printQuery(trace: string, sql: string, { limit, json, stdout, stderr }: QueryOptions): void {
  if (!reading.test(sql)) throw notReading();
  const source = openSource(trace);
  try {
    const { connection, damage } = source;
    if (damage !== undefined)
      stderr.write(
        'The trace is damaged. The query only reads the intact part. --summary shows what is missing.\n',
      );
    connection.define('int32s', (blob) => arrayText(blob, int32Values));
    connection.define('float32s', (blob) => arrayText(blob, float32Values));
    const { columns, rows } = connection.query(sql);
    const write = (text: string): void => {
      stdout.write(text);
    };
    write(json ? `{"columns":${JSON.stringify(columns)},"rows":[` : textLine(columns));
    let count = 0;
    let more = false;
    for (const row of rows) {
      more = count === limit;
      if (more) break;
      write(json ? `${count === 0 ? '' : ','}\n${JSON.stringify(row.map(cellJson))}` : textLine(row));
      count += 1;
    }
    if (json) write(`],\n"more":${String(more)}}\n`);
    if (more) stderr.write(`Only the first ${limit} rows: --limit N prints more.\n`);
  } catch (error) {
    throw error instanceof CodedError ? error : wrongQuery(error);
  } finally {
    source.close();
  }
}

function arrayText(blob: unknown, read: (bytes: Uint8Array) => ArrayLike<number>): string | null {
  return blob instanceof Uint8Array ? JSON.stringify(Array.from(read(blob))) : null;
}

function textLine(cells: readonly unknown[]): string {
  return `${cells.map((cell) => escapeControlCharacters(cellText(cell))).join('\t')}\n`;
}

function cellText(cell: unknown): string {
  if (cell === null) return '';
  if (cell instanceof Uint8Array) return `<${cell.length} bytes>`;
  return typeof cell === 'string' ? cell : JSON.stringify(cellJson(cell));
}

function cellJson(cell: unknown): unknown {
  if (cell instanceof Uint8Array) return { base64: Buffer.from(cell).toString('base64') };
  if (typeof cell === 'bigint') return String(cell);
  return typeof cell === 'number' && !Number.isFinite(cell) ? String(cell) : cell;
}

function notReading(): CodedError {
  return new CodedError({
    code: 'query/only-reading',
    message: 'A query can only read: it begins with SELECT, WITH or VALUES.',
    hint: 'For example: agentjet trace FILE --query "SELECT taskId, avg(reward) FROM episodes GROUP BY taskId"',
  });
}

function wrongQuery(cause: unknown): CodedError {
  return new CodedError({
    code: 'query/failed',
    message: `The query failed: ${messageOf(cause)}.`,
    hint: 'The tables: agentjet trace FILE --query "SELECT name, sql FROM sqlite_schema"',
    cause,
  });
}
