import * as l10n from '@vscode/l10n';
import { useMemo } from 'preact/hooks';
import { sizeText } from '../../../base/core/format.ts';
import { textPieces } from './rasters.ts';

/** A plain text in which base64 data is replaced by its type and size. */
export function PlainText({ text }: { readonly text: string }) {
  const pieces = useMemo(() => textPieces(text), [text]);
  return (
    <>
      {pieces.map((piece, index) =>
        piece.kind === 'text' ? piece.text : <DataChip key={index} type={piece.type} size={piece.bytes} />,
      )}
    </>
  );
}

export function DataChip({ type, size }: { readonly type: string; readonly size: number }) {
  return (
    <span class="data-chip">
      {type === '' ? l10n.t('base64 data, {0}', sizeText(size)) : l10n.t('{0}, {1}', type, sizeText(size))}
    </span>
  );
}
