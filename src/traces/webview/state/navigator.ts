import { tokenParameter } from '../../core/viewerPage.ts';
import type { Memory } from './memory.ts';
import { formatRoute, isSibling, parseRoute, runRoute, type Route, type RunRoute } from './route.ts';

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
  forward(): void;
  onChange(listener: () => void): void;
}

const longestTrail = 50;

interface History {
  readonly route: () => Route;
  readonly canGoBack: () => boolean;
  readonly canGoForward: () => boolean;
  readonly push: (route: Route) => void;
  readonly replace: (route: Route) => void;
  readonly back: () => void;
  readonly forward: () => void;
}

/** @returns the navigator, and a function to call after each move in the history */
function navigatorOf(
  history: History,
  memory: Memory,
): { readonly navigator: Navigator; readonly arrived: () => void } {
  const run = runMemory(memory);
  let notify: () => void = () => undefined;
  run.keep(history.route());
  const navigator: Navigator = {
    get route() {
      return history.route();
    },
    get run() {
      return run.last;
    },
    get canGoBack() {
      return history.canGoBack();
    },
    get canGoForward() {
      return history.canGoForward();
    },
    go(route) {
      if (isSame(route, this.route)) return;
      if (isSibling(this.route, route)) history.replace(route);
      else history.push(route);
    },
    replace: (route) => history.replace(route),
    back(otherwise) {
      if (this.canGoBack) history.back();
      else history.replace(otherwise);
    },
    forward() {
      if (this.canGoForward) history.forward();
    },
    onChange: (listener) => (notify = listener),
  };
  const arrived = () => {
    run.keep(history.route());
    notify();
  };
  return { navigator, arrived };
}

/** Returns the navigator of an editor, with its own history of routes. */
export function editorNavigator(memory: Memory): Navigator {
  let { trail, at } = savedTrail(memory);
  const moveTo = (index: number) => {
    at = index;
    memory.write('trail', trail.map(formatRoute));
    memory.write('at', at);
    arrived();
  };
  const history: History = {
    route: () => trail[at] ?? runRoute,
    canGoBack: () => at > 0,
    canGoForward: () => at < trail.length - 1,
    push: (route) => {
      trail = [...trail.slice(0, at + 1), route].slice(-longestTrail);
      moveTo(trail.length - 1);
    },
    replace: (route) => {
      trail = trail.with(at, route);
      moveTo(at);
    },
    back: () => moveTo(at - 1),
    forward: () => moveTo(at + 1),
  };
  const { navigator, arrived } = navigatorOf(history, memory);
  return navigator;
}

function savedTrail(memory: Memory): { readonly trail: readonly Route[]; readonly at: number } {
  const saved = memory.read('trail');
  const texts: readonly unknown[] = Array.isArray(saved) && saved.length > 0 ? saved : [''];
  const trail = texts.map((text) => parseRoute(new URLSearchParams(textOf(text))));
  const at = memory.read('at');
  const last = trail.length - 1;
  return { trail, at: typeof at === 'number' && Number.isInteger(at) && at in trail ? at : last };
}

/** Uses the address's fragment, so that reloading, going back and sharing links work as usual. */
export function browserNavigator(page: Window, memory: Memory): Navigator {
  if (page.history.state === null) {
    page.history.replaceState({ steps: 0 }, '');
    memory.write('steps', 0);
  }
  let steps = stepsOf(page.history.state);
  const history: History = {
    route: () => parseRoute(fragmentOf(page)),
    canGoBack: () => steps > 0,
    // The memory has the last index of the history that the page has created.
    canGoForward: () => steps < Number(memory.read('steps') ?? 0),
    push: (route) => {
      steps += 1;
      memory.write('steps', steps);
      page.history.pushState({ steps }, '', addressOf(page, route));
      arrived();
    },
    replace: (route) => {
      page.history.replaceState({ steps }, '', addressOf(page, route));
      arrived();
    },
    back: () => page.history.back(),
    forward: () => page.history.forward(),
  };
  const { navigator, arrived } = navigatorOf(history, memory);
  page.addEventListener('popstate', () => {
    steps = stepsOf(page.history.state);
    arrived();
  });
  return navigator;
}

export function fragmentOf(page: Window): URLSearchParams {
  return new URLSearchParams(page.location.hash.slice(1));
}

function addressOf(page: Window, route: Route): string {
  const token = fragmentOf(page).get(tokenParameter);
  const parts = [...(token === null ? [] : [`${tokenParameter}=${encodeURIComponent(token)}`])];
  return `#${[...parts, formatRoute(route)].filter((part) => part !== '').join('&')}`;
}

function stepsOf(state: unknown): number {
  if (typeof state !== 'object' || state === null || !('steps' in state)) return 0;
  return typeof state.steps === 'number' ? state.steps : 0;
}

/** Returns the run's route when it was last shown. */
export function lastRunRoute(memory: Memory): RunRoute {
  const route = parseRoute(new URLSearchParams(textOf(memory.read('run'))));
  return route.kind === 'run' ? route : runRoute;
}

/** Remembers the run's filter and order while an episode is shown. */
function runMemory(memory: Memory): { readonly last: RunRoute; keep(route: Route): void } {
  return {
    get last() {
      return lastRunRoute(memory);
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
