import * as z from 'zod/mini';
import type { BinaryView, ExcludedMessage, SentPart } from './protocol/episodeRpc.ts';
import { largestWindow } from './protocol/traceRpc.ts';
import { isRecord } from '../../base/core/isRecord.ts';
import { clip } from './clip.ts';
import { contentKey } from './layout.ts';
import type { TextWindow } from './messageTexts.ts';
import type { TraceQueries } from './traceQueries.ts';

const excludedRecord = z.object({ before: z.number(), message: z.string() });
const binaryRecord = z.object({ base64: z.string(), length: z.number() });

export class ExcludedMessages {
  readonly #trace: TraceQueries;

  constructor(trace: TraceQueries) {
    this.#trace = trace;
  }

  /** Returns the messages in the order in which they were sent. */
  of(episode: number, call: number): readonly ExcludedMessage[] {
    const statement = `SELECT entry.value ->> 0 AS before, message FROM leftOut, json_each(leftOut.messages) AS entry
      JOIN sentMessages ON sentMessages.hash = entry.value ->> 1
      WHERE leftOut.key = :key ORDER BY entry.key`;
    const rows = this.#trace.rows.all(excludedRecord, statement, { key: contentKey(episode, call) });
    return rows.map(({ before, message }) => viewOf(before, parsed(message)));
  }

  /** Returns an empty window for data that the trace does not have. */
  binary(hash: number, { from, limit }: TextWindow): BinaryView {
    const nothing = { from, base64: '', length: 0 };
    const statement = `SELECT substr(base64, :from + 1, :limit) AS base64, length(base64) AS length FROM binaries
      WHERE hash = :hash`;
    const [row] = this.#trace.rows.all(binaryRecord, statement, { hash, from, limit });
    return row === undefined ? nothing : { from, ...row };
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json; // of a damaged trace; shown as it is
  }
}

function viewOf(before: number, message: unknown): ExcludedMessage {
  const { role, content } = isRecord(message) ? message : {};
  const parts = Array.isArray(content)
    ? (content as unknown[])
    : content === undefined
      ? [message]
      : [content];
  return { before, role: typeof role === 'string' ? role : '', parts: parts.map(partOf) };
}

function partOf(part: unknown): SentPart {
  if (typeof part === 'string') return textOf(part);
  if (!isRecord(part)) return other(part);
  if (typeof part['text'] === 'string') return textOf(part['text']);
  const held = [part['image_url'], part['source'], part['input_audio'], part['file']].find(
    (one) => one !== undefined,
  );
  for (const one of [held, ...(isRecord(held) ? [held['url'], held['data'], held['file_data']] : [])]) {
    if (typeof one === 'string' && /^https?:/i.test(one))
      return { kind: 'address', address: clip(one, longestAddress) };
    if (!isRecord(one) || typeof one['storedData'] !== 'number') continue;
    const { storedData: hash, type, size } = one;
    return {
      kind: 'data',
      hash,
      type: typeof type === 'string' ? type : '',
      size: typeof size === 'number' ? size : 0,
    };
  }
  return other(part);
}

const longestAddress = 2_048;

function textOf(text: string): SentPart {
  return { kind: 'text', text: clip(text, largestWindow.listed), length: text.length };
}

function other(part: unknown): SentPart {
  return { kind: 'other', json: clip(JSON.stringify(part), largestWindow.listed) };
}
