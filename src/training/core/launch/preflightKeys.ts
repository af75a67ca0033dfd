/** Keys of services that a config has used, and that programs take from their environment. */
import type { Finding } from '../protocol/hostRpc.ts';
import type { RunOrder } from '../protocol/runs.ts';
import type { KeyUser } from './keyUsers.ts';
import type { Training } from './training.ts';

/** A key that a program wants in the environment, and why. */
interface WantedVariable {
  readonly name: string;
  readonly key: string;
  readonly severity: Finding['severity'];
  readonly otherwise: string;
}

const keyName = 'DASHSCOPE_API_KEY';

/** What comes of it without a key. */
const users: Readonly<Record<KeyUser, string>> = {
  rubrics_auto_grader: 'no rubrics are generated and nothing is judged',
  llm_evaluate: 'the filter cannot be made, and no task is read',
  deduplication: 'the filter cannot be made, and no task is read',
};

/** What of a training has keys looked for. */
type KeyedTraining = Pick<Training, 'dialect' | 'monitor' | 'reader' | 'keyUsers'>;

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
