import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CodedError } from '../../../base/core/errors.ts';
import { hubErrors } from './errors.ts';
import { hubRequest, isFileSystemError } from './request.ts';

/** A file of a repository, as the hub announces it. */
export interface HubFile {
  readonly path: string;
  /** Of the file that keeps its content in the cache. */
  readonly name: string;
  readonly url: URL;
  /** Bytes. */
  readonly size: number | undefined;
  /** Hexadecimal: of the content with SHA-256, or with SHA-1 of what Git keeps; undefined: the hub does not say. */
  readonly hash: { readonly kind: 'sha256' | 'git'; readonly digits: string } | undefined;
}

export interface DownloadOptions {
  readonly id: string;
  readonly token: string | undefined;
  readonly signal: AbortSignal;
  /** Bytes so far. */
  readonly progress: (received: number) => void;
}

/**
 * Brings a file to `target`, whole or not at all. What has arrived stays in `target.incomplete`, as with the hub's own
 * client, and the next attempt goes on from there. Throws `task-reader/hub-…`.
 */
export async function download(file: HubFile, target: string, options: DownloadOptions): Promise<void> {
  if ((await sizeOf(target)) !== undefined) return;
  const partial = `${target}.incomplete`;
  try {
    await mkdir(path.dirname(target), { recursive: true });
    const wasBegun = ((await sizeOf(partial)) ?? 0) > 0;
    await append(file, partial, options);
    if (!(await isWhole(file, partial))) {
      await rm(partial, { force: true });
      if (!wasBegun) throw hubErrors.damaged(file.path);
      await append(file, partial, options);
      if (!(await isWhole(file, partial))) {
        await rm(partial, { force: true });
        throw hubErrors.damaged(file.path);
      }
    }
    await rename(partial, target);
  } catch (error) {
    if (error instanceof CodedError) throw error;
    throw isFileSystemError(error) ? hubErrors.notSaved(target, error) : hubErrors.offline(file.url.host, error);
  }
}

async function append(file: HubFile, partial: string, options: DownloadOptions): Promise<void> {
  const begun = (await sizeOf(partial)) ?? 0;
  if (begun > 0 && begun === file.size) return;
  const response = await hubRequest(file.url, {
    token: options.token,
    signal: options.signal,
    failures: hubErrors,
    // Ranges count bytes as they are sent.
    headers: { 'accept-encoding': 'identity', ...(begun > 0 && { range: `bytes=${begun}-` }) },
  });
  if (!response.ok) {
    await response.body?.cancel();
    // More is there than the file has: it is not a part of this one.
    if (response.status === 416) return;
    throw statusFailure(response.status, file.url, options.id);
  }
  const goesOn = response.status === 206;
  let received = goesOn ? begun : 0;
  const counting = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      received += chunk.length;
      options.progress(received);
      done(null, chunk);
    },
  });
  const body = Readable.fromWeb(response.body ?? new ReadableStream());
  await pipeline(body, counting, createWriteStream(partial, { flags: goesOn ? 'a' : 'w' }), {
    signal: options.signal,
  });
}

export function statusFailure(status: number, url: URL, id: string): CodedError {
  if (status === 401 || status === 403) return hubErrors.refused(id, status);
  return status === 404 ? hubErrors.notFound(id) : hubErrors.status(url.href, status);
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

/** Undefined: there is no such file. */
export async function sizeOf(file: string): Promise<number | undefined> {
  return stat(file).then(
    ({ size }) => size,
    () => undefined,
  );
}
