/** The errors of a request to a hub. */
export interface RequestFailures {
  offline(host: string, cause: unknown): Error;
  redirects(url: string): Error;
}

export interface RequestOptions {
  /** Sent to the hub only, and not to other hosts that it redirects to. */
  readonly token: string | undefined;
  readonly signal: AbortSignal;
  readonly failures: RequestFailures;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Requests a file of a hub. `fetch` follows redirects, and drops the token where they leave the hub. */
export async function hubRequest(url: URL, options: RequestOptions): Promise<Response> {
  const { token, signal, failures } = options;
  const headers = { ...options.headers, ...(token && { authorization: `Bearer ${token}` }) };
  const response = await fetch(url, { headers, signal }).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
    throw cause === 'redirect count exceeded'
      ? failures.redirects(url.href)
      : failures.offline(url.host, error);
  });
  if (![301, 302, 303, 307, 308].includes(response.status)) return response;
  await response.body?.cancel();
  throw failures.redirects(url.href);
}

/** Returns true if the file system failed, and not the network. */
export function isFileSystemError(error: unknown): boolean {
  const call = error instanceof Error && 'syscall' in error ? error.syscall : undefined;
  return ['mkdir', 'open', 'write', 'close', 'rename', 'symlink', 'unlink'].includes(String(call));
}
