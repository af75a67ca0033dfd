import { failures } from './failures.ts';
import type { ModelFailure } from './model.ts';

export type ApiName = 'chat' | 'responses' | 'messages';
export type Route = ApiName | 'models' | 'health';

const routes: Readonly<Record<string, { readonly method: string; readonly route: Route }>> = {
  '/chat/completions': { method: 'POST', route: 'chat' },
  '/responses': { method: 'POST', route: 'responses' },
  '/messages': { method: 'POST', route: 'messages' },
  // Anthropic's clients append `/v1/messages` to the base URL.
  '/v1/messages': { method: 'POST', route: 'messages' },
  '/models': { method: 'GET', route: 'models' },
  '/health': { method: 'GET', route: 'health' },
};

/** Accepts paths with and without `/v1`, since clients differ in the base URL that they expect. */
export function findRoute(method: string, path: string): { route: Route } | { failure: ModelFailure } {
  const [plain = ''] = path.split('?');
  const name = nameOf(plain);
  const found = Object.hasOwn(routes, name) ? routes[name] : undefined;
  if (found === undefined) return { failure: failures.unknownRoute(method, plain) };
  if (found.method !== method) return { failure: failures.wrongMethod(method, plain, found.method) };
  return { route: found.route };
}

/** Returns the API of the client, from the path. The path may be unknown. */
export function apiAt(path: string): ApiName {
  const name = nameOf(path);
  if (/^(\/v1)?\/messages\b/.test(name)) return 'messages';
  return name.startsWith('/responses') ? 'responses' : 'chat';
}

function nameOf(path: string): string {
  return path.replace(/^\/v1(?=\/)/, '');
}
