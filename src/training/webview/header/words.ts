/** The texts about alarms and failures of a run. Texts of the host are in English. */
import * as l10n from '@vscode/l10n';
import type { RunState } from '../../core/protocol/runs.ts';
import { checkpointText } from '../../core/runs/words.ts';
import type { RunData } from '../data/runData.ts';

export function stateClass(state: RunState): string {
  const classes: Readonly<Record<RunState, string>> = {
    queued: 'queued',
    preparing: 'running',
    running: 'running',
    cancelling: 'running',
    cancelled: 'cancelled',
    finished: 'completed',
    failed: 'failed',
    lost: 'lost',
    rebooted: 'lost',
  };
  return classes[state];
}

export interface AlarmWords {
  readonly title: string;
  readonly advice: string;
}

export function alarmWords(alarm: string): AlarmWords {
  const words: Readonly<Record<string, AlarmWords>> = {
    'reward-flat': {
      title: l10n.t('The reward does not change'),
      advice: l10n.t(
        'Check the rollouts. The model learns nothing if the judge gives equal rewards, or if tasks are too easy or too hard.',
      ),
    },
    'no-advantage': {
      title: l10n.t('No advantage'),
      advice: l10n.t(
        'The repeats of a task must have different rewards. Raise the temperature or the number of repeats, or choose other tasks.',
      ),
    },
    'kl-jump': {
      title: l10n.t('The KL divergence jumped'),
      advice: l10n.t('Lower the learning rate, clip gradients more, or return to the previous checkpoint.'),
    },
    'logprob-difference': {
      title: l10n.t('Trainer and sampler differ'),
      advice: l10n.t(
        'The samples may not be what the model produced. Check the chat template and that the tokenizer is the one of the model.',
      ),
    },
    'out-of-memory': {
      title: l10n.t('Out of memory'),
      advice: l10n.t(
        'Reduce the micro-batch size, the response length or the GPU memory of the engine, or use more GPUs.',
      ),
    },
    'no-progress': {
      title: l10n.t('No progress'),
      advice: l10n.t(
        'Check its log: a tool, a judge or a weight sync may hang. Cancel the run if it does not continue.',
      ),
    },
  };
  return words[alarm] ?? { title: alarm, advice: '' };
}

/**
 * Returns the newest alarm of each kind and stage, with the number of equal ones. Alarms that the reason of the run's end
 * repeats are left out.
 */
export function foldedAlarms(
  run: RunData,
): readonly (RunData['alarms'][number] & { readonly times: number })[] {
  const reason = run.isOver ? (run.shown.record.reason ?? '') : '';
  // `Out of memory: LINE`, and `It ended with exit code 1: LINE`, both cut.
  const lineIn = (text: string): string => /: (.+?)…?$/s.exec(text)?.[1] ?? '';
  const isReason = (text: string): boolean => {
    const [one, other] = [lineIn(reason), lineIn(text)];
    return one !== '' && other !== '' && (text.includes(one) || reason.includes(other));
  };
  const folded = new Map<string, RunData['alarms'][number] & { readonly times: number }>();
  for (const one of run.alarms.filter(({ text }) => !isReason(text))) {
    const kind = `${one.alarm} ${one.stage}`;
    folded.set(kind, { ...one, times: (folded.get(kind)?.times ?? 0) + 1 });
  }
  return [...folded.values()];
}

/** Returns the checkpoint that a run can be resumed from. */
export function newestCheckpoint(run: RunData): RunData['checkpoints'][number] | undefined {
  return run.checkpoints.filter(({ resumable }) => resumable).at(-1);
}

/** Returns advice on a run that did not finish. Undefined for other runs. */
export function adviceFor(run: RunData): string | undefined {
  const isLocal = run.shown.local !== undefined;
  const causes: Readonly<Partial<Record<RunState, string>>> = {
    ...(isLocal ? localCauses() : hostCauses(run)),
    cancelled: '',
  };
  const cause = causes[run.shown.record.state];
  if (cause === undefined) return undefined;
  const newest = newestCheckpoint(run);
  const resume =
    newest === undefined
      ? ''
      : l10n.t('It can be resumed from the checkpoint of {0}.', checkpointText(newest));
  return [cause, resume].filter((part) => part !== '').join(' ');
}

/** Its error is the reason that the page shows. */
function localCauses(): Readonly<Partial<Record<RunState, string>>> {
  return {
    failed: '',
    lost: l10n.t('Its process ended without an error message. The system may have killed it.'),
  };
}

function hostCauses(run: RunData): Readonly<Partial<Record<RunState, string>>> {
  return {
    failed: run.alarms.some(({ alarm }) => alarm === 'out-of-memory')
      ? alarmWords('out-of-memory').advice
      : l10n.t('See the end of its log for the cause. Fix it and start the run again.'),
    lost: l10n.t(
      'Its process ended without an error message. The system may have killed it because memory ran out. See the end of its log.',
    ),
    rebooted: l10n.t('Its machine was restarted during the run.'),
  };
}
