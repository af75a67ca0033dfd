import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { byteLength, type Raster } from './rasters.ts';
import { DataChip } from './PlainText.tsx';

/** An image as high as a line or two. A click or Enter toggles its full size. */
export function Thumbnail({ raster, name }: { readonly raster: Raster; readonly name: string }) {
  const [large, setLarge] = useState(false);
  const [broken, setBroken] = useState(false);
  const { type, base64 } = raster;
  if (broken) {
    return (
      <span>
        <DataChip type={type} size={byteLength(base64)} />{' '}
        <span class="muted">{l10n.t('(image cannot be shown)')}</span>
      </span>
    );
  }
  const title = large ? l10n.t('Shrink the image') : l10n.t('Enlarge the image');
  return (
    <button
      type="button"
      class={`thumbnail ${large ? 'thumbnail-large' : ''}`}
      aria-expanded={large}
      title={title}
      onClick={() => setLarge(!large)}
    >
      <img
        src={`data:${type};base64,${base64}`}
        alt={name === '' ? l10n.t('Image') : l10n.t('Image: {0}', name)}
        onError={() => setBroken(true)}
      />
    </button>
  );
}
