import { failures } from './failures.ts';
import type { ModelFailure } from './model.ts';

export type Route = 'chat' | 'models' | 'health';

const routes: Readonly<Record<string, { readonly method: string; readonly route: Route }>> = {
  '/chat/completions': { method: 'POST', route: 'chat' },
  '/models': { method: 'GET', route: 'models' },
  '/health': { method: 'GET', route: 'health' },
};

/** Paths count with `/v1` before them and without: clients differ in what they take for the base URL. */
export function findRoute(method: string, path: string): { route: Route } | { failure: ModelFailure } {
  const [plain = ''] = path.split('?');
  const name = plain.replace(/^\/v1(?=\/)/, '');
  const found = Object.hasOwn(routes, name) ? routes[name] : undefined;
  if (found === undefined) return { failure: failures.unknownRoute(method, plain) };
  if (found.method !== method) return { failure: failures.wrongMethod(method, plain, found.method) };
  return { route: found.route };
}
