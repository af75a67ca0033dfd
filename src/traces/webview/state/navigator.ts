import { tokenParameter } from '../../core/viewerPage.ts';
import type { Memory } from './memory.ts';
import { formatRoute, isSibling, parseRoute, runRoute, type Route, type RunRoute } from './route.ts';

/** The current location of the viewer and its history, across reloads. */
export interface Navigator {
  readonly route: Route;
  /** The run's route when it was last shown. */
  readonly run: RunRoute;
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
  /** Goes to a route. {@link back} undoes moves up and down. A move to a sibling replaces the current entry. */
  go(route: Route): void;
  /** Replaces the current route without a history entry. */
  replace(route: Route): void;
  /** Goes to the previous route, or to `otherwise` if there is none. */
  back(otherwise: Route): void;
  /** Undoes {@link back}. */
  forward(): void;
  onChange(listener: () => void): void;
}

/** The maximum number of history entries. */
const longestTrail = 50;

/** Returns the navigator of an editor, with its own history of routes. */
export function editorNavigator(memory: Memory): Navigator {
  let { trail, at } = savedTrail(memory);
  const run = runMemory(memory);
  let notify: () => void = () => undefined;
  const routeAt = (index: number): Route => trail[index] ?? runRoute;
  const stand = (index: number) => {
    at = index;
    memory.write('trail', trail.map(formatRoute));
    memory.write('at', at);
    run.keep(routeAt(at));
    notify();
  };
  const replace = (route: Route) => {
    trail = trail.with(at, route);
    stand(at);
  };
  return {
    get route() {
      return routeAt(at);
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
    go(route) {
      if (isSame(route, this.route)) return;
      if (isSibling(this.route, route)) {
        replace(route);
        return;
      }
      trail = [...trail.slice(0, at + 1), route].slice(-longestTrail);
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

function savedTrail(memory: Memory): { readonly trail: readonly Route[]; readonly at: number } {
  const saved = memory.read('trail');
  const texts: readonly unknown[] = Array.isArray(saved) && saved.length > 0 ? saved : [''];
  const trail = texts.map((text) => parseRoute(new URLSearchParams(textOf(text))));
  const at = memory.read('at');
  const last = trail.length - 1;
  return { trail, at: typeof at === 'number' && Number.isInteger(at) && at in trail ? at : last };
}

/**
 * Returns the navigator of a browser, which uses the address's fragment. So reloading, going back and sharing links
 * work as usual.
 */
export function browserNavigator(page: Window, memory: Memory): Navigator {
  if (page.history.state === null) {
    page.history.replaceState({ steps: 0 }, '');
    memory.write('steps', 0);
  }
  let steps = stepsOf(page.history.state);
  const run = runMemory(memory);
  let notify: () => void = () => undefined;
  const arrived = () => {
    run.keep(routeOf(page));
    notify();
  };
  page.addEventListener('popstate', () => {
    steps = stepsOf(page.history.state);
    arrived();
  });
  const replace = (route: Route) => {
    page.history.replaceState({ steps }, '', addressOf(page, route));
    arrived();
  };
  run.keep(routeOf(page));
  return {
    get route() {
      return routeOf(page);
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
    go(route) {
      if (isSame(route, this.route)) return;
      if (isSibling(this.route, route)) {
        replace(route);
        return;
      }
      steps += 1;
      memory.write('steps', steps);
      page.history.pushState({ steps }, '', addressOf(page, route));
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

function routeOf(page: Window): Route {
  return parseRoute(fragmentOf(page));
}

export function fragmentOf(page: Window): URLSearchParams {
  return new URLSearchParams(page.location.hash.slice(1));
}

function addressOf(page: Window, route: Route): string {
  const token = fragmentOf(page).get(tokenParameter);
  const parts = [...(token === null ? [] : [`${tokenParameter}=${encodeURIComponent(token)}`])];
  return `#${[...parts, formatRoute(route)].filter((part) => part !== '').join('&')}`;
}

/** Returns the last index of the history that the page has created. */
function lastStep(memory: Memory): number {
  return Number(memory.read('steps') ?? 0);
}

function stepsOf(state: unknown): number {
  if (typeof state !== 'object' || state === null || !('steps' in state)) return 0;
  return typeof state.steps === 'number' ? state.steps : 0;
}

/** Remembers the run's filter and order while an episode is shown. */
function runMemory(memory: Memory): { readonly last: RunRoute; keep(route: Route): void } {
  return {
    get last() {
      const route = parseRoute(new URLSearchParams(textOf(memory.read('run'))));
      return route.kind === 'run' ? route : runRoute;
    },
    keep(route) {
      if (route.kind === 'run' && !isSame(route, this.last)) memory.write('run', formatRoute(route));
    },
  };
}

function textOf(saved: unknown): string {
  return typeof saved === 'string' ? saved : '';
}

function isSame(one: Route, other: Route): boolean {
  return formatRoute(one) === formatRoute(other);
}
