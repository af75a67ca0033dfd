import { valueAt, type Value } from '../../../configs/core/value.ts';
import { readerKey, type KeyedValue } from './dataSources.ts';

/** The parts of AgentJet that call DashScope without their own key. */
export type KeyUser = 'rubrics_auto_grader' | 'llm_evaluate' | 'deduplication';

/**
 * Returns the parts of AgentJet that read DashScope's key from the environment, with the config key that enables
 * each.
 */
export function keyUsersIn(root: Value): readonly KeyedValue<KeyUser>[] {
  const judge = 'ajet.task_judge';
  const judges = valueOf(root, `${judge}.judge_type`) === 'rubrics_auto_grader';
  const hasOwn = isSet(valueAt(root, `${judge}.rubrics_auto_grader.api_key`));
  const grader = { key: `${judge}.judge_type`, value: 'rubrics_auto_grader' } as const;
  return [...(judges && !hasOwn ? [grader] : []), ...filtersIn(root)];
}

/** Returns the filters of the trace reader. Upstream creates only the enabled ones. */
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

/** Returns true if Python treats the scalar as true. */
function isSet(value: Value | undefined): boolean {
  if (value?.kind !== 'scalar') return value !== undefined;
  return Boolean(value.value);
}
