import { CodedError, type Location, messageOf } from '../../../../base/core/errors.ts';
import { waitFor } from '../../../../base/core/cancellation.ts';
import { type EmbeddingEndpoint, type TaskSource, throwIfCancelled } from '../taskReader.ts';
import { hashText } from '../../../../base/core/random.ts';
import type { Task } from '../../../../sdk/core/index.ts';

export interface SimilarityParams {
  readonly threshold: number;
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** The folder of upstream's vector store, which upstream deletes. */
  readonly dbPath: string | null;
  readonly location: Location;
}

export interface Embedder {
  readonly embed: Embed;
  /** True if the vectors differ from those of training. */
  readonly isStandIn: boolean;
  readonly warnings: readonly CodedError[];
}

/** Uses local embeddings without a key, where upstream does not start, and with a stand-in as helper LLM. */
export async function openEmbed(params: SimilarityParams, source: TaskSource): Promise<Embedder> {
  const { tools, helper } = source;
  const apiKey = params.apiKey ?? tools.embeddingKey;
  const warnings = await warnOfStore(params, source);
  if (apiKey === undefined || helper.isStandIn === true) {
    const embed: Embed = async (text) => {
      await Promise.resolve();
      throwIfCancelled(source.cancellation);
      return localEmbedding(text);
    };
    return { embed, isStandIn: true, warnings: [...warnings, localOnly(params)] };
  }
  const { model, baseUrl } = params;
  const known = new Map<string, readonly number[]>();
  const embed: Embed = async (text) => {
    const vector = known.get(text) ?? (await askPatiently({ baseUrl, model, apiKey }, text, params, source));
    known.set(text, vector);
    return vector;
  };
  return { embed, isStandIn: false, warnings };
}

/** The retries of upstream's client: four attempts, four seconds apart. */
const attempts = 4;
const pauseMilliseconds = 4_000;

async function askPatiently(
  endpoint: EmbeddingEndpoint,
  text: string,
  { location }: SimilarityParams,
  { tools, cancellation, log }: TaskSource,
): Promise<readonly number[]> {
  for (let attempt = 1; ; attempt++) {
    throwIfCancelled(cancellation);
    try {
      return await tools.embed(endpoint, text, cancellation);
    } catch (error) {
      throwIfCancelled(cancellation);
      const reason = messageOf(error);
      if (attempt === attempts) throw noEmbedding(endpoint, reason, location);
      log('warn', `Embeddings: ${reason} The request is repeated in 4 s.`);
      await waitFor(pauseMilliseconds, tools.clock, cancellation);
    }
  }
}

/** Warns about a folder with other files than vectors, which training would delete. */
async function warnOfStore(
  { dbPath, location }: SimilarityParams,
  { tools, files }: TaskSource,
): Promise<readonly CodedError[]> {
  if (dbPath === null) return [];
  const folder = tools.paths.resolve(tools.cwd, dbPath);
  const names = [...(await files.list(folder)), ...((await files.folders?.(folder)) ?? [])];
  if (names.length === 0 || names.includes('chroma.sqlite3')) return [];
  return [
    new CodedError({
      code: 'task-reader/db-path-deleted',
      message: `Training deletes the folder ${folder} (db_path) whenever it starts. It contains ${names.length} entries that do not belong to a vector store. This run does not change it.`,
      location,
      hint: 'Before training, set db_path to a separate folder.',
    }),
  ];
}

function localOnly({ model, location }: SimilarityParams): CodedError {
  return new CodedError({
    code: 'task-reader/local-embeddings',
    message: `This run finds duplicates by spelling (character n-grams). Training uses embeddings of ${model} and may remove different tasks.`,
    location,
    hint: 'To use embeddings, set DASHSCOPE_API_KEY, or api_key and base_url of the filter, and select a helper LLM on a server.',
  });
}

function noEmbedding(endpoint: EmbeddingEndpoint, reason: string, location: Location): CodedError {
  return new CodedError({
    code: 'task-reader/no-embedding',
    message: `${endpoint.model} returned no embedding in ${attempts} attempts: ${reason}`,
    location,
    hint: 'Correct base_url, model and api_key of the filter, or use --helper embedded (launch.json: helper.kind), which needs no network.',
  });
}

const dimensions = 1024;
const lengths = [2, 3, 4] as const;

/** Replaces an embedding model: counts substrings of two to four characters, hashed to 1,024 dimensions. */
function localEmbedding(text: string): readonly number[] {
  const counts = new Array<number>(dimensions).fill(0);
  const characters = Array.from(` ${text.toLowerCase().normalize('NFKC').replace(/\s+/g, ' ').trim()} `);
  for (const length of lengths) {
    for (let at = 0; at + length <= characters.length; at++) {
      const place = hashText(characters.slice(at, at + length).join('')) % dimensions;
      counts[place] = (counts[place] ?? 0) + 1;
    }
  }
  return counts;
}

type Embed = (text: string) => Promise<readonly number[]>;

/**
 * A filter for near duplicates, as in upstream. It keeps a task if the cosine similarity of its `main_query` to all kept
 * tasks is below the threshold. Later calls also compare with the tasks that earlier calls kept. The search for the nearest
 * neighbor is exact and in memory; upstream's is approximate, in a store on disk.
 */
export class Deduplicator {
  readonly #embed: Embed;
  readonly #threshold: number;
  readonly #kept: Float64Array[] = [];

  constructor(embed: Embed, threshold: number) {
    this.#embed = embed;
    this.#threshold = threshold;
  }

  async keep(tasks: readonly Task[]): Promise<readonly Task[]> {
    const kept: Task[] = [];
    for (const task of tasks) {
      const vector = normalized(await this.#embed(task.main_query));
      if (this.#kept.some((other) => product(vector, other) >= this.#threshold)) continue;
      this.#kept.push(vector);
      kept.push(task);
    }
    return kept;
  }
}

/** Returns the vector with length 1, so that the product of two is their cosine. A zero vector stays unchanged. */
function normalized(values: readonly number[]): Float64Array {
  const vector = Float64Array.from(values);
  const length = Math.sqrt(product(vector, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
}

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  // Two equal vectors may miss 1 by rounding, which a threshold of 1 would not forgive.
  return Math.abs(sum - 1) < 1e-12 ? 1 : sum;
}
