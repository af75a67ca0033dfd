import { useMemo } from 'preact/hooks';
import type { TokensView } from '../../protocol/traceRpc.ts';
import { count } from '../ui/format.ts';
import { spoken, startsWord, textPieces, type TextPiece } from './tokenLayout.ts';

export const tokenId = (position: number): string => `token-${position}`;

interface Props {
  readonly from: number;
  readonly end: number;
  /** Undefined while none has arrived. */
  readonly tokens: TokensView | undefined;
  /** The current token of the whole list. */
  readonly active: number | null;
}

/** Some tokens in a row, after the position of the first. */
export function TokenChunk({ from, end, tokens, active }: Props) {
  const activeHere = active !== null && from <= active && active < end ? active : null;
  return useMemo(
    () => (
      <div class="chunk" role="presentation">
        <span class="chunk-position" aria-hidden="true">
          {count(from)}
        </span>
        <div class="chunk-tokens" role="presentation">
          {positions(from, end).map((position) => (
            <Token key={position} position={position} tokens={tokens} active={position === activeHere} />
          ))}
        </div>
      </div>
    ),
    [from, end, tokens, activeHere],
  );
}

function positions(from: number, end: number): number[] {
  return Array.from({ length: end - from }, (_, offset) => from + offset);
}

interface TokenProps {
  readonly position: number;
  readonly tokens: TokensView | undefined;
  readonly active: boolean;
}

function Token({ position, tokens, active }: TokenProps) {
  const at = position - (tokens?.from ?? 0);
  const text = tokens?.texts[at];
  if (tokens === undefined || text === undefined) return null;
  const classes = ['token'];
  if (tokens.lossMask[at] === 1) classes.push('trained');
  if (tokens.special[at]) classes.push('special');
  if (text === '') classes.push('partial');
  const plain = startsWord(text);
  if (plain && text.startsWith(' ')) classes.push('spaced');
  return (
    <span
      id={tokenId(position)}
      class={classes.join(' ')}
      data-token={position}
      role="option"
      aria-selected={active}
      aria-posinset={active ? position + 1 : undefined}
      aria-setsize={active ? tokens.total : undefined}
      aria-label={text.trim() === '' ? spoken(text) : undefined}
    >
      {plain ? text : textPieces(text).map((piece, index) => <Piece key={index} piece={piece} />)}
    </span>
  );
}

function Piece({ piece }: { readonly piece: TextPiece }) {
  switch (piece.kind) {
    case 'text':
      return <>{piece.text}</>;
    case 'spaces':
      return (
        <i class="space" data-dots={'·'.repeat(piece.text.length)}>
          {piece.text}
        </i>
      );
    case 'tab':
      return <i class="tab">{'\t'}</i>;
    case 'return':
      return <i class="return" />;
    case 'newline':
      return <i class="newline">{'\n'}</i>;
  }
}
