/** What is said of states, phases, alarms and failures. What a host itself says is in English. */
import * as l10n from '@vscode/l10n';
import type { Checkpoint, RunRecord, RunState } from '../../core/protocol/runs.ts';
import type { RunData } from '../data/runData.ts';
import { count } from '../../../base/core/format.ts';

export function stateWord(state: RunState): string {
  switch (state) {
    case 'queued':
      return l10n.t('waits');
    case 'preparing':
      return l10n.t('is being prepared');
    case 'running':
      return l10n.t('runs');
    case 'cancelling':
      return l10n.t('is being cancelled');
    case 'finished':
      return l10n.t('finished');
    case 'failed':
      return l10n.t('failed');
    case 'cancelled':
      return l10n.t('cancelled');
    case 'lost':
      return l10n.t('lost');
    case 'rebooted':
      return l10n.t('ended by a restart of the machine');
  }
}

/** As the style sheet knows them. */
export function stateClass(state: RunState): string {
  switch (state) {
    case 'finished':
      return 'completed';
    case 'failed':
      return 'failed';
    case 'lost':
    case 'rebooted':
      return 'lost';
    case 'preparing':
    case 'running':
    case 'cancelling':
      return 'running';
    case 'queued':
    case 'cancelled':
      return state;
  }
}

/** Which stage a run is at, and of how many; undefined: it has none, or has begun none. */
export function stageText({ stage, stages }: Pick<RunRecord, 'stage' | 'stages'>): string | undefined {
  if (stage === undefined) return undefined;
  const name = stages?.[stage - 1]?.name ?? '';
  return l10n.t('stage {0} ({1} of {2})', name, count(stage), count(Math.max(stage, stages?.length ?? 0)));
}

/** A host may know of phases that this page does not. */
export function phaseWord(phase: string): string {
  const stage = /^stage (\d+)\/(\d+)$/.exec(phase);
  if (stage !== null) return l10n.t('stage {0} of {1}', stage[1] ?? '', stage[2] ?? '');
  const words: Readonly<Record<string, string>> = {
    'starting Ray': l10n.t('starting Ray'),
    'waiting for Ray': l10n.t('waiting for Ray'),
    'reading the checkpoint': l10n.t('reading the checkpoint'),
    'loading models': l10n.t('loading models'),
    'models are ready': l10n.t('models are ready'),
    evaluating: l10n.t('evaluating'),
    serving: l10n.t('serving'),
    exploring: l10n.t('exploring'),
    training: l10n.t('training'),
    finishing: l10n.t('finishing'),
  };
  return words[phase] ?? phase;
}

export interface AlarmWords {
  readonly title: string;
  readonly advice: string;
}

export function alarmWords(alarm: string): AlarmWords {
  const words: Readonly<Record<string, AlarmWords>> = {
    'reward-flat': {
      title: l10n.t('The reward does not move'),
      advice: l10n.t(
        'Look at rollouts: a judge that gives all the same, or tasks that are too easy or too hard, teach nothing.',
      ),
    },
    'no-advantage': {
      title: l10n.t('No advantage'),
      advice: l10n.t(
        'Repeats of a task must differ in reward: raise the temperature or the number of repeats, or choose other tasks.',
      ),
    },
    'kl-jump': {
      title: l10n.t('The KL divergence jumped'),
      advice: l10n.t('Lower the learning rate, clip gradients harder, or go back to the checkpoint before.'),
    },
    'out-of-memory': {
      title: l10n.t('Memory ran out'),
      advice: l10n.t(
        'Make micro-batches or the longest response smaller, leave the engine less GPU memory, or use more GPUs.',
      ),
    },
    'no-progress': {
      title: l10n.t('No progress'),
      advice: l10n.t(
        'See what it prints: a tool, a judge or a weight sync may hang. Cancel it if nothing moves.',
      ),
    },
  };
  return words[alarm] ?? { title: alarm, advice: '' };
}

/** What to do about a run that ended otherwise than it should; undefined: nothing. */
export function adviceFor(run: RunData): string | undefined {
  const { state } = run.shown.record;
  if (state !== 'failed' && state !== 'lost' && state !== 'rebooted' && state !== 'cancelled')
    return undefined;
  const newest = run.checkpoints.filter(({ resumable }) => resumable).at(-1);
  const goOn =
    newest === undefined ? '' : l10n.t('It can go on from the checkpoint of {0}.', checkpointText(newest));
  const memory = run.alarms.some(({ alarm }) => alarm === 'out-of-memory');
  return [cause(state, memory), goOn].filter((part) => part !== '').join(' ');
}

/** In a sentence. */
export function checkpointText({ step, stage }: Pick<Checkpoint, 'step' | 'stage'>): string {
  return stage === undefined
    ? l10n.t('step {0}', count(step))
    : l10n.t('step {0} of the stage {1}', count(step), stage);
}

function cause(state: 'failed' | 'lost' | 'rebooted' | 'cancelled', memory: boolean): string {
  switch (state) {
    case 'failed':
      return memory
        ? alarmWords('out-of-memory').advice
        : l10n.t('The end of its log says what happened; correct that and start it again.');
    case 'lost':
      return l10n.t(
        'Its process went without saying why: the system may have ended it for want of memory. The end of its log may tell more.',
      );
    case 'rebooted':
      return l10n.t('Its machine was started again meanwhile.');
    case 'cancelled':
      return '';
  }
}
