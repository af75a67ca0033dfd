import { tokenParameter } from '../../core/viewerPage.ts';
import type { Memory } from './memory.ts';
import { formatPlace, isSideways, parsePlace, runPlace, type Place, type RunPlace } from './place.ts';

/** Where the viewer is, across reloads, and where it was. */
export interface Navigator {
  readonly place: Place;
  /** The run as it was when it was last looked at. */
  readonly run: RunPlace;
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
  /** Going down or up can be undone by {@link back}; a move from sibling to sibling replaces where it was. */
  go(place: Place): void;
  /** Can be undone by nothing: goes there in place of where one is. */
  replace(place: Place): void;
  /** Where one was before, or `otherwise`, for who came by a link. */
  back(otherwise: Place): void;
  /** Undoes {@link back}. */
  forward(): void;
  onChange(listener: () => void): void;
}

/** Steps back that are kept. */
const longestTrail = 50;

/** In an editor: places as {@link formatPlace} has them, and which of them is the current one. */
export function editorNavigator(memory: Memory): Navigator {
  let { trail, at } = savedTrail(memory);
  const run = runMemory(memory);
  let notify: () => void = () => undefined;
  const placeAt = (index: number): Place => trail[index] ?? runPlace;
  const stand = (index: number) => {
    at = index;
    memory.write('trail', trail.map(formatPlace));
    memory.write('at', at);
    run.keep(placeAt(at));
    notify();
  };
  const replace = (place: Place) => {
    trail = trail.with(at, place);
    stand(at);
  };
  return {
    get place() {
      return placeAt(at);
    },
    get run() {
      return run.last;
    },
    get canGoBack() {
      return at > 0;
    },
    get canGoForward() {
      return at < trail.length - 1;
    },
    go(place) {
      if (isSame(place, this.place)) return;
      if (isSideways(this.place, place)) {
        replace(place);
        return;
      }
      trail = [...trail.slice(0, at + 1), place].slice(-longestTrail);
      stand(trail.length - 1);
    },
    replace,
    back(otherwise) {
      if (at > 0) stand(at - 1);
      else replace(otherwise);
    },
    forward() {
      if (this.canGoForward) stand(at + 1);
    },
    onChange: (listener) => (notify = listener),
  };
}

function savedTrail(memory: Memory): { readonly trail: readonly Place[]; readonly at: number } {
  const saved = memory.read('trail');
  const texts: readonly unknown[] = Array.isArray(saved) && saved.length > 0 ? saved : [''];
  const trail = texts.map((text) => parsePlace(new URLSearchParams(textOf(text))));
  const at = memory.read('at');
  const last = trail.length - 1;
  return { trail, at: typeof at === 'number' && Number.isInteger(at) && at in trail ? at : last };
}

/** In a browser: the fragment of the address, so that reloading, going back and sharing a link work as everywhere. */
export function browserNavigator(page: Window, memory: Memory): Navigator {
  if (page.history.state === null) {
    page.history.replaceState({ steps: 0 }, '');
    memory.write('steps', 0);
  }
  let steps = stepsOf(page.history.state);
  const run = runMemory(memory);
  let notify: () => void = () => undefined;
  const arrived = () => {
    run.keep(placeOf(page));
    notify();
  };
  page.addEventListener('popstate', () => {
    steps = stepsOf(page.history.state);
    arrived();
  });
  const replace = (place: Place) => {
    page.history.replaceState({ steps }, '', addressOf(page, place));
    arrived();
  };
  run.keep(placeOf(page));
  return {
    get place() {
      return placeOf(page);
    },
    get run() {
      return run.last;
    },
    get canGoBack() {
      return steps > 0;
    },
    get canGoForward() {
      return steps < lastStep(memory);
    },
    go(place) {
      if (isSame(place, this.place)) return;
      if (isSideways(this.place, place)) {
        replace(place);
        return;
      }
      steps += 1;
      memory.write('steps', steps);
      page.history.pushState({ steps }, '', addressOf(page, place));
      arrived();
    },
    replace,
    back(otherwise) {
      if (steps > 0) page.history.back();
      else replace(otherwise);
    },
    forward() {
      if (this.canGoForward) page.history.forward();
    },
    onChange: (listener) => (notify = listener),
  };
}

function placeOf(page: Window): Place {
  return parsePlace(fragmentOf(page));
}

export function fragmentOf(page: Window): URLSearchParams {
  return new URLSearchParams(page.location.hash.slice(1));
}

function addressOf(page: Window, place: Place): string {
  const token = fragmentOf(page).get(tokenParameter);
  const parts = [...(token === null ? [] : [`${tokenParameter}=${encodeURIComponent(token)}`])];
  return `#${[...parts, formatPlace(place)].filter((part) => part !== '').join('&')}`;
}

/** How far the history goes that the page has made. */
function lastStep(memory: Memory): number {
  return Number(memory.read('steps') ?? 0);
}

function stepsOf(state: unknown): number {
  if (typeof state !== 'object' || state === null || !('steps' in state)) return 0;
  return typeof state.steps === 'number' ? state.steps : 0;
}

/** The run's filter and sort outlive a visit to its episodes. */
function runMemory(memory: Memory): { readonly last: RunPlace; keep(place: Place): void } {
  return {
    get last() {
      const place = parsePlace(new URLSearchParams(textOf(memory.read('run'))));
      return place.kind === 'run' ? place : runPlace;
    },
    keep(place) {
      if (place.kind === 'run' && !isSame(place, this.last)) memory.write('run', formatPlace(place));
    },
  };
}

function textOf(saved: unknown): string {
  return typeof saved === 'string' ? saved : '';
}

function isSame(one: Place, other: Place): boolean {
  return formatPlace(one) === formatPlace(other);
}
