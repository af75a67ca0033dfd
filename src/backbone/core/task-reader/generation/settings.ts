import { isRecord } from '../../../../base/core/isRecord.ts';
import type { Location } from '../../../../base/core/errors.ts';
import type { Config } from '../../../../configs/core/effectiveConfig.ts';
import { textOfValue } from '../../../../configs/core/interpolation/pythonText.ts';
import { pythonText } from '../../../../configs/core/scalar.ts';
import type { Plain } from '../../../../configs/core/value.ts';
import type { SimilarityParams } from '../similarity/openEmbed.ts';

export const section = 'ajet.task_reader.data_generation';

export interface GenerationSettings {
  readonly documents: readonly string[];
  readonly languages: readonly string[];
  /** Characters. */
  readonly chunkSize: number;
  readonly splitBy: string;
  readonly taskNum: number;
  readonly model: string;
  readonly maxTokens: number;
  readonly workers: number;
  readonly sampling: Readonly<Record<string, Plain>>;
  /** Undefined: switched off. */
  readonly deduplication: SimilarityParams | undefined;
  readonly location: Location;
}

export function readSettings(config: Config): GenerationSettings {
  const at = (key: string): string => `${section}.${key}`;
  const filter = at('deduplication_filter');
  const params = (key: string): string => `${filter}.params.${key}`;
  const sampling = config.get(at('sampling_params'))?.value;
  const enabled = config.booleanOrNull(`${filter}.enabled`) ?? true;
  return {
    documents: documentsOf(config),
    languages: config.at(at('document_reader.languages'))
      ? config.stringList(at('document_reader.languages'))
      : [],
    chunkSize: config.integerOrNull(at('document_reader.chunk_size')) ?? 0,
    splitBy: config.stringOrNull(at('document_reader.split_by')) ?? 'sentence',
    taskNum: config.integer(at('task_num')),
    model: config.string(at('llm_model')),
    maxTokens: config.integer(at('llm_response_length')),
    workers: Math.max(config.integerOrNull(at('num_workers')) ?? 32, 1),
    sampling: isRecord(sampling) ? sampling : {},
    deduplication: enabled
      ? {
          threshold: config.number(params('similarity_threshold')),
          model: config.string(params('model')),
          baseUrl: config.string(params('base_url')),
          apiKey: config.stringOrNull(params('api_key')),
          dbPath: config.stringOrNull(params('db_path')),
          location: config.locate(filter),
        }
      : undefined,
    location: config.locate(section),
  };
}

/** One text is accepted for a list. */
function documentsOf(config: Config): readonly string[] {
  const key = `${section}.document_reader.document_path`;
  const value = config.at(key);
  if (value === undefined || (value.kind === 'scalar' && value.value === null)) return [];
  const paths = value.kind === 'scalar' ? [config.string(key)] : config.stringList(key);
  return paths.filter((path) => path !== '');
}

/**
 * Returns the text whose hash is upstream's cache key (MD5, the first eight hexadecimal digits). It is Python's
 * `json.dumps` of some settings with sorted keys. It contains a list of documents as OmegaConf prints it, in config order.
 */
export function cacheText(config: Config): string {
  const scalar = (key: string): string => {
    const value = config.at(`${section}.${key}`);
    if (value?.kind !== 'scalar' || value.value === null) return 'null';
    if (typeof value.value === 'string') return JSON.stringify(value.value);
    return typeof value.value === 'boolean' ? String(value.value) : pythonText(value);
  };
  const documents = config.at(`${section}.document_reader.document_path`);
  const isNone = documents === undefined || (documents.kind === 'scalar' && documents.value === null);
  const params = ['db_path', 'model', 'similarity_threshold'].map(
    (key) => `"${key}": ${scalar(`deduplication_filter.params.${key}`)}`,
  );
  return `{${[
    `"deduplication_filter": {${params.join(', ')}}`,
    `"document_reader": ${JSON.stringify(isNone ? '' : textOfValue(documents))}`,
    `"num_workers": ${config.at(`${section}.num_workers`) === undefined ? '32' : scalar('num_workers')}`,
    `"query_reader_type": ${scalar('query_reader.type')}`,
    `"task_num": ${scalar('task_num')}`,
  ].join(', ')}}`;
}

/** Returns the settings that change the tasks but not the key. */
export function unkeyedSettings(config: Config): Readonly<Record<string, Plain>> {
  const names = [
    'llm_model',
    'llm_response_length',
    'sampling_params',
    'document_reader.chunk_size',
    'document_reader.split_by',
    'document_reader.languages',
    'query_reader',
    'deduplication_filter.enabled',
    'deduplication_filter.params.base_url',
  ];
  return Object.fromEntries(names.map((name) => [name, config.get(`${section}.${name}`)?.value ?? null]));
}
