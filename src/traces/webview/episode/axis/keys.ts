import * as l10n from '@vscode/l10n';
import type { Shortcut } from '../../state/shortcuts.ts';

/** An action that changes the visible range. */
export type AxisMove =
  | { readonly kind: 'zoom'; readonly factor: number }
  | { readonly kind: 'pan'; readonly screens: number }
  | { readonly kind: 'fit' | 'frame' };

/** An action of a key on the time axis. */
export type AxisAction =
  | AxisMove
  | { readonly kind: 'open' | 'first' | 'last' }
  | { readonly kind: 'step' | 'lane'; readonly by: 1 | -1 };

const closer: AxisAction = { kind: 'zoom', factor: 0.7 };
const wider: AxisAction = { kind: 'zoom', factor: 1 / 0.7 };
const earlier: AxisAction = { kind: 'pan', screens: -0.2 };
const later: AxisAction = { kind: 'pan', screens: 0.2 };

const actions: Readonly<Record<string, AxisAction>> = {
  w: closer,
  '+': closer,
  '=': closer,
  s: wider,
  '-': wider,
  a: earlier,
  ArrowLeft: earlier,
  d: later,
  ArrowRight: later,
  '0': { kind: 'fit' },
  f: { kind: 'frame' },
  '[': { kind: 'step', by: -1 },
  ']': { kind: 'step', by: 1 },
  ArrowUp: { kind: 'lane', by: -1 },
  ArrowDown: { kind: 'lane', by: 1 },
  Home: { kind: 'first' },
  End: { kind: 'last' },
  Enter: { kind: 'open' },
};

/** Returns the action; undefined: the axis does not use the key. */
export function actionOf(event: KeyboardEvent): AxisAction | undefined {
  const held = event.ctrlKey || event.altKey || event.metaKey;
  if (held && !event.getModifierState('AltGraph')) return undefined;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return Object.hasOwn(actions, key) ? actions[key] : undefined;
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
