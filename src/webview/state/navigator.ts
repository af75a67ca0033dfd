import { depth, formatPlace, parentOf, parsePlace, runPlace, type Place } from './place.ts';
import type { EditorApi } from '../transport/vscode.ts';
import { tokenParameter } from '../../trace/viewerPage.ts';

/** Where the viewer is, across reloads, and where it was. */
export interface Navigator {
  readonly place: Place;
  /** Going down or up can be undone by {@link back}; a move from sibling to sibling replaces where it was. */
  go(place: Place): void;
  /** Where one was before, or, for who came by a link, one step up. */
  back(): void;
  onChange(listener: () => void): void;
}

/** Steps back that are kept. */
const longestTrail = 50;

/** In an editor: the state that it keeps for a webview, places as {@link formatPlace} has them, the current one last. */
export function editorNavigator(editor: EditorApi): Navigator {
  let trail = savedTrail(editor.getState());
  let notify: () => void = () => undefined;
  const move = (next: readonly Place[]) => {
    trail = next.slice(-longestTrail);
    editor.setState({ trail: trail.map(formatPlace) });
    notify();
  };
  return {
    get place() {
      return trail.at(-1) ?? runPlace;
    },
    go(place) {
      if (isSame(place, this.place)) return;
      move([...(isSideways(this.place, place) ? trail.slice(0, -1) : trail), place]);
    },
    back() {
      move(trail.length > 1 ? trail.slice(0, -1) : [parentOf(this.place)]);
    },
    onChange: (listener) => (notify = listener),
  };
}

function savedTrail(state: unknown): readonly Place[] {
  if (typeof state !== 'object' || state === null || !('trail' in state)) return [runPlace];
  if (!Array.isArray(state.trail)) return [runPlace];
  return state.trail.map((text) => parsePlace(new URLSearchParams(String(text))));
}

/** In a browser: the fragment of the address, so that reloading, going back and sharing a link work as everywhere. */
export function browserNavigator(page: Window): Navigator {
  let steps = stepsOf(page.history.state);
  let notify: () => void = () => undefined;
  page.addEventListener('popstate', () => {
    steps = stepsOf(page.history.state);
    notify();
  });
  const replace = (place: Place) => {
    page.history.replaceState({ steps }, '', addressOf(page, place));
    notify();
  };
  return {
    get place() {
      return parsePlace(fragmentOf(page));
    },
    go(place) {
      if (isSame(place, this.place)) return;
      if (isSideways(this.place, place)) {
        replace(place);
        return;
      }
      steps += 1;
      page.history.pushState({ steps }, '', addressOf(page, place));
      notify();
    },
    back() {
      if (steps > 0) page.history.back();
      else replace(parentOf(this.place));
    },
    onChange: (listener) => (notify = listener),
  };
}

export function fragmentOf(page: Window): URLSearchParams {
  return new URLSearchParams(page.location.hash.slice(1));
}

function addressOf(page: Window, place: Place): string {
  const token = fragmentOf(page).get(tokenParameter);
  const parts = [...(token === null ? [] : [`${tokenParameter}=${encodeURIComponent(token)}`])];
  return `#${[...parts, formatPlace(place)].filter((part) => part !== '').join('&')}`;
}

function stepsOf(state: unknown): number {
  if (typeof state !== 'object' || state === null || !('steps' in state)) return 0;
  return typeof state.steps === 'number' ? state.steps : 0;
}

function isSame(one: Place, other: Place): boolean {
  return formatPlace(one) === formatPlace(other);
}

function isSideways(from: Place, to: Place): boolean {
  return depth(from) === 2 && depth(to) === 2 && from.episode === to.episode;
}
