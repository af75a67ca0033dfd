import { CodedError } from '../../../base/core/errors.ts';
import { requestErrors, type HubItem } from './errors.ts';

export interface RequestOptions {
  readonly item: HubItem;
  /** Sent to the hub only, and not to other hosts that it redirects to. */
  readonly token: string | undefined;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** A status that is not an error. Its response has no body. */
  readonly allowed?: number;
}

/**
 * Requests a file of a hub. Rejects with the errors of the item. `fetch` follows redirects, and drops the token where
 * they leave the hub.
 */
export async function hubRequest(url: URL, options: RequestOptions): Promise<Response> {
  const { item, token, signal, allowed } = options;
  const headers = { ...options.headers, ...(token && { authorization: `Bearer ${token}` }) };
  const response = await fetch(url, { headers, signal }).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
    throw cause === 'redirect count exceeded'
      ? requestErrors.redirects(item, url)
      : requestErrors.offline(item, url.host, error);
  });
  const { ok, status } = response;
  if (ok) return response;
  await response.body?.cancel();
  if (status === allowed) return response;
  if (status < 400) throw requestErrors.redirects(item, url);
  if (status === 401 || status === 403) throw requestErrors.refused(item, status);
  throw status === 404 ? item.notFound(url) : requestErrors.status(item, url, status);
}

/** Returns the error of receiving a file: that of the file system or of the network. */
export function receiveError(item: HubItem, url: URL, file: string, error: unknown): unknown {
  if (error instanceof CodedError) return error;
  return isFileSystemError(error)
    ? requestErrors.notSaved(item, file, error)
    : requestErrors.offline(item, url.host, error);
}

/** Returns true if the file system failed, and not the network. */
export function isFileSystemError(error: unknown): boolean {
  const call = error instanceof Error && 'syscall' in error ? error.syscall : undefined;
  return ['mkdir', 'open', 'write', 'close', 'rename', 'symlink', 'unlink'].includes(String(call));
}
