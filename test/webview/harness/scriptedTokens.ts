/** What a trace server works out of a timeline's tokens, the long way round. */
import type { ParamsOf } from '../../../src/traces/core/protocol/traceRpc.ts';
import type {
  TokensView,
  FindView,
  StripView,
  TokenDetail,
} from '../../../src/traces/core/protocol/tokenRpc.ts';

/** @param tokens all of a timeline's */
export function stripOf(tokens: TokensView, stretches: number): StripView {
  const size = Math.max(1, Math.ceil(tokens.total / stretches));
  const starts = Array.from({ length: Math.ceil(tokens.total / size) }, (_, index) => index * size);
  const part = <T>(values: readonly T[], start: number): readonly T[] => values.slice(start, start + size);
  const known = (values: readonly (number | null)[]): readonly number[] =>
    values.filter((one) => one !== null);
  const orNull = (value: number): number | null => (Number.isFinite(value) ? value : null);
  return {
    total: tokens.total,
    size,
    trained: starts.map((start) => {
      const mask = part(tokens.lossMask, start);
      return mask.filter((counts) => counts === 1).length / mask.length;
    }),
    authors: starts.map((start) => tokens.authors[start] ?? 'template'),
    logprobs: starts.map((start) => orNull(Math.min(...known(part(tokens.logprobs, start))))),
    entropies: starts.map((start) => orNull(Math.max(...known(part(tokens.entropies, start))))),
    drifted: starts.map((start) => (part(tokens.drifted, start).includes(1) ? 1 : 0)),
    trainer: tokens.trainer && {
      ratios: starts.map((start) => orNull(Math.max(...known(part(tokens.trainer?.ratios ?? [], start))))),
      kls: starts.map((start) => orNull(Math.max(...known(part(tokens.trainer?.kls ?? [], start))))),
    },
  };
}

/** Texts and patterns token by token. */
export function findIn(tokens: TokensView, { wanted, from }: ParamsOf<'find'>): FindView {
  const matches = (token: number): boolean => {
    const text = tokens.texts[token] ?? '';
    if (wanted.kind === 'id') return tokens.ids[token] === wanted.id;
    return wanted.kind === 'text' ? text.includes(wanted.text) : new RegExp(wanted.text, 'u').test(text);
  };
  const positions = tokens.ids.map((_, token) => token).filter((token) => token >= from && matches(token));
  return { matches: positions.map((token) => ({ from: token, end: token + 1 })), next: null };
}

export function detailOf(tokens: TokensView, token: number): TokenDetail {
  const text = tokens.texts[token] ?? '';
  const message = tokens.messages[token] ?? 0;
  const logprob = tokens.logprobs[token] ?? null;
  return {
    token,
    id: tokens.ids[token] ?? 0,
    text,
    bytes: [...new TextEncoder().encode(text)],
    logprob,
    message,
    inMessage: token - tokens.messages.indexOf(message),
    call: { call: 0, how: tokens.lossMask[token] === 1 ? 'made' : 'sent' },
    rank: logprob === null ? null : 1,
    alternatives:
      logprob === null
        ? []
        : [
            { id: tokens.ids[token] ?? 0, text, logprob },
            { id: null, text: '', logprob: logprob - 2 },
          ],
    drift: null,
  };
}
