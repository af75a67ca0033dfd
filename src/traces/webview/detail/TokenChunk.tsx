import { useMemo } from 'preact/hooks';
import type { TokensView } from '../../core/protocol/tokenRpc.ts';
import { count } from '../../../base/core/format.ts';
import { hiddenName, spoken, startsWord, textPieces, type TextPiece } from './tokenLayout.ts';
import { isClipped } from '../../../tracking/core/policyShift.ts';
import { shadeOf, type Layer, type LayerScale } from './tokenLayers.ts';
import { overlap, type TokenRange } from './tokenRange.ts';

export const tokenId = (position: number): string => `token-${position}`;

export interface Marks {
  readonly layer: Layer;
  readonly scale: LayerScale;
  readonly active: number | null;
  readonly chosen: TokenRange | null;
  /** The matches of a search in the drawn tokens, and the current match. */
  readonly found: readonly TokenRange[];
  readonly current: TokenRange | null;
}

interface Props {
  readonly from: number;
  readonly end: number;
  /** Undefined until a part has been loaded. */
  readonly tokens: TokensView | undefined;
  readonly marks: Marks;
}

export function TokenChunk({ from, end, tokens, marks }: Props) {
  const here = within(marks, { from, end });
  return useMemo(
    () => (
      <div class="chunk" role="presentation">
        <span class="chunk-position" aria-hidden="true">
          {count(from)}
        </span>
        <div class="chunk-tokens" role="presentation">
          {Array.from({ length: end - from }, (_, offset) => (
            <Token key={from + offset} position={from + offset} tokens={tokens} marks={here} />
          ))}
        </div>
      </div>
    ),
    [from, end, tokens, JSON.stringify(here)],
  );
}

/** Returns the marks that concern a chunk, so that changes elsewhere do not redraw it. */
function within(marks: Marks, chunk: TokenRange): Marks {
  const { active, chosen, found, current } = marks;
  const isHere = active !== null && chunk.from <= active && active < chunk.end;
  return {
    ...marks,
    active: isHere ? active : null,
    chosen: chosen && overlap(chosen, chunk),
    found: found.filter((match) => overlap(match, chunk) !== null),
    current: current && overlap(current, chunk),
  };
}

interface TokenProps {
  readonly position: number;
  readonly tokens: TokensView | undefined;
  readonly marks: Marks;
}

function Token({ position, tokens, marks }: TokenProps) {
  const at = position - (tokens?.from ?? 0);
  const text = tokens?.texts[at];
  if (tokens === undefined || text === undefined) return null;
  const active = position === marks.active;
  return (
    <span
      id={tokenId(position)}
      class={classesOf(tokens, at, { position, marks })}
      data-token={position}
      role="option"
      aria-selected={active || contains(marks.chosen, position)}
      aria-posinset={active ? position + 1 : undefined}
      aria-setsize={active ? tokens.total : undefined}
      aria-label={spoken(text)}
    >
      <TokenText text={text} />
    </span>
  );
}

/** A token's text with visible signs for hidden characters. It is copied unchanged. */
export function TokenText({ text }: { readonly text: string }) {
  if (startsWord(text)) return <>{text}</>;
  return (
    <>
      {textPieces(text).map((piece, index) => (
        <Piece key={index} piece={piece} />
      ))}
    </>
  );
}

function classesOf(
  tokens: TokensView,
  at: number,
  { position, marks }: Pick<TokenProps, 'position' | 'marks'>,
): string {
  const text = tokens.texts[at] ?? '';
  const { layer, scale } = marks;
  const shade = shadeOf(layer, tokens, at, scale);
  const ratio = layer === 'ratio' ? tokens.trainer?.ratios[at] : null;
  const classes: Readonly<Record<string, boolean>> = {
    token: true,
    trained: tokens.lossMask[at] === 1,
    special: tokens.special[at] === true,
    partial: text === '',
    clipped: typeof ratio === 'number' && scale.clip !== null && isClipped(ratio, scale.clip),
    spaced: text.startsWith(' ') && startsWord(text),
    current: position === marks.active,
    chosen: contains(marks.chosen, position),
    found: marks.found.some((match) => contains(match, position)),
    'found-current': contains(marks.current, position),
    [`shade-${shade ?? 'none'}`]: shade !== null,
  };
  return Object.keys(classes)
    .filter((name) => classes[name] === true)
    .join(' ');
}

function contains(range: TokenRange | null, token: number): boolean {
  return range !== null && range.from <= token && token < range.end;
}

function Piece({ piece: { kind, text } }: { readonly piece: TextPiece }) {
  switch (kind) {
    case 'text':
      return <>{text}</>;
    case 'spaces':
      return (
        <i class="space" data-dots={'·'.repeat(text.length)}>
          {text}
        </i>
      );
    case 'hidden':
      return (
        <i class="hidden-character" data-name={hiddenName(text)}>
          {text}
        </i>
      );
    default:
      return <i class={kind}>{text}</i>;
  }
}
