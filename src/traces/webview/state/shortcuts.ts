import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { createContext } from 'preact';
import type { Disposable } from '../../../base/core/disposable.ts';
import { groupBy } from '../../../tracking/core/groupBy.ts';

export interface Shortcut {
  /** Each as a `KeyboardEvent` names its key, with `Alt+` before it where that is held: `b`, `?`, `Alt+ArrowUp`. */
  readonly keys: readonly string[];
  readonly what: string;
  /** Absent: what has the focus answers to the keys itself, and they are only listed. */
  readonly run?: () => void;
}

/** Shortcuts that belong together, under a heading. */
export interface ShortcutSection {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

/** The keys that do something wherever the focus is, as what is on the page brings them along. */
export class Shortcuts {
  readonly #sections = new Set<() => ShortcutSection>();

  /** @param section asked whenever a key is pressed */
  add(section: () => ShortcutSection): Disposable {
    this.#sections.add(section);
    return { dispose: () => void this.#sections.delete(section) };
  }

  /** Sections of one title are one. */
  list(): readonly ShortcutSection[] {
    const sections = [...this.#sections].map((section) => section());
    return [...groupBy(sections, ({ title }) => title)].map(([title, alike]) => ({
      title,
      shortcuts: alike.flatMap(({ shortcuts }) => shortcuts),
    }));
  }

  /** Neither the browser nor the editor hears of a key that is one of these. */
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
  // Brackets need it on many keyboards, where it looks as if both were held.
  if (event.getModifierState('AltGraph')) return event.key;
  if (event.ctrlKey) return undefined;
  return event.altKey ? `Alt+${event.key}` : event.key;
}

/** Whether keys mean text, or a dialog is open. */
function isTaken(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(taken) !== null;
}

/** Boxes and round buttons take no text. */
const taken = 'input:not([type="checkbox"], [type="radio"]), textarea, select, dialog';

export const ShortcutsContext = createContext(new Shortcuts());

/** Makes keys do something for as long as the component is there. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const all = useContext(ShortcutsContext);
  const newest = useRef<ShortcutSection>({ title, shortcuts });
  newest.current = { title, shortcuts };
  useLayoutEffect(() => {
    const added = all.add(() => newest.current);
    return () => added.dispose();
  }, []);
}
