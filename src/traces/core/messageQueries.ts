import type * as z from 'zod/mini';
import type { TracedAlternatives, TracedMessage } from '../../tracking/core/records/trace.ts';
import { float32Values, int32Values, contentKey } from './layout.ts';
import type { CheckedRows } from './checkedRows.ts';
import * as records from './records.ts';

export type MessageTokens = Pick<TracedMessage, 'tokenIds' | 'logprobs' | 'lossMask'>;

/** A message's stored text, with its tool calls as JSON. */
export type MessageText = Omit<z.infer<typeof records.messageTextRecord>, 'bytes'>;

export interface TokenWindow extends MessageTokens {
  readonly first: number;
}

export class MessageQueries {
  readonly #rows: CheckedRows;

  constructor(rows: CheckedRows) {
    this.#rows = rows;
  }

  /** All messages of an episode, without their texts and tokens. */
  ofEpisode(episode: number): readonly records.MessageRecord[] {
    const statement = `SELECT position, role, author, toolCallId, tokens, trainableTokens FROM messages
      WHERE episode = :episode ORDER BY position`;
    return this.#rows.all(records.messageRecord, statement, { episode });
  }

  text(episode: number, position: number): MessageText {
    const statement =
      'SELECT text, octet_length(text) AS bytes, toolCalls FROM messageContents WHERE key = :key';
    const row =
      this.#rows.one(records.messageTextRecord, statement, { key: contentKey(episode, position) }) ??
      this.#rows.damaged(`message ${position} of episode ${episode} has no text`);
    // SQLite does not validate text. Bytes that are not UTF-8 are read as U+FFFD, which is longer.
    const { bytes, ...stored } = row;
    return new TextEncoder().encode(stored.text).length === bytes
      ? stored
      : this.#rows.damaged(`the text of message ${position} of episode ${episode} was overwritten`);
  }

  tokens(episode: number, position: number): MessageTokens {
    const statement = 'SELECT tokenIds, logprobs, lossMask FROM messageContents WHERE key = :key';
    const row =
      this.#rows.one(records.messageTokensRecord, statement, { key: contentKey(episode, position) }) ??
      this.#rows.damaged(`message ${position} of episode ${episode} has no tokens`);
    return tokensOf(row);
  }

  window(episode: number, position: number, first: number, end: number): TokenWindow {
    const length = Math.max(0, end - first);
    const row =
      this.#rows.one(records.messageTokensRecord, messageWindow, {
        key: contentKey(episode, position),
        word: first * 4 + 1,
        words: length * 4,
        byte: first + 1,
        bytes: length,
      }) ?? this.#rows.damaged(`message ${position} of episode ${episode} has no tokens`);
    return { first, ...tokensOf(row) };
  }

  alternatives(
    episode: number,
    position: number,
    first: number,
    end: number,
  ): TracedAlternatives | undefined {
    const key = contentKey(episode, position);
    const row = this.#rows.one(records.alternativesRecord, alternatives, { key, first, length: end - first });
    return row && { width: row.width, ids: int32Values(row.ids), logprobs: float32Values(row.logprobs) };
  }
}

function tokensOf(row: z.infer<typeof records.messageTokensRecord>): MessageTokens {
  return {
    tokenIds: int32Values(row.tokenIds),
    logprobs: row.logprobs === null ? null : float32Values(row.logprobs),
    lossMask: asBits(row.lossMask),
  };
}

/** Returns a mask of 0 and 1; a damaged file may have any byte. */
function asBits(mask: Uint8Array): Uint8Array {
  return mask.some((byte) => byte > 1) ? mask.map((byte) => (byte === 0 ? 0 : 1)) : mask;
}

const messageWindow = `
SELECT substr(tokenIds, :word, :words) AS tokenIds, substr(logprobs, :word, :words) AS logprobs,
  substr(lossMask, :byte, :bytes) AS lossMask
FROM messageContents WHERE key = :key`;

const alternatives = `
SELECT width, substr(ids, :first * width * 4 + 1, :length * width * 4) AS ids,
  substr(logprobs, :first * width * 4 + 1, :length * width * 4) AS logprobs
FROM alternatives WHERE key = :key`;
