import { failures } from './failures.ts';
import type { ModelFailure } from './model.ts';

export type ApiName = 'chat' | 'responses' | 'messages';
export type Route = ApiName | 'models' | 'health';

const routes: Readonly<Record<string, { readonly method: string; readonly route: Route }>> = {
  '/chat/completions': { method: 'POST', route: 'chat' },
  '/responses': { method: 'POST', route: 'responses' },
  '/messages': { method: 'POST', route: 'messages' },
  // Anthropic's clients put `/v1/messages` behind a base URL, ours included.
  '/v1/messages': { method: 'POST', route: 'messages' },
  '/models': { method: 'GET', route: 'models' },
  '/health': { method: 'GET', route: 'health' },
};

/** Paths count with `/v1` before them and without: clients differ in what they take for the base URL. */
export function findRoute(method: string, path: string): { route: Route } | { failure: ModelFailure } {
  const [plain = ''] = path.split('?');
  const name = nameOf(plain);
  const found = Object.hasOwn(routes, name) ? routes[name] : undefined;
  if (found === undefined) return { failure: failures.unknownRoute(method, plain) };
  if (found.method !== method) return { failure: failures.wrongMethod(method, plain, found.method) };
  return { route: found.route };
}

/** Whose client asks: by the path, known or not. */
export function apiAt(path: string): ApiName {
  const name = nameOf(path);
  if (/^(\/v1)?\/messages\b/.test(name)) return 'messages';
  return name.startsWith('/responses') ? 'responses' : 'chat';
}

function nameOf(path: string): string {
  return path.replace(/^\/v1(?=\/)/, '');
}
