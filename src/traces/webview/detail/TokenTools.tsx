import * as l10n from '@vscode/l10n';
import type { TimelineView } from '../../core/protocol/episodeRpc.ts';
import type { StripView } from '../../core/protocol/tokenRpc.ts';
import { clipText } from '../../core/trainingTexts.ts';
import { count } from '../../../base/core/format.ts';
import { IconButton } from '../../../base/webview/ui/Icon.tsx';
import { copyForms, type CopyForm } from './copyTokens.ts';
import { layerName, layers, readLayer, stepsOf, emptyLayerReason, type Layer } from './tokenLayers.ts';
import type { TokenRange } from './tokenRange.ts';

interface Props {
  readonly layer: Layer;
  readonly onLayer: (layer: Layer) => void;
  readonly timeline: Pick<TimelineView, 'advantage' | 'exact' | 'row'>;
  readonly strip: StripView | undefined;
  readonly onFind: () => void;
  readonly onGo: () => void;
  readonly onChoose: () => void;
}

export function TokenTools({ layer, onLayer, timeline, strip, onFind, onGo, onChoose }: Props) {
  const empty = emptyLayerReason(layer, strip, timeline);
  return (
    <div class="token-tools foldable">
      <label class="layer-choice">
        {l10n.t('Colors')}
        <select value={layer} onChange={({ currentTarget }) => onLayer(readLayer(currentTarget.value))}>
          {layers.map((one) => (
            <option key={one} value={one}>
              {layerName(one)}
            </option>
          ))}
        </select>
      </label>
      {empty === undefined ? <Legend layer={layer} timeline={timeline} /> : <p class="legend">{empty}</p>}
      <span class="token-actions">
        <button type="button" onClick={onFind}>
          {l10n.t('Find')}
        </button>
        <button type="button" onClick={onGo}>
          {l10n.t('Go to')}
        </button>
        <button type="button" onClick={onChoose}>
          {l10n.t('Select all')}
        </button>
      </span>
    </div>
  );
}

function Legend({ layer, timeline: { advantage, row } }: Pick<Props, 'layer' | 'timeline'>) {
  const clip = row.training?.clip;
  return (
    <p class="legend" aria-label={l10n.t('Legend')}>
      {layer === 'advantage' && advantage !== null && (
        <span class="mono">{advantage.toFixed(3).replace('-', '−')}</span>
      )}
      {stepsOf(layer).map(({ shade, name }) => (
        <span key={name} class={`sample ${shade === null ? '' : `shade-${shade}`}`}>
          {name}
        </span>
      ))}
      {layer === 'ratio' && clip && (
        <span class="sample clipped">{l10n.t('outside of the clip range {0}', clipText(clip))}</span>
      )}
      {layer === 'mask' && <span class="sample special">{l10n.t('special')}</span>}
      {layer !== 'mask' && <span class="sample trained">{l10n.t('trained')}</span>}
    </p>
  );
}

interface CopyProps {
  readonly chosen: TokenRange;
  readonly onCopy: (form: CopyForm) => void;
  readonly onClear: () => void;
  readonly announcement: string;
}

export function TokenCopy({ chosen, onCopy, onClear, announcement }: CopyProps) {
  const tokens = chosen.end - chosen.from;
  const range =
    tokens === 1
      ? l10n.t('Token {0} is selected', count(chosen.from))
      : l10n.t(
          '{0} tokens are selected, from {1} to {2}',
          count(tokens),
          count(chosen.from),
          count(chosen.end - 1),
        );
  return (
    <div class="token-bar" role="group" aria-label={l10n.t('Selected tokens')}>
      <span>{range}</span>
      {copyForms.map((form) => (
        <button key={form} type="button" onClick={() => onCopy(form)}>
          {copyName(form)}
        </button>
      ))}
      <p class="found-text" role="status">
        {announcement}
      </p>
      <IconButton icon="close" name={l10n.t('Clear the selection')} onPress={onClear} />
    </div>
  );
}

function copyName(form: CopyForm): string {
  return { text: l10n.t('Copy text'), ids: l10n.t('Copy ids'), json: l10n.t('Copy JSON') }[form];
}
