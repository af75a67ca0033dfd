import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import type { Shortcut } from '../../state/shortcuts.ts';
import type { AxisEngine } from './engine.ts';
import { spanInNextLane, type AxisModel, type AxisSpan } from './model.ts';

interface AxisUse {
  readonly engine: RefObject<AxisEngine | null>;
  readonly model: AxisModel;
  readonly selected: number | null;
  readonly select: (span: number) => void;
  readonly open: (span: AxisSpan | undefined) => void;
}

export function axisActions({ engine, model, selected, select, open }: AxisUse) {
  const last = model.spans.length - 1;
  const span = model.spans[selected ?? -1];
  const closer = () => engine.current?.zoom(0.7);
  const wider = () => engine.current?.zoom(1 / 0.7);
  const earlier = () => engine.current?.pan(-0.2);
  const later = () => engine.current?.pan(0.2);
  const step = (by: 1 | -1) => select(selected === null ? 0 : Math.min(Math.max(selected + by, 0), last));
  const lane = (by: 1 | -1) => {
    const next = selected === null ? 0 : spanInNextLane(model, selected, by);
    if (next !== undefined) select(next);
  };
  const actions: Readonly<Record<string, () => void>> = {
    w: closer,
    '+': closer,
    '=': closer,
    s: wider,
    '-': wider,
    a: earlier,
    ArrowLeft: earlier,
    d: later,
    ArrowRight: later,
    '0': () => engine.current?.fit(),
    f: () => span && engine.current?.frame(span),
    '[': () => step(-1),
    ']': () => step(1),
    ArrowUp: () => lane(-1),
    ArrowDown: () => lane(1),
    Home: () => select(0),
    End: () => select(last),
    Enter: () => open(span),
  };
  return actions;
}

/** Returns the name of a key without the shift key; undefined: other keys are held. */
export function keyOf(event: KeyboardEvent): string | undefined {
  const held = event.ctrlKey || event.altKey || event.metaKey;
  if (held && !event.getModifierState('AltGraph')) return undefined;
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}

export function axisShortcuts(): readonly Shortcut[] {
  return [
    { keys: ['w', '+'], what: l10n.t('Zoom in') },
    { keys: ['s', '-'], what: l10n.t('Zoom out') },
    { keys: ['a', 'ArrowLeft'], what: l10n.t('Earlier') },
    { keys: ['d', 'ArrowRight'], what: l10n.t('Later') },
    { keys: ['0'], what: l10n.t('Show the whole episode') },
    { keys: ['f'], what: l10n.t('Zoom to the selection') },
    { keys: ['['], what: l10n.t('Select the previous activity') },
    { keys: [']'], what: l10n.t('Select the next activity') },
    { keys: ['ArrowUp', 'ArrowDown'], what: l10n.t('Select in the lane above or below') },
    { keys: ['Home', 'End'], what: l10n.t('Select the first or the last') },
    { keys: ['Enter'], what: l10n.t('Open the selected call, or the call of the selected tool') },
  ];
}
