import path from 'node:path';
import * as z from 'zod/mini';
import { copyFile, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { CodedError, hasCode } from '../../../base/core/errors.ts';
import type { DataSetHub, DataSetListing, HubListener } from '../../core/task-reader/data-set/table.ts';
import { listFolder } from '../../core/task-reader/huggingFaceReader.ts';
import { localFiles } from '../../../base/node/files.ts';
import { notEmpty, type CacheEnvironment } from '../../../base/node/cacheFolder.ts';
import { huggingFaceCache, huggingFaceHome, isModelId } from '../tokenizer/modelCaches.ts';
import { download, type HubFile, hubRequest, isFileSystemError, type RequestOptions } from './request.ts';
import { dataSetItem, hubErrors, requestErrors } from './errors.ts';

const revision = z.object({
  sha: z.string().check(z.regex(/^\w+$/)),
  siblings: z.array(
    z.object({
      rfilename: z.string(),
      size: z.optional(z.nullable(z.number())),
      blobId: z.optional(z.nullable(z.string())),
      lfs: z.optional(z.nullable(z.object({ sha256: z.string() }))),
    }),
  ),
});
type Sibling = z.infer<typeof revision>['siblings'][number];

const offlineVariables = ['HF_HUB_OFFLINE', 'HF_DATASETS_OFFLINE'];

/**
 * Accesses the Hugging Face Hub through its cache, which Python shares. Cached files are read without a request, and
 * missing ones are fetched into the cache. `HF_ENDPOINT`, `HF_TOKEN` or the token of `hf auth login`, `HF_HOME`,
 * `HF_HUB_CACHE`, `HF_HUB_OFFLINE` and `HF_DATASETS_OFFLINE` have the same effect as in Python.
 */
export function huggingFaceHub(places: CacheEnvironment): DataSetHub {
  return {
    isId: isModelId,
    open: async (id, choose, listener) => {
      const folder = path.join(huggingFaceCache(places), `datasets--${id.replaceAll('/', '--')}`);
      const cached = await fromCache(folder, choose);
      if (cached !== undefined) return cached;
      const forbidden = offlineVariables.find((name) => isSet(places.env[name]));
      if (forbidden !== undefined) throw hubErrors.switchedOff(id, forbidden);
      return new Fetching(id, folder, places, listener).run(choose);
    },
  };
}

type Choose<T> = (listing: DataSetListing) => T;
interface Chosen {
  readonly files: readonly string[];
}

async function fromCache<T extends Chosen>(
  folder: string,
  choose: Choose<T>,
): Promise<{ folder: string; chosen: T } | undefined> {
  const commit = (await localFiles.readText(path.join(folder, 'refs', 'main')))?.trim();
  if (commit === undefined || !/^\w+$/.test(commit)) return undefined;
  const snapshot = path.join(folder, 'snapshots', commit);
  try {
    const chosen = choose(await listFolder(snapshot, localFiles));
    return hasAllShards(chosen.files) ? { folder: snapshot, chosen } : undefined;
  } catch (error) {
    // The cache can contain only a part of the data set.
    if (error instanceof CodedError) return undefined;
    throw error;
  }
}

function hasAllShards(files: readonly string[]): boolean {
  return files.every((file) => {
    const shards = /^(.*)-\d{5}-of-(\d{5})/.exec(file);
    const [, start = '', count = ''] = shards ?? [];
    return shards === null || files.filter((one) => one.startsWith(`${start}-`)).length >= Number(count);
  });
}

function isSet(value: string | undefined): boolean {
  return /^(?:1|on|yes|true)$/i.test(value ?? '');
}

class Fetching {
  readonly #id: string;
  readonly #folder: string;
  readonly #places: CacheEnvironment;
  readonly #listener: HubListener;
  readonly #abort = new AbortController();
  #token: string | undefined;

  constructor(id: string, folder: string, places: CacheEnvironment, listener: HubListener) {
    this.#id = id;
    this.#folder = folder;
    this.#places = places;
    this.#listener = listener;
  }

  async run<T extends Chosen>(choose: Choose<T>): Promise<{ folder: string; chosen: T }> {
    const listening = this.#listener.cancellation.onCancelled(() => this.#abort.abort());
    try {
      return await this.#run(choose);
    } catch (error) {
      if (this.#abort.signal.aborted) throw hubErrors.cancelled();
      throw error;
    } finally {
      listening.dispose();
    }
  }

  async #run<T extends Chosen>(choose: Choose<T>): Promise<{ folder: string; chosen: T }> {
    const endpoint = (notEmpty(this.#places.env['HF_ENDPOINT']) ?? 'https://huggingface.co').replace(
      /\/+$/,
      '',
    );
    if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint)) throw hubErrors.badEndpoint(endpoint);
    this.#token = await tokenOf(this.#places);
    const { sha, siblings } = await this.#revision(endpoint);
    const files = new Map(
      siblings
        .filter(({ rfilename }) => isInside(rfilename))
        .map((one) => [one.rfilename, announced(one, sha, this.#id, endpoint)]),
    );
    const readme = files.get('README.md');
    if (readme !== undefined) await this.#bring(readme);
    const text = readme && (await localFiles.readText(this.#blob(readme)));
    const chosen = choose({ paths: [...files.keys()], readme: text });
    const wanted = [...chosen.files.map((file) => files.get(file)), readme].filter(
      (one) => one !== undefined,
    );
    for (const file of wanted) await this.#bring(file);
    const folder = path.join(this.#folder, 'snapshots', sha);
    await this.#place(wanted, folder, sha);
    return { folder, chosen };
  }

  async #revision(endpoint: string): Promise<z.infer<typeof revision>> {
    const url = new URL(`${endpoint}/api/datasets/${this.#id}/revision/main?blobs=true`);
    const response = await hubRequest(url, this.#access());
    const answer = revision.safeParse(await response.json().catch(() => undefined));
    if (!answer.success) throw hubErrors.answer(url.href);
    return answer.data;
  }

  #access(): Pick<RequestOptions, 'item' | 'token' | 'signal'> {
    return { item: dataSetItem(this.#id), token: this.#token, signal: this.#abort.signal };
  }

  #blob(file: HubFile): string {
    return path.join(this.#folder, 'blobs', file.name);
  }

  async #bring(file: HubFile): Promise<void> {
    let lastStep = -1;
    await download(file, this.#blob(file), {
      ...this.#access(),
      progress: (received) => {
        const step = Math.floor(received / stepOf(file.size));
        if (step === lastStep) return;
        lastStep = step;
        this.#listener.progress(`Fetching ${this.#id}: ${file.path}, ${amount(received, file.size)}`);
      },
    });
  }

  /** Links files into a snapshot once all have arrived, so that it has all of a split or nothing. */
  async #place(files: readonly HubFile[], folder: string, sha: string): Promise<void> {
    try {
      for (const file of files) await link(this.#blob(file), path.join(folder, file.path));
      await mkdir(path.join(this.#folder, 'refs'), { recursive: true });
      await writeFile(path.join(this.#folder, 'refs', 'main'), sha);
    } catch (error) {
      throw isFileSystemError(error) ? requestErrors.notSaved(dataSetItem(this.#id), folder, error) : error;
    }
  }
}

/** Links a file, as the hub's own client does. Copies it if Windows forbids links. */
async function link(blob: string, place: string): Promise<void> {
  await mkdir(path.dirname(place), { recursive: true });
  await rm(place, { force: true });
  try {
    await symlink(path.relative(path.dirname(place), blob), place);
  } catch (error) {
    if (!hasCode(error, 'EPERM')) throw error;
    await copyFile(blob, place);
  }
}

async function tokenOf({ env, ...places }: CacheEnvironment): Promise<string | undefined> {
  const own = notEmpty(env['HF_TOKEN']) ?? notEmpty(env['HUGGING_FACE_HUB_TOKEN']);
  if (own !== undefined) return own;
  const file = notEmpty(env['HF_TOKEN_PATH']) ?? path.join(huggingFaceHome({ env, ...places }), 'token');
  return notEmpty((await localFiles.readText(file))?.trim());
}

function isInside(file: string): boolean {
  return !/^[/\\]|\\|^[A-Za-z]:|(?:^|\/)\.{0,2}(?:\/|$)/.test(file);
}

function announced(
  { rfilename, size, blobId, lfs }: Sibling,
  sha: string,
  id: string,
  endpoint: string,
): HubFile {
  const address = rfilename.split('/').map(encodeURIComponent).join('/');
  const hash = hashOf(blobId, lfs?.sha256);
  return {
    path: rfilename,
    name: hash !== undefined ? hash.digits : `${sha}-${encodeURIComponent(rfilename)}`,
    url: new URL(`${endpoint}/datasets/${id}/resolve/${sha}/${address}`),
    size: size ?? undefined,
    hash,
  };
}

function hashOf(blobId: string | null | undefined, sha256: string | undefined): HubFile['hash'] {
  const isHash = (text: string | null | undefined): text is string => /^[0-9a-f]+$/.test(text ?? '');
  if (isHash(sha256)) return { kind: 'sha256', digits: sha256 };
  return isHash(blobId) ? { kind: 'git', digits: blobId } : undefined;
}

/** Returns the bytes between two progress messages. */
function stepOf(size: number | undefined): number {
  return Math.max(8 * 2 ** 20, (size ?? 0) / 20);
}

function amount(received: number, size: number | undefined): string {
  const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
  return size === undefined ? `${megabytes(received)} MB` : `${megabytes(received)} of ${megabytes(size)} MB`;
}
