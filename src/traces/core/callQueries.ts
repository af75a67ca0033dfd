import { int32Values, contentKey } from './layout.ts';
import type * as z from 'zod/mini';
import type { CheckedRows } from './checkedRows.ts';
import {
  callRecord,
  spanRecord,
  type CallRecord,
  type SpanRecord,
} from '../../tracking/core/records/trace.ts';
import * as records from './records.ts';

/** A call with the positions of its request's messages and its reply's tool calls as JSON. */
export type CallWithTools = Omit<z.infer<typeof records.toolTraceRecord>, 'messages'> & {
  readonly messages: ArrayLike<number>;
};

export class CallQueries {
  readonly #rows: CheckedRows;

  constructor(rows: CheckedRows) {
    this.#rows = rows;
  }

  /** Returns the calls in the order of their numbers, which is the order of arrival. */
  ofEpisode(episode: number): readonly CallRecord[] {
    const statement = `SELECT ${callColumns} FROM calls WHERE episode = :episode ORDER BY call`;
    return this.#rows.all(callRecord, statement, { episode });
  }

  one(episode: number, call: number): CallRecord | undefined {
    const statement = `SELECT ${callColumns} FROM calls WHERE episode = :episode AND call = :call`;
    return this.#rows.one(callRecord, statement, { episode, call });
  }

  details(
    episode: number,
    call: number,
  ): Omit<z.infer<typeof records.callDetailsRecord>, 'messages'> & { readonly messages: readonly number[] } {
    const row =
      this.#rows.one(records.callDetailsRecord, callDetails, { key: contentKey(episode, call) }) ??
      this.#rows.damaged(`call ${call} of episode ${episode} has no details`);
    return { ...row, messages: [...int32Values(row.messages)] };
  }

  /** Returns the spans ordered by start. */
  spans(episode: number): readonly SpanRecord[] {
    const statement = `SELECT span, kind, name, call, startedAt, seconds, error FROM spans
      WHERE episode = :episode ORDER BY span`;
    return this.#rows.all(spanRecord, statement, { episode });
  }

  /** Returns the calls from which tool spans are derived, in order of arrival. */
  toolTraces(episode: number): readonly CallWithTools[] {
    return this.#rows.all(records.toolTraceRecord, toolTraces, { episode }).map((row) => ({
      ...row,
      messages: int32Values(row.messages),
    }));
  }

  /** Returns the number of messages in each call's request, in order of the calls. */
  lengths(episode: number): readonly { readonly call: number; readonly messages: number }[] {
    const keys = { from: contentKey(episode, 0), to: contentKey(episode + 1, 0) - 1 };
    const statement = `SELECT key & 1048575 AS call, length(messages) / 4 AS messages FROM callDetails
      WHERE key BETWEEN :from AND :to ORDER BY key`;
    return this.#rows.all(records.callLengthRecord, statement, keys);
  }
}

const callColumns = `call, agent, tag, startedAt, seconds, status, error, finishReason, reply, promptTokens,
  replyTokens, askedAfter, firstAfter`;

const toolTraces = `
SELECT call, agent, startedAt, seconds, messages, toolCalls FROM calls
  JOIN callDetails ON callDetails.key = (episode << 20) + call
  LEFT JOIN messageContents ON messageContents.key = (episode << 20) + reply
WHERE episode = :episode ORDER BY call`;

const callDetails = `
SELECT options, tools.tools, messages FROM callDetails LEFT JOIN tools ON tools.id = callDetails.tools
WHERE key = :key`;
