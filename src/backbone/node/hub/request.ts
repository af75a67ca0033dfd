import path from 'node:path';
import { CodedError } from '../../../base/core/errors.ts';
import { requestErrors, type HubItem, hubErrors } from './errors.ts';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface RequestOptions {
  readonly item: HubItem;
  /** Sent to the hub only, and not to other hosts that it redirects to. */
  readonly token: string | undefined;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** A status that is not an error. Its response has no body. */
  readonly allowed?: number;
}

/** Rejects with the errors of the item. `fetch` drops the token where redirects leave the hub. */
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

export function isFileSystemError(error: unknown): boolean {
  const call = error instanceof Error && 'syscall' in error ? error.syscall : undefined;
  return ['mkdir', 'open', 'write', 'close', 'rename', 'symlink', 'unlink'].includes(String(call));
}

export interface HubFile {
  readonly path: string;
  /** The name of the blob in the cache. */
  readonly name: string;
  readonly url: URL;
  /** Bytes. */
  readonly size: number | undefined;
  /** The hexadecimal hash: SHA-256 of the content, or SHA-1 of the Git object; undefined if the hub has none. */
  readonly hash: { readonly kind: 'sha256' | 'git'; readonly digits: string } | undefined;
}

interface DownloadOptions extends Pick<RequestOptions, 'item' | 'token' | 'signal'> {
  readonly progress: (received: number) => void;
}

/** Downloads completely or not at all. The next attempt continues `target.incomplete`. Throws `task-reader/hub-…`. */
export async function download(file: HubFile, target: string, options: DownloadOptions): Promise<void> {
  if ((await sizeOf(target)) !== undefined) return;
  const partial = `${target}.incomplete`;
  try {
    await mkdir(path.dirname(target), { recursive: true });
    const wasBegun = ((await sizeOf(partial)) ?? 0) > 0;
    let isDone = await append(file, partial, options);
    // The partial file of an earlier attempt can be of another version. Then the download starts again.
    if (!isDone && wasBegun) isDone = await append(file, partial, options);
    if (!isDone) throw hubErrors.damaged(file.path);
    await rename(partial, target);
  } catch (error) {
    throw receiveError(options.item, file.url, target, error);
  }
}

/** Completes a partial file. Returns false, and removes it, if it is not the announced file then. */
async function append(file: HubFile, partial: string, options: DownloadOptions): Promise<boolean> {
  const begun = (await sizeOf(partial)) ?? 0;
  if (begun === 0 || begun !== file.size) await receive(file, partial, begun, options);
  const isDone = await isWhole(file, partial);
  if (!isDone) await rm(partial, { force: true });
  return isDone;
}

async function receive(
  file: HubFile,
  partial: string,
  begun: number,
  options: DownloadOptions,
): Promise<void> {
  const response = await hubRequest(file.url, {
    ...options,
    // Ranges count encoded bytes.
    headers: { 'accept-encoding': 'identity', ...(begun > 0 && { range: `bytes=${begun}-` }) },
    // The partial file is larger than the file, so it belongs to another one.
    allowed: 416,
  });
  if (!response.ok) return;
  const continues = response.status === 206;
  let received = continues ? begun : 0;
  const counting = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      received += chunk.length;
      options.progress(received);
      done(null, chunk);
    },
  });
  const body = Readable.fromWeb(response.body ?? new ReadableStream());
  await pipeline(body, counting, createWriteStream(partial, { flags: continues ? 'a' : 'w' }), {
    signal: options.signal,
  });
}

async function isWhole({ size, hash }: HubFile, file: string): Promise<boolean> {
  const length = (await sizeOf(file)) ?? 0;
  if (size !== undefined && length !== size) return false;
  if (hash === undefined) return true;
  const digest = createHash(hash.kind === 'git' ? 'sha1' : 'sha256');
  if (hash.kind === 'git') digest.update(`blob ${length}\0`);
  for await (const chunk of createReadStream(file)) digest.update(chunk as Uint8Array);
  return digest.digest('hex') === hash.digits;
}

async function sizeOf(file: string): Promise<number | undefined> {
  return stat(file).then(
    ({ size }) => size,
    () => undefined,
  );
}
