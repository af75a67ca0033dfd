import { failures } from './failures.ts';
import type { ModelFailure } from './model.ts';

/**
 * Rejects requests of web pages. A page of another site can make its own name resolve to this machine (DNS rebinding),
 * but its requests still have that name in `Host`, and the page in `Origin`.
 */
export function checkLoopbackOrigin(headers: Readonly<Record<string, string>>): ModelFailure | undefined {
  if (!isLoopback(headers['host'] ?? '')) return failures.foreignHost();
  const origin = headers['origin'];
  if (origin === undefined) return undefined;
  const authority = /^https?:\/\/([^/]*)$/i.exec(origin)?.[1] ?? '';
  return isLoopback(authority) ? undefined : failures.foreignOrigin();
}

/** @param authority host with an optional port */
function isLoopback(authority: string): boolean {
  return /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i.test(authority);
}
