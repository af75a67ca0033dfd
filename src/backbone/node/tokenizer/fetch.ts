import path from 'node:path';
import { Buffer } from 'node:buffer';
import { mkdir, rm } from 'node:fs/promises';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError } from '../../../base/core/errors.ts';
import { writeFileAtomic } from '../../../base/node/atomicFile.ts';
import type { HubItem } from '../hub/errors.ts';
import { hubRequest, receiveError } from '../hub/request.ts';
import { tokenizerErrors, isModelId } from './modelCaches.ts';

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

const sizeLimit = 64 * 2 ** 20;

/** The files to fetch. `tokenizer.json` is last, so that the others are complete where it exists. */
const wanted = [
  { file: 'chat_template.jinja', required: false },
  { file: 'tokenizer_config.json', required: true },
  { file: 'tokenizer.json', required: true },
];

/** Each file is complete or unchanged. Resolves to `to`, or undefined on cancellation. Rejects with `tokenizer/…`. */
export async function fetchTokenizer(options: FetchOptions): Promise<string | undefined> {
  const { model, endpoint, to, cancellation } = options;
  if (!isModelId(model)) throw tokenizerErrors.badModelId(model);
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint)) throw tokenizerErrors.badEndpoint(endpoint);
  const abort = new AbortController();
  const listening = cancellation.onCancelled(() => abort.abort());
  try {
    for (const { file, required } of wanted) await fetchFile(file, required, options, abort.signal);
    return to;
  } catch (error) {
    if (abort.signal.aborted) return undefined;
    throw error;
  } finally {
    listening.dispose();
  }
}

async function fetchFile(
  file: string,
  required: boolean,
  { model, endpoint, token, to, progress }: FetchOptions,
  signal: AbortSignal,
): Promise<void> {
  const target = path.join(to, file);
  const url = new URL(`${endpoint.replace(/\/+$/, '')}/${model}/resolve/main/${file}`);
  const item = modelItem(model, file);
  try {
    await mkdir(to, { recursive: true });
    const response = await hubRequest(url, { item, token, signal, ...(!required && { allowed: 404 }) });
    if (response.ok) await writeFileAtomic(target, await bytesOf(response, { url, file, progress }));
    // A file of an older version would not match the others.
    else await rm(target, { force: true });
  } catch (error) {
    throw receiveError(item, url, target, error);
  }
}

function modelItem(model: string, file: string): HubItem {
  return {
    what: 'model',
    id: model,
    code: 'tokenizer/fetch',
    hints: {
      offline:
        'Check the network and the proxy, or set HF_ENDPOINT to a mirror. Or copy tokenizer.json, tokenizer_config.json and chat_template.jinja to this machine and select them with "AgentJet: Choose Tokenizer".',
      notSaved: 'Free disk space or allow write access to the folder, then fetch again.',
    },
    notFound: () =>
      new CodedError({
        code: 'tokenizer/fetch-not-found',
        message: `The hub has no ${file} of ${model}.`,
        hint: 'Check the name. If the model has no tokenizer.json, convert one with transformers and select it with "AgentJet: Choose Tokenizer".',
      }),
  };
}

type Saving = Pick<FetchProgress, 'file'> & Pick<FetchOptions, 'progress'> & { readonly url: URL };

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
