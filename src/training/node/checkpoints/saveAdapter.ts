/** Saves the files of an adapter as a server sends them. The server can be hostile. */
import { open } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ReadableStream } from 'node:stream/web';
import { createGunzip } from 'node:zlib';
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar';
import { CodedError, messageOf } from '../../../base/core/errors.ts';
import type { AdapterFiles } from '../../../tinker/node/adapterFiles.ts';
import type { Download } from '../../../tinker/node/download.ts';
import { checkpointErrors } from '../../core/checkpoints/failures.ts';
import { pathProblem } from '../../core/sync/jail.ts';

/** The layout of PEFT. No other file is saved, so no name of an archive becomes one of this machine. */
const adapterNames = ['adapter_config.json', 'adapter_model.safetensors'] as const;
type AdapterName = (typeof adapterNames)[number];

/** Bytes of all files together. */
const mostBytes = 50e9;

export type OnBytes = (progress: { readonly bytes: number; readonly total: number | undefined }) => void;

export interface SaveOptions {
  readonly onProgress?: OnBytes | undefined;
  readonly limit?: number;
}

/** Saves an adapter in an existing folder. Rejects with `checkpoint/…` and with the errors of the download. */
export async function saveAdapter(
  files: AdapterFiles,
  folder: string,
  { onProgress = () => undefined, limit = mostBytes }: SaveOptions = {},
): Promise<void> {
  const save = (name: AdapterName, pieces: AsyncIterable<Uint8Array>): Promise<void> =>
    saveFile(path.join(folder, name), pieces);
  if (files.kind === 'archive') {
    await unpack(files.archive, save, { onProgress, limit });
    return;
  }
  let before = 0;
  for (const name of adapterNames) {
    const file = await files.open(name);
    if (file === undefined) throw checkpointErrors.noAdapter(name);
    const start = before;
    const total = file.bytes === undefined ? undefined : start + file.bytes;
    const onBytes = (bytes: number): void => {
      before = start + bytes;
      onProgress({ bytes: before, total });
    };
    await save(name, counted(file.pieces, limit - start, onBytes));
  }
}

async function unpack(
  { bytes: total, pieces }: Download,
  save: (name: AdapterName, pieces: AsyncIterable<Uint8Array>) => Promise<void>,
  { onProgress, limit }: { onProgress: OnBytes; limit: number },
): Promise<void> {
  const missing = new Set<string>(adapterNames);
  const received = counted(pieces, limit, (bytes) => onProgress({ bytes, total }));
  try {
    await pipeline(received, createGunzip(), async (unzipped: AsyncIterable<Uint8Array>) => {
      const tar = ReadableStream.from(counted(unzipped, limit));
      for await (const { header, body } of tar.pipeThrough(createTarDecoder({ strict: true }))) {
        const name = nameOf(header);
        if (name === undefined || !isAdapterName(name)) {
          await body.cancel();
          continue;
        }
        if (!missing.delete(name)) throw checkpointErrors.refusedEntry(name, 'it is there twice');
        await save(name, body);
      }
    });
  } catch (error) {
    throw error instanceof CodedError ? error : checkpointErrors.badArchive(messageOf(error), error);
  }
  const [first] = missing;
  if (first !== undefined) throw checkpointErrors.noAdapter(first);
}

/** Returns the name of a file; undefined for a folder, which is not made. Throws for what no adapter has. */
function nameOf({ name: written, type }: ParsedTarEntry['header']): string | undefined {
  if (type === 'directory') return undefined;
  if (type !== 'file') throw checkpointErrors.refusedEntry(written, `it is not a file (${type})`);
  const name = written.replace(/^\.\//, '');
  const problem = pathProblem(name);
  if (problem !== undefined) throw checkpointErrors.refusedEntry(written, problem);
  return name;
}

function isAdapterName(name: string): name is AdapterName {
  return (adapterNames as readonly string[]).includes(name);
}

async function* counted(
  pieces: AsyncIterable<Uint8Array>,
  limit: number,
  onBytes: (bytes: number) => void = () => undefined,
): AsyncIterable<Uint8Array> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > limit) throw checkpointErrors.tooLarge(limit);
    onBytes(bytes);
    yield piece;
  }
}

async function saveFile(file: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(file, 'wx', 0o644);
  try {
    await handle.writeFile(pieces);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
