/** Keys of services that a config has used, and that programs take from their environment. */
import { valueAt, type Value } from '../../config/value.ts';
import type { Finding } from '../../protocol/host/hostRpc.ts';
import type { RunOrder } from '../../protocol/host/runs.ts';
import { readerKey } from './dataPlaces.ts';
import type { Keyed } from './keyed.ts';
import type { Training } from './training.ts';

/** A key that a program wants in the environment, and why. */
interface WantedVariable {
  readonly name: string;
  readonly key: string;
  readonly severity: Finding['severity'];
  readonly otherwise: string;
}

const keyName = 'DASHSCOPE_API_KEY';

/** What AgentJet makes clients of DashScope for that have no key of their own, and what comes of it without one. */
const users = {
  rubrics_auto_grader: 'no rubrics are generated and nothing is judged',
  llm_evaluate: 'the filter cannot be made, and no task is read',
  deduplication: 'the filter cannot be made, and no task is read',
} as const;
export type KeyUser = keyof typeof users;

/** What of a training has keys looked for. */
type KeyedTraining = Pick<Training, 'dialect' | 'monitor' | 'reader' | 'keyUsers'>;

/** What in AgentJet's part of a composed config takes DashScope's key from the environment, by the key that chooses it. */
export function keyUsersIn(root: Value): readonly Keyed<KeyUser>[] {
  const judge = 'ajet.task_judge';
  const judges = valueOf(root, `${judge}.judge_type`) === 'rubrics_auto_grader';
  const hasOwn = isSet(valueAt(root, `${judge}.rubrics_auto_grader.api_key`));
  const grader = { key: `${judge}.judge_type`, value: 'rubrics_auto_grader' } as const;
  return [...(judges && !hasOwn ? [grader] : []), ...filtersIn(root)];
}

/** Filters of the reader of traces; upstream makes those alone that are enabled. */
function filtersIn(root: Value): readonly Keyed<KeyUser>[] {
  const section = 'ajet.task_reader.feedback_tracing.filters';
  const filters = valueAt(root, section);
  if (valueOf(root, readerKey) !== 'tracing' || filters?.kind !== 'sequence') return [];
  return filters.items.flatMap((filter, index): readonly Keyed<KeyUser>[] => {
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

export function variableFindings(
  { launcher }: Pick<RunOrder, 'launcher'>,
  training: KeyedTraining,
  variables: ReadonlySet<string>,
): Finding[] {
  const isRay = launcher === 'ray';
  return wantedVariables(training)
    .filter(({ name }) => !variables.has(name))
    .map(({ name, key, severity, otherwise }) => ({
      id: 'variable-missing',
      // The nodes of a cluster may have it.
      severity: isRay && severity === 'error' ? 'warning' : severity,
      message: `\`${key}\` needs ${name} in the environment; without it ${otherwise}.`,
      hint:
        `Send it with the run (in the editor by the setting \`agentjet.trainingVariables\`, on a command line with ` +
        `\`--env ${name}\`), or have it set where ${isRay ? 'the nodes of the cluster are' : 'the host is'} started.`,
      key,
    }));
}

function wantedVariables({ monitor, reader, dialect, keyUsers }: KeyedTraining): WantedVariable[] {
  const wanted: WantedVariable[] = [];
  if (monitor.value === 'swanlab') {
    const otherwise =
      dialect === 'trinity' ? 'the monitor cannot be made' : 'the launcher stops with exit status 1';
    wanted.push({ name: 'SWANLAB_API_KEY', key: monitor.key, severity: 'error', otherwise });
  }
  if (monitor.value === 'wandb') {
    const otherwise = 'wandb asks for it, unless `wandb login` was done on the host or WANDB_MODE is offline';
    wanted.push({ name: 'WANDB_API_KEY', key: monitor.key, severity: 'warning', otherwise });
  }
  if (reader.value === 'data_generation') {
    const otherwise = 'no query is generated';
    for (const name of [keyName, `${keyName}_BACKUP`]) {
      wanted.push({ name, key: reader.key, severity: 'error', otherwise });
    }
  }
  for (const { key, value } of keyUsers) {
    wanted.push({ name: keyName, key, severity: 'error', otherwise: users[value] });
  }
  return wanted;
}
