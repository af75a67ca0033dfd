/** Finds the settings of a config that name data of training: tasks, documents and examples. */
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
const readers = {
  jsonl_dataset_file: [
    ['file', 'jsonl_dataset_file.training.file_path'],
    ['file', 'jsonl_dataset_file.validation.file_path'],
  ],
  huggingface_dat_repo: [['dataset', 'huggingface_dat_repo.dataset_path']],
  tracing: [['file', 'feedback_tracing.base_url']],
  deep_finance: [
    ['file', 'deep_finance.training.file_path'],
    ['file', 'deep_finance.validation.file_path'],
  ],
  data_generation: [
    ['file', 'data_generation.document_reader.document_path'],
    ['file', 'data_generation.document_reader.document_path.*'],
  ],
} as const;
type Reader = keyof typeof readers;

function readBy(reader: Reader, section: string, when: When): readonly DataKey[] {
  return readers[reader].map(([kind, path]) => ({ kind, path: `${section}.${path}`, when }));
}

/** Returns the keys of a reader inside another one. Only its training split is read. */
function nested(section: string, typeKey: string, when: When): readonly DataKey[] {
  const type = `${section}.${typeKey}`;
  const inside = (['jsonl_dataset_file', 'huggingface_dat_repo'] as const).flatMap((reader) => {
    return readBy(reader, section, { ...when, [type]: reader });
  });
  return inside.filter(({ path }) => !path.includes('.validation.'));
}

const names = Object.keys(readers) as readonly Reader[];

const places = {
  ajet: [
    ...names.flatMap((reader) => readBy(reader, 'ajet.task_reader', { [readerKey]: reader })),
    ...nested('ajet.task_reader.data_generation.query_reader', 'type', { [readerKey]: 'data_generation' }),
    ...nested('ajet.task_judge.rubrics_auto_grader', 'input_data_type', {
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

/** Returns the values of a config with which its backbone, or AgentJet before it, finds data. */
export function dataValues(root: Value, dialect: keyof typeof places): readonly DataValue[] {
  const keys: readonly DataKey[] = places[dialect];
  return keys.flatMap(({ kind, path, when = {} }): readonly DataValue[] => {
    const isRead = Object.entries(when).every(([key, wanted]) => {
      const value = valueAt(root, key);
      return value?.kind === 'scalar' && value.value === wanted;
    });
    return isRead ? valuesAt(root, path).map((found) => ({ kind, ...found })) : [];
  });
}

/** Returns the values at a path with at most one `*`. */
function valuesAt(root: Value, path: string): readonly Pick<DataValue, 'path' | 'value'>[] {
  const [before = '', after] = path.split(/\.\*(?:\.|$)/);
  const value = valueAt(root, before);
  if (value === undefined || after === undefined) return value === undefined ? [] : [{ path, value }];
  if (value.kind !== 'sequence') return [];
  return value.items.flatMap((item, index) => {
    const inside = after === '' ? item : valueAt(item, after);
    return inside === undefined
      ? []
      : [{ path: [before, index, ...(after === '' ? [] : [after])].join('.'), value: inside }];
  });
}

/** A value with the config key that the user knows. */
export interface KeyedValue<T> {
  readonly value: T;
  readonly key: string;
}
