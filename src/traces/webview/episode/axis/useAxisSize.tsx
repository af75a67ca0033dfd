import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { Icon } from '../../../../base/webview/ui/Icon.tsx';
import { usePersistentState } from '../../state/viewer.ts';

/** In pixels: the height of the ruler and a lane, and as much as a large screen has. */
const [least, most] = [48, 2_000];
const step = 24;

export interface AxisSize {
  readonly open: boolean;
  readonly setOpen: (open: boolean) => void;
  /** The largest height of the lanes in pixels; undefined: that of the style sheet. */
  readonly height: number | undefined;
  readonly setHeight: (height: number | undefined) => void;
}

/** The remembered size of the time axis: it is folded, or has a height. */
export function useAxisSize(): AxisSize {
  const [open, setOpen] = usePersistentState('axis.open', (saved) => saved === true);
  const [height, setHeight] = usePersistentState('axis.height', (saved) =>
    typeof saved === 'number' && saved >= least && saved <= most ? saved : undefined,
  );
  return { open, setOpen, height, setHeight };
}

export function AxisFold({ open, setOpen }: AxisSize) {
  const name = open ? l10n.t('Hide the time axis') : l10n.t('Show the time axis');
  return (
    <button
      type="button"
      class="link axis-fold"
      aria-expanded={open}
      title={name}
      onClick={() => setOpen(!open)}
    >
      <Icon name={open ? 'down' : 'chevron'} /> {l10n.t('Time axis')}
    </button>
  );
}

interface SplitterProps {
  readonly size: AxisSize;
  /** The element above, whose height changes. */
  readonly above: RefObject<HTMLElement | null>;
}

/** Changes the height of the lanes by pointer and by keys. A double click restores it. */
export function AxisSplitter({ size: { height, setHeight }, above }: SplitterProps) {
  const current = () => above.current?.clientHeight ?? height ?? least;
  const resize = (next: number) => setHeight(Math.round(Math.min(most, Math.max(least, next))));
  const onPointerDown = (event: PointerEvent) => {
    const splitter = event.currentTarget as HTMLElement;
    const start = current() - event.clientY;
    const move = (moved: PointerEvent) => resize(start + moved.clientY);
    splitter.setPointerCapture(event.pointerId);
    splitter.addEventListener('pointermove', move);
    splitter.addEventListener('lostpointercapture', () => splitter.removeEventListener('pointermove', move), {
      once: true,
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: step, ArrowUp: -step }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    resize(current() + by);
  };
  return (
    <div
      class="axis-splitter"
      role="separator"
      aria-orientation="horizontal"
      aria-label={l10n.t('Height of the time axis')}
      aria-valuenow={height ?? current()}
      aria-valuemin={least}
      aria-valuemax={most}
      title={l10n.t('Drag to resize. Double-click to restore the height.')}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
      onDblClick={() => setHeight(undefined)}
    />
  );
}
