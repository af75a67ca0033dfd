/** What a request to a hub may fail with. */
export interface RequestFailures {
  offline(host: string, cause: unknown): Error;
  redirects(url: string): Error;
}

export interface RequestOptions {
  /** Sent to the hub only, never to where it redirects. */
  readonly token: string | undefined;
  readonly signal: AbortSignal;
  readonly failures: RequestFailures;
  readonly headers?: Readonly<Record<string, string>>;
}

const redirectLimit = 5;

/** Follows redirects by hand, since what a redirect names may be anybody's and must not get the token. */
export async function hubRequest(url: URL, options: RequestOptions): Promise<Response> {
  const { token, signal, failures } = options;
  let current = url;
  for (let hops = 0; hops <= redirectLimit; hops++) {
    const isHub = current.origin === url.origin;
    const headers = { ...options.headers, ...(isHub && token && { authorization: `Bearer ${token}` }) };
    const response = await fetch(current, { headers, signal, redirect: 'manual' }).catch((error: unknown) => {
      throw failures.offline(current.host, error);
    });
    if (![301, 302, 303, 307, 308].includes(response.status)) return response;
    await response.body?.cancel();
    const next = response.headers.get('location') ?? '';
    if (next === '' || !URL.canParse(next, current.href)) break;
    current = new URL(next, current);
  }
  throw failures.redirects(url.href);
}

/** A full disk is not the network's fault. */
export function isOfFiles(error: unknown): boolean {
  const call = error instanceof Error && 'syscall' in error ? error.syscall : undefined;
  return ['mkdir', 'open', 'write', 'close', 'rename', 'symlink', 'unlink'].includes(String(call));
}
