/** Finds the settings of a config that name data of training, and those that need a key of a service. */
import { valueAt, type Value } from '../../../configs/core/value.ts';

export interface DataSource extends KeyedValue<string> {
  /** `dataset` is a file, a folder, or a name on a hub. */
  readonly kind: 'file' | 'dataset';
}

type When = Readonly<Record<string, string>>;

interface DataKey extends Pick<DataSource, 'kind'> {
  /** `*`: each item of a list. */
  readonly path: string;
  /** The values that other keys must have for this one to be read. */
  readonly when?: When;
}

export const readerKey = 'ajet.task_reader.type';
/** The keys of AgentJet's task readers. A reader that contains another one uses the same keys. */
const jsonl = { kind: 'file', path: 'jsonl_dataset_file.training.file_path' } as const;
const huggingFace = { kind: 'dataset', path: 'huggingface_dat_repo.dataset_path' } as const;
const readers: Readonly<Record<string, readonly DataKey[]>> = {
  jsonl_dataset_file: [jsonl, { kind: 'file', path: 'jsonl_dataset_file.validation.file_path' }],
  huggingface_dat_repo: [huggingFace],
  tracing: [{ kind: 'file', path: 'feedback_tracing.base_url' }],
  deep_finance: [
    { kind: 'file', path: 'deep_finance.training.file_path' },
    { kind: 'file', path: 'deep_finance.validation.file_path' },
  ],
  data_generation: [
    { kind: 'file', path: 'data_generation.document_reader.document_path' },
    { kind: 'file', path: 'data_generation.document_reader.document_path.*' },
  ],
};
/** The readers inside others, which read only their training split. */
const innerReaders = { jsonl_dataset_file: [jsonl], huggingface_dat_repo: [huggingFace] };

function keysIn(section: string, typeKey: string, those: typeof readers, when: When = {}): DataKey[] {
  return Object.entries(those).flatMap(([reader, keys]) =>
    keys.map(({ kind, path }) => ({
      kind,
      path: `${section}.${path}`,
      when: { ...when, [`${section}.${typeKey}`]: reader },
    })),
  );
}

const places = {
  ajet: [
    ...keysIn('ajet.task_reader', 'type', readers),
    ...keysIn('ajet.task_reader.data_generation.query_reader', 'type', innerReaders, {
      [readerKey]: 'data_generation',
    }),
    ...keysIn('ajet.task_judge.rubrics_auto_grader', 'input_data_type', innerReaders, {
      'ajet.task_judge.judge_type': 'rubrics_auto_grader',
    }),
  ],
  trinity: [
    { kind: 'dataset', path: 'buffer.explorer_input.taskset.path' },
    { kind: 'dataset', path: 'buffer.explorer_input.tasksets.*.path' },
    { kind: 'dataset', path: 'buffer.explorer_input.eval_tasksets.*.path' },
    // SFT and DPO read this one. Training itself writes the other kinds of buffers.
    {
      kind: 'dataset',
      path: 'buffer.trainer_input.experience_buffer.path',
      when: { 'buffer.trainer_input.experience_buffer.storage_type': 'file' },
    },
  ],
} as const satisfies Readonly<Record<string, readonly DataKey[]>>;

export interface DataValue extends Pick<DataSource, 'kind'> {
  readonly path: string;
  readonly value: Value;
}

export function dataValues(root: Value, dialect: keyof typeof places): readonly DataValue[] {
  const keys: readonly DataKey[] = places[dialect];
  const isRead = ({ when = {} }: DataKey): boolean =>
    Object.entries(when).every(([key, wanted]) => scalarAt(root, key) === wanted);
  return keys.filter(isRead).flatMap(({ kind, path: pattern }) =>
    pathsOf(root, pattern).flatMap((path) => {
      const value = valueAt(root, path);
      return value === undefined ? [] : [{ kind, path, value }];
    }),
  );
}

/** Returns the paths for a path with at most one `*`. */
function pathsOf(root: Value, path: string): readonly string[] {
  const [list = '', rest] = path.split('.*');
  if (rest === undefined) return [path];
  const value = valueAt(root, list);
  return value?.kind === 'sequence' ? value.items.map((_, index) => `${list}.${index}${rest}`) : [];
}

/** A value with the config key that the user knows. */
export interface KeyedValue<T> {
  readonly value: T;
  readonly key: string;
}

/** The parts of AgentJet that call DashScope without their own key. */
export type KeyUser = 'rubrics_auto_grader' | 'llm_evaluate' | 'deduplication';

/** Returns the parts that read DashScope's key from the environment, with the config key that enables each. */
export function keyUsersIn(root: Value): readonly KeyedValue<KeyUser>[] {
  const judge = 'ajet.task_judge';
  const judges = scalarAt(root, `${judge}.judge_type`) === 'rubrics_auto_grader';
  const hasOwn = isSet(valueAt(root, `${judge}.rubrics_auto_grader.api_key`));
  const grader = { key: `${judge}.judge_type`, value: 'rubrics_auto_grader' } as const;
  return [...(judges && !hasOwn ? [grader] : []), ...filtersIn(root)];
}

/** Returns the filters of the trace reader. Upstream creates only the enabled ones. */
function filtersIn(root: Value): readonly KeyedValue<KeyUser>[] {
  const section = 'ajet.task_reader.feedback_tracing.filters';
  const filters = valueAt(root, section);
  if (scalarAt(root, readerKey) !== 'tracing' || filters?.kind !== 'sequence') return [];
  return filters.items.flatMap((filter, index): readonly KeyedValue<KeyUser>[] => {
    const enabled = valueAt(filter, 'enabled');
    if (enabled !== undefined && !isSet(enabled)) return [];
    const key = `${section}.${index}.type`;
    const type = scalarAt(filter, 'type');
    if (type === 'llm_evaluate') return [{ key, value: type }];
    const asks = type === 'deduplication' && !isSet(valueAt(filter, 'params.api_key'));
    return asks ? [{ key, value: type }] : [];
  });
}

function scalarAt(root: Value, path: string): unknown {
  const value = valueAt(root, path);
  return value?.kind === 'scalar' ? value.value : undefined;
}

/** Returns true if Python treats the scalar as true. */
function isSet(value: Value | undefined): boolean {
  if (value?.kind !== 'scalar') return value !== undefined;
  return Boolean(value.value);
}
