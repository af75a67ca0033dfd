import { hashText } from '../../base/core/random.ts';
import type { TracedCall } from '../../tracking/core/records/trace.ts';
import { isRecord } from '../../base/core/isRecord.ts';
import type { SqlWriter } from './sql.ts';

/** The placeholder in a stored message for data that is stored in a separate row. */
export interface StoredData {
  readonly storedData: number;
  readonly type: string;
  /** Number of base64 characters. */
  readonly size: number;
}

/** The minimum number of base64 characters that are stored in a separate row. */
const least = 64;

/** Stores the messages of a call's request that training excludes. A message or data is stored once, under its hash. */
export function writeExcluded(
  sql: SqlWriter,
  key: number,
  excluded: NonNullable<TracedCall['leftOut']>,
): void {
  const rows = excluded.map(({ before, message }) => {
    const json = JSON.stringify(withoutData(message, sql));
    const hash = hashText(json);
    sql.run('INSERT OR IGNORE INTO sentMessages (hash, message) VALUES (?, ?)', [hash, json]);
    return [before, hash];
  });
  sql.run('INSERT INTO leftOut (key, messages) VALUES (?, ?)', [key, JSON.stringify(rows)]);
}

/** Returns the message with its data moved to separate rows. */
function withoutData(value: unknown, sql: SqlWriter): unknown {
  if (typeof value === 'string') return movedAddress(value, sql);
  if (Array.isArray(value)) return value.map((one) => withoutData(one, sql));
  if (!isRecord(value)) return value ?? null;
  const fields = Object.entries(value).map(([name, field]) => {
    const isData = name === 'data' && typeof field === 'string' && field.length >= least && isBase64(field);
    return [name, isData ? moved(typeOf(value), field, sql) : withoutData(field, sql)] as const;
  });
  return Object.fromEntries(fields);
}

/** Returns the media type. Audio has it next to the data, Anthropic's images in a separate field. */
function typeOf(part: Readonly<Record<string, unknown>>): string {
  const { media_type: type, format } = part;
  if (typeof type === 'string') return type;
  return typeof format === 'string' ? `audio/${format}` : '';
}

function movedAddress(text: string, sql: SqlWriter): unknown {
  if (text.length < least || !text.startsWith('data:')) return text;
  const end = text.indexOf(marker);
  if (end < 0) return text;
  const [type = ''] = text.slice('data:'.length, end).split(';');
  const base64 = text.slice(end + marker.length);
  return isBase64(base64) ? moved(type.toLowerCase(), base64, sql) : text;
}

const marker = ';base64,';

function isBase64(text: string): boolean {
  return text !== '' && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text);
}

function moved(type: string, base64: string, sql: SqlWriter): StoredData {
  const hash = hashText(`${type} ${base64}`);
  sql.run('INSERT OR IGNORE INTO binaries (hash, type, base64) VALUES (?, ?, ?)', [hash, type, base64]);
  return { storedData: hash, type, size: base64.length };
}
