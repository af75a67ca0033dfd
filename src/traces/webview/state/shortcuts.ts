import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { createContext } from 'preact';
import type { Disposable } from '../../../base/core/disposable.ts';
import { groupBy } from '../../../tracking/core/groupBy.ts';

export interface Shortcut {
  /** Key names of `KeyboardEvent`, with `Alt+` if it is held: `b`, `?`, `Alt+ArrowUp`. */
  readonly keys: readonly string[];
  readonly what: string;
  /** Absent: the focused element handles the keys, and they are only listed. */
  readonly run?: () => void;
}

export interface ShortcutSection {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

/** The keys that work with any focus. Components on the page register them. */
export class Shortcuts {
  readonly #sections = new Set<() => ShortcutSection>();

  /** @param section called whenever a key is pressed */
  add(section: () => ShortcutSection): Disposable {
    this.#sections.add(section);
    return { dispose: () => void this.#sections.delete(section) };
  }

  /** Returns the sections. Sections with equal titles are merged. */
  list(): readonly ShortcutSection[] {
    const sections = [...this.#sections].map((section) => section());
    return [...groupBy(sections, ({ title }) => title)].map(([title, alike]) => ({
      title,
      shortcuts: alike.flatMap(({ shortcuts }) => shortcuts),
    }));
  }

  /** Handles a key. The browser and the editor do not get keys that are used. */
  handle(event: KeyboardEvent): void {
    const keys = keysOf(event);
    if (keys === undefined || event.defaultPrevented || isTaken(event.target)) return;
    const found = this.list()
      .flatMap(({ shortcuts }) => shortcuts)
      .find((shortcut) => shortcut.run !== undefined && shortcut.keys.includes(keys));
    if (found === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    found.run?.();
  }
}

function keysOf(event: KeyboardEvent): string | undefined {
  if (event.isComposing || event.metaKey) return undefined;
  // On many keyboards brackets need AltGr, which looks like Ctrl and Alt.
  if (event.getModifierState('AltGraph')) return event.key;
  if (event.ctrlKey) return undefined;
  return event.altKey ? `Alt+${event.key}` : event.key;
}

/** Returns true if the target takes text, or a dialog is open. */
function isTaken(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(taken) !== null;
}

/** Checkboxes and radio buttons take no text. */
const taken = 'input:not([type="checkbox"], [type="radio"]), textarea, select, dialog';

export const ShortcutsContext = createContext(new Shortcuts());

export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const all = useContext(ShortcutsContext);
  const newest = useRef<ShortcutSection>({ title, shortcuts });
  newest.current = { title, shortcuts };
  useLayoutEffect(() => {
    const added = all.add(() => newest.current);
    return () => added.dispose();
  }, []);
}
