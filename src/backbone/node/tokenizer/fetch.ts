import { Buffer } from 'node:buffer';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError } from '../../../base/core/errors.ts';
import { writeFileAtomic } from '../../../base/node/atomicFile.ts';
import { hubRequest, isFileSystemError } from '../hub/request.ts';
import { tokenizerErrors } from './errors.ts';
import { isModelId } from './modelCaches.ts';

export interface FetchProgress {
  readonly file: string;
  /** Bytes. */
  readonly received: number;
  /** Bytes; undefined: the hub does not say. */
  readonly total: number | undefined;
}

export interface FetchOptions {
  /** `org/name`. */
  readonly model: string;
  /** The URL of the hub, such as `https://huggingface.co`. */
  readonly endpoint: string;
  /** Sent to the endpoint only, never to the targets of redirects. */
  readonly token: string | undefined;
  /** The folder for the files. It is created if missing. */
  readonly to: string;
  readonly cancellation: CancellationToken;
  readonly progress: (progress: FetchProgress) => void;
}

/** The maximum size of a tokenizer. */
const sizeLimit = 64 * 2 ** 20;

/** The files to fetch. `tokenizer.json` is last, so that the others are complete where it exists. */
const wanted = [
  { file: 'chat_template.jinja', required: false },
  { file: 'tokenizer_config.json', required: true },
  { file: 'tokenizer.json', required: true },
];

/**
 * Fetches a model's tokenizer from a hub. Each file is either complete or unchanged.
 *
 * @returns `to`, or undefined on cancellation
 * @throws CodedError `tokenizer/…`
 */
export async function fetchTokenizer(options: FetchOptions): Promise<string | undefined> {
  const { model, endpoint, to, cancellation } = options;
  if (!isModelId(model)) throw tokenizerErrors.badModelId(model);
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint)) throw tokenizerErrors.badEndpoint(endpoint);
  const abort = new AbortController();
  const listening = cancellation.onCancelled(() => abort.abort());
  try {
    await makeFolder(to);
    for (const { file, required } of wanted) await fetchFile(file, required, options, abort.signal);
    return to;
  } catch (error) {
    if (abort.signal.aborted) return undefined;
    throw error;
  } finally {
    listening.dispose();
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw tokenizerErrors.fetchNotSaved(folder, error);
  }
}

async function fetchFile(
  file: string,
  required: boolean,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<void> {
  const target = path.join(options.to, file);
  const url = new URL(`${options.endpoint.replace(/\/+$/, '')}/${options.model}/resolve/main/${file}`);
  const response = await hubRequest(url, { token: options.token, signal, failures });
  if (response.ok) return save(response, target, { url, file, progress: options.progress });
  await response.body?.cancel();
  // A file of an older version would not match the others.
  if (response.status === 404 && !required) return rm(target, { force: true });
  throw refusal(response.status, url, file, options.model);
}

function refusal(status: number, url: URL, file: string, model: string): CodedError {
  if (status === 401 || status === 403) return tokenizerErrors.fetchRefused(model, status);
  if (status === 404) return tokenizerErrors.fetchNotFound(model, file);
  return tokenizerErrors.fetchStatus(url.href, status);
}

const failures = { offline: tokenizerErrors.fetchOffline, redirects: tokenizerErrors.fetchRedirects };

type Saving = Pick<FetchProgress, 'file'> & Pick<FetchOptions, 'progress'> & { readonly url: URL };

async function save(response: Response, target: string, saving: Saving): Promise<void> {
  try {
    await writeFileAtomic(target, await bytesOf(response, saving));
  } catch (error) {
    if (error instanceof CodedError) throw error;
    throw isFileSystemError(error)
      ? tokenizerErrors.fetchNotSaved(target, error)
      : tokenizerErrors.fetchOffline(saving.url.host, error);
  }
}

/** Reads the body, reports the number of bytes, and fails at the limit. */
async function bytesOf(response: Response, { url, file, progress }: Saving): Promise<Uint8Array> {
  const length = Number(response.headers.get('content-length') ?? NaN);
  // With an encoding, this is the length of the encoded content.
  const isPlain = response.headers.get('content-encoding') === null;
  const total = isPlain && Number.isFinite(length) ? length : undefined;
  const chunks: Uint8Array[] = [];
  let received = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    received += chunk.length;
    if (received > sizeLimit) throw tokenizerErrors.fetchTooLarge(url.href, sizeLimit);
    progress({ file, received, total });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
