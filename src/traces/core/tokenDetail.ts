import type { TokenAlternative, TokenDetail, TokenDrift } from './protocol/tokenRpc.ts';
import { alternativesOf } from '../../tracking/core/alternatives.ts';
import type { Range } from './align.ts';
import { traceErrors } from './errors.ts';
import type { LocatedTimeline } from './episodeContent.ts';
import type { TraceQueries } from './traceQueries.ts';
import { hunkAt, type TimelineFacts } from './tokenFacts.ts';
import { tokensView } from './tokensView.ts';
import { type TokenTable, utf8Pieces } from './tokenTable.ts';

const mostDrifted = 64;

/** Returns the details of a token. Throws `trace/no-such-token`. */
export function tokenDetail(
  trace: TraceQueries,
  at: LocatedTimeline,
  facts: TimelineFacts,
  token: number,
): TokenDetail {
  const { episode, found, timeline } = at;
  const { messages: positions } = found;
  const { ids, texts, logprobs, messages } = tokensView(positions, facts, { from: token, limit: 1 });
  const [id, message] = [ids[0], messages[0]];
  if (id === undefined || message === undefined) {
    throw traceErrors.noSuchToken(trace.rows.file, episode, timeline, token);
  }
  const position = positions[message] ?? 0;
  const inMessage = token - firstToken(positions, message, facts);
  const recorded = facts.alternatives(position, inMessage, inMessage + 1);
  const alternatives = recorded === null ? [] : alternativesOf(recorded, 0);
  const rank = alternatives.findIndex((one) => one.id === id);
  return {
    token,
    id,
    text: texts[0] ?? '',
    bytes: [...facts.table.at(id).bytes],
    logprob: logprobs[0] ?? null,
    message,
    inMessage,
    call: callOf(trace, at, message, facts.messages.head(position).author === 'llm'),
    rank: rank < 0 ? null : rank + 1,
    alternatives: alternatives.map((one) => named(one, facts.table)),
    drift: driftAt(facts, message, inMessage),
  };
}

function firstToken(positions: readonly number[], message: number, { messages }: TimelineFacts): number {
  return positions.slice(0, message).reduce((sum, position) => sum + messages.head(position).tokens, 0);
}

/** Returns the call of a message. A call's reply follows its request's messages. */
function callOf(
  trace: TraceQueries,
  { episode, found }: LocatedTimeline,
  message: number,
  isReply: boolean,
): TokenDetail['call'] {
  const own = new Set(found.calls);
  const calls = trace.calls.lengths(episode).filter(({ call }) => own.has(call));
  const maker = isReply ? calls.find(({ messages }) => messages === message) : undefined;
  if (maker !== undefined) return { call: maker.call, how: 'made' };
  const sender = calls.find(({ messages }) => messages > message);
  return sender === undefined ? null : { call: sender.call, how: 'sent' };
}

function named(
  { id, logprob }: { readonly id: number | null; readonly logprob: number },
  table: TokenTable,
): TokenAlternative {
  return { id, logprob, text: id === null ? '' : textOf([id], table) };
}

function driftAt(facts: TimelineFacts, message: number, token: number): TokenDrift | null {
  const { hunks, again } = facts.drift(message);
  const hunk = hunkAt(hunks, token);
  if (hunk === undefined || again === null) return null;
  const { from, end }: Range = hunk.left;
  const { tokenIds } = facts.messages.window(again, from, Math.min(end, from + mostDrifted));
  return {
    ids: [...tokenIds],
    text: textOf([...tokenIds], facts.table),
    made: hunk.right.end - hunk.right.from,
  };
}

function textOf(ids: readonly number[], table: TokenTable): string {
  return utf8Pieces(ids.map((id) => table.at(id).bytes)).join('');
}
