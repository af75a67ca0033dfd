import * as l10n from '@vscode/l10n';
import type { ComparedRange, CompareRow } from '../../core/protocol/tokenRpc.ts';
import { TokenText } from '../detail/TokenChunk.tsx';
import { spoken } from '../detail/tokenLayout.ts';
import type { TokenRange } from '../detail/tokenRange.ts';
import { count, logprob } from '../../../base/core/format.ts';
import type { CompareBlock, ComparePiece } from './compareItems.ts';
import type { PagedToken, TokenPages } from './tokenPages.ts';

interface Props {
  readonly item: CompareBlock | undefined;
  readonly left: TokenPages;
  readonly right: TokenPages;
  /** Position of the first token that differs; null: all tokens are equal. */
  readonly divergence: number | null;
}

export function ComparedItem({ item, left, right, divergence }: Props) {
  switch (item?.kind) {
    case undefined:
      return null;
    case 'row':
      return <RowHeading row={item.row} />;
    case 'gap':
      return <p class="compare-gap">{l10n.t('{0} equal tokens', count(item.tokens))}</p>;
    case 'block':
      return (
        <div class="compare-block">
          <Side side="left" pieces={item.pieces} pages={left} divergence={divergence} />
          <Side side="right" pieces={item.pieces} pages={right} divergence={divergence} />
        </div>
      );
  }
}

function RowHeading({ row }: { readonly row: CompareRow }) {
  return (
    <div class={`compare-row row-${row.kind}`}>
      <span class="compare-cell">
        <span class="role">{row.role}</span>
        <span class="badge">{rowName(row)}</span>
        <MessageOf range={row.left} />
      </span>
      <span class="compare-cell">
        <MessageOf range={row.right} />
      </span>
    </div>
  );
}

function rowName({ kind, sameText }: CompareRow): string {
  const names: Readonly<Record<CompareRow['kind'], string>> = {
    same: l10n.t('same'),
    changed: sameText ? l10n.t('same text, other tokens') : l10n.t('differs'),
    left: l10n.t('left only'),
    right: l10n.t('right only'),
  };
  return names[kind];
}

function MessageOf({ range }: { readonly range: ComparedRange | null }) {
  return (
    <span class="muted compare-message">
      {range !== null && l10n.t('message {0}, {1} tokens', range.message, count(range.tokens))}
    </span>
  );
}

interface SideProps {
  readonly side: 'left' | 'right';
  readonly pieces: readonly ComparePiece[];
  readonly pages: TokenPages;
  readonly divergence: number | null;
}

function Side({ side, pieces, pages, divergence }: SideProps) {
  return (
    <div class={`compare-tokens side-${side}`}>
      {pieces.map((piece, index) => (
        <Tokens key={index} kind={piece.kind} range={piece[side]} pages={pages} divergence={divergence} />
      ))}
    </div>
  );
}

interface TokensProps extends Pick<SideProps, 'pages' | 'divergence'> {
  readonly kind: ComparePiece['kind'];
  readonly range: TokenRange;
}

function Tokens({ kind, range: { from, end }, pages, divergence }: TokensProps) {
  return (
    <span class={`piece-${kind}`}>
      {Array.from({ length: end - from }, (_, index) => from + index).map((position) => (
        <Token
          key={position}
          token={pages.at(position)}
          position={position}
          isFirst={position === divergence}
        />
      ))}
    </span>
  );
}

interface TokenProps {
  readonly token: PagedToken | undefined;
  readonly position: number;
  readonly isFirst: boolean;
}

/** An undefined token is still loading. */
function Token({ token, position, isFirst }: TokenProps) {
  if (token === undefined) return null;
  const label = spoken(token.text);
  const classes = [
    'token',
    token.trained ? 'trained' : '',
    token.special ? 'special' : '',
    isFirst ? 'first-difference' : '',
  ];
  const facts = [l10n.t('token {0}', count(position)), l10n.t('id {0}', token.id)];
  if (token.logprob !== null) facts.push(logprob(token.logprob));
  return (
    <span
      class={classes.filter((name) => name !== '').join(' ')}
      title={facts.join(' · ')}
      role={label === undefined ? undefined : 'img'}
      aria-label={label}
    >
      <TokenText text={token.text} />
    </span>
  );
}
