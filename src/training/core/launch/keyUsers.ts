import { valueAt, type Value } from '../../../configs/core/value.ts';
import { readerKey } from './dataSources.ts';
import type { KeyedValue } from './keyed.ts';

/** What AgentJet makes clients of DashScope for that have no key of their own. */
export type KeyUser = 'rubrics_auto_grader' | 'llm_evaluate' | 'deduplication';

/** What in AgentJet's part of a composed config takes DashScope's key from the environment, by the key that chooses it. */
export function keyUsersIn(root: Value): readonly KeyedValue<KeyUser>[] {
  const judge = 'ajet.task_judge';
  const judges = valueOf(root, `${judge}.judge_type`) === 'rubrics_auto_grader';
  const hasOwn = isSet(valueAt(root, `${judge}.rubrics_auto_grader.api_key`));
  const grader = { key: `${judge}.judge_type`, value: 'rubrics_auto_grader' } as const;
  return [...(judges && !hasOwn ? [grader] : []), ...filtersIn(root)];
}

/** Filters of the reader of traces; upstream makes those alone that are enabled. */
function filtersIn(root: Value): readonly KeyedValue<KeyUser>[] {
  const section = 'ajet.task_reader.feedback_tracing.filters';
  const filters = valueAt(root, section);
  if (valueOf(root, readerKey) !== 'tracing' || filters?.kind !== 'sequence') return [];
  return filters.items.flatMap((filter, index): readonly KeyedValue<KeyUser>[] => {
    const enabled = valueAt(filter, 'enabled');
    if (enabled !== undefined && !isSet(enabled)) return [];
    const key = `${section}.${index}.type`;
    const type = valueOf(filter, 'type');
    if (type === 'llm_evaluate') return [{ key, value: type }];
    const asks = type === 'deduplication' && !isSet(valueAt(filter, 'params.api_key'));
    return asks ? [{ key, value: type }] : [];
  });
}

function valueOf(root: Value, path: string): unknown {
  const value = valueAt(root, path);
  return value?.kind === 'scalar' ? value.value : undefined;
}

/** Whether Python takes it for true; of what is no scalar it does not matter. */
function isSet(value: Value | undefined): boolean {
  if (value?.kind !== 'scalar') return value !== undefined;
  return Boolean(value.value);
}
