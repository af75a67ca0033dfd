/** The words for runs that the GPU Hosts view, the page of a run and the command line share. */
import * as l10n from '@vscode/l10n';
import type { PageRecord } from '../page/trainingRunRpc.ts';
import type { Checkpoint, RunRecord, RunState } from '../protocol/runs.ts';

export function stateText(state: RunState): string {
  const words: Readonly<Record<RunState, string>> = {
    queued: l10n.t('queued'),
    preparing: l10n.t('preparing'),
    running: l10n.t('running'),
    cancelling: l10n.t('canceling'),
    finished: l10n.t('finished'),
    failed: l10n.t('failed'),
    cancelled: l10n.t('canceled'),
    lost: l10n.t('lost'),
    rebooted: l10n.t('host restarted'),
  };
  return words[state];
}

/** Returns the launcher of a run, with the backbone if the launcher supports several. */
export function launcherText({ launcher, backbone }: Pick<PageRecord, 'launcher' | 'backbone'>): string {
  const trainer = backbone === 'verl' ? 'verl' : 'Trinity-RFT';
  switch (launcher) {
    case 'ajet':
      return `AgentJet (${trainer})`;
    case 'trinity':
      return 'Trinity-RFT';
    case 'ray':
      return l10n.t('Ray job ({0})', trainer);
    case 'tinker':
      return 'Tinker';
  }
}

/** Returns the text for a phase. Phases of newer hosts that are not known here are returned unchanged. */
export function phaseText(phase: string): string {
  const [, stage, of] = /^stage (\d+)\/(\d+)$/.exec(phase) ?? [];
  if (stage !== undefined && of !== undefined) return l10n.t('stage {0} of {1}', stage, of);
  const words: Readonly<Record<string, string>> = {
    'preparing the code': l10n.t('preparing the code'),
    'starting the server': l10n.t('starting the server'),
    'not answering': l10n.t('not answering'),
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

/** Returns the current stage and the number of stages. Undefined if the run has none or has not started one. */
export function stageText({ stage, stages }: Pick<RunRecord, 'stage' | 'stages'>): string | undefined {
  if (stage === undefined) return undefined;
  const name = stages?.[stage - 1]?.name ?? '';
  return l10n.t('stage {0} ({1} of {2})', name, stage, Math.max(stage, stages?.length ?? 0));
}

/** Returns the name of a checkpoint, for use inside a sentence. */
export function checkpointText({ step, stage }: Pick<Checkpoint, 'step' | 'stage'>): string {
  return stage === undefined ? l10n.t('step {0}', step) : l10n.t('step {0} of stage {1}', step, stage);
}
