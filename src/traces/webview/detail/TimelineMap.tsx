import * as l10n from '@vscode/l10n';
import { useMemo, useRef } from 'preact/hooks';
import type { StripView } from '../../core/protocol/tokenRpc.ts';
import { count } from '../../../base/core/format.ts';
import { tokenAfterMapKey } from './tokenMoves.ts';
import { shadeOf, type Layer, type LayerScale, type Shade } from './tokenLayers.ts';

interface Props {
  readonly strip: StripView | undefined;
  readonly layer: Layer;
  readonly scale: LayerScale;
  readonly total: number;
  /** Tokens in view, `end` excluded. */
  readonly shown: { readonly first: number; readonly end: number };
  readonly onPick: (token: number) => void;
}

export const mapStretches = 1_024;

/** An overview in the colors of the layer, with a window for the visible part. */
export function TimelineMap({ strip, layer, scale, total, shown, onPick }: Props) {
  const dragging = useRef(false);
  const pick = (event: PointerEvent & { readonly currentTarget: Element }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const token = Math.floor(((event.clientX - left) / width) * total);
    onPick(Math.max(0, Math.min(token, total - 1)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const target = tokenAfterMapKey(event.key, shown, total);
    if (target === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onPick(target);
  };
  return (
    <div
      class="timeline-map"
      role="slider"
      tabIndex={0}
      aria-label={l10n.t('Position in the timeline')}
      aria-valuemin={0}
      aria-valuemax={total - 1}
      aria-valuenow={shown.first}
      aria-valuetext={l10n.t('Tokens {0} to {1} of {2}', count(shown.first), count(shown.end), count(total))}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        dragging.current = true;
        event.currentTarget.setPointerCapture(event.pointerId);
        pick(event);
      }}
      onPointerMove={(event) => dragging.current && pick(event)}
      onPointerUp={() => (dragging.current = false)}
      onPointerCancel={() => (dragging.current = false)}
    >
      <svg viewBox={`0 0 ${total} 16`} preserveAspectRatio="none" aria-hidden="true">
        <rect class="map-message" x="0" y="3" width={total} height="10" />
        {strip && <Stretches strip={strip} layer={layer} scale={scale} />}
        <rect
          class="map-shown"
          x={shown.first}
          y="0.5"
          width={Math.max(shown.end - shown.first, 1)}
          height="15"
        />
      </svg>
    </div>
  );
}

interface StretchesProps extends Pick<Props, 'layer' | 'scale'> {
  readonly strip: StripView;
}

/** Draws one path per shade, because there are a thousand sections. */
function Stretches({ strip, layer, scale }: StretchesProps) {
  const paths = useMemo(() => {
    const found = new Map<Shade, string>();
    strip.trained.forEach((_, at) => {
      const shade = shadeOf(layer, strip, at, scale);
      if (shade === null) return;
      const length = Math.min(strip.size, strip.total - at * strip.size);
      found.set(shade, `${found.get(shade) ?? ''}${bar(at * strip.size, length, heightOf(shade))}`);
    });
    return [...found];
  }, [strip, layer, scale.advantage, scale.clip]);
  return (
    <>
      {paths.map(([shade, path]) => (
        <path key={shade} class={`map-shade map-${shade}`} d={path} />
      ))}
    </>
  );
}

/** Returns the filled part of the line in tenths, so that color is not the only sign of a level. */
function heightOf(shade: Shade): { readonly top: number; readonly height: number } {
  const level = /^(heat|better|worse)-(\d)$/.exec(shade);
  if (level === null) return { top: shade === 'template' ? 10 : 3, height: shade === 'template' ? 3 : 10 };
  const height = Number(level[2]) * 2;
  return { top: level[1] === 'worse' ? 3 : 13 - height, height };
}

function bar(start: number, length: number, { top, height }: { top: number; height: number }): string {
  return `M${start} ${top}h${length}v${height}h-${length}z`;
}
