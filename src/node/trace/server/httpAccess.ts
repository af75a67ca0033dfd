import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Names by which a browser of this machine may know the server. Any other comes from DNS that was turned against it. */
const ownNames = ['127.0.0.1', 'localhost'];

/**
 * Whether a request was made to this server by its own page or by no page at all. A page of another site that has its
 * name resolve to this machine still sends that name as Host.
 */
export function isFromHere({ host, origin }: IncomingHttpHeaders, port: number): boolean {
  const own = ownNames.map((name) => `${name}:${port}`);
  if (host === undefined || !own.includes(host)) return false;
  return origin === undefined || origin === `http://${host}`;
}

/** Whether `Authorization: Bearer …` has the token; takes as long whatever is wrong with it. */
export function hasToken({ authorization = '' }: IncomingHttpHeaders, token: string): boolean {
  return timingSafeEqual(digest(authorization), digest(`Bearer ${token}`));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
