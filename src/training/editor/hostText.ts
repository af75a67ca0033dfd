/** The texts of the GPU Hosts view. */
import * as l10n from '@vscode/l10n';
import type { Gpu, HostStatus } from '../core/protocol/hostRpc.ts';
import type { RunRecord, RunState } from '../core/protocol/runs.ts';
import { launcherText, phaseText, stageText, stateText } from '../core/runs/words.ts';

export const trainingIcons: Readonly<Record<RunState, { readonly icon: string; readonly color?: string }>> = {
  queued: { icon: 'clock' },
  preparing: { icon: 'loading~spin' },
  running: { icon: 'loading~spin' },
  cancelling: { icon: 'loading~spin' },
  finished: { icon: 'pass', color: 'testing.iconPassed' },
  failed: { icon: 'error', color: 'testing.iconFailed' },
  cancelled: { icon: 'circle-slash', color: 'testing.iconSkipped' },
  lost: { icon: 'question', color: 'list.errorForeground' },
  rebooted: { icon: 'debug-restart', color: 'list.warningForeground' },
};

/** Returns the title of a run. The end of the id distinguishes runs with the same name. */
export function runTitle({ name, id }: Pick<RunRecord, 'name' | 'id'>): string {
  return `${name} (${id.slice(-6)})`;
}

/**
 * Returns the progress of a run, for example `step 12 of 200 · reward 0.43`. It starts with the state, except for a run
 * that has begun its first step or stage. The steps of each stage start with 1: `stage rl (2 of 2) · step 12 of 200`.
 */
export function trainingDescription(run: RunRecord): string {
  const { state, step, totalSteps, reward, phase, reason } = run;
  const stage = stageText(run);
  const parts = state === 'running' && (step !== null || stage !== undefined) ? [] : [stateText(state)];
  if (stage !== undefined) parts.push(stage);
  if (step !== null) {
    parts.push(totalSteps === null ? l10n.t('step {0}', step) : l10n.t('step {0} of {1}', step, totalSteps));
  } else if (phase !== null && state === 'running' && (stage === undefined || !/^stage \d/.test(phase))) {
    parts.push(phaseText(phase));
  }
  if (reward !== null) parts.push(l10n.t('reward {0}', Number(reward.toPrecision(3))));
  if (reason !== null && step === null) parts.push(reason);
  return parts.join(' · ');
}

export function trainingTooltip(run: RunRecord, host: string): string {
  const facts: (readonly [string, string])[] = [
    [l10n.t('State'), stateText(run.state)],
    [l10n.t('Reason'), run.reason ?? ''],
    [l10n.t('Host'), host],
    [l10n.t('Config'), run.config],
    [l10n.t('Launcher'), launcherText(run)],
    [l10n.t('GPUs'), run.devices.length > 0 ? run.devices.join(', ') : String(run.gpus)],
    [l10n.t('Started by'), run.owner],
    [l10n.t('Run'), run.id],
  ];
  const lines = facts.flatMap(([name, value]) => (value === '' ? [] : [`- ${name}: ${plain(value)}`]));
  return [`**${plain(run.name)}**`, '', ...lines].join('\n');
}

/** Escapes Markdown: names and reasons come from other machines. */
function plain(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+\-.!<>|~]/g, '\\$&').replaceAll(/\s+/g, ' ');
}

/** Returns for example `2 of 8 GPUs in use · 1 run · 2 queued`. */
export function hostDescription(status: HostStatus): string {
  const all = status.gpus.length;
  const used = status.gpus.filter(({ run }) => run !== null).length;
  const gpus = all === 0 ? l10n.t('no GPUs') : l10n.t('{0} of {1} GPUs in use', used, all);
  const runs = l10n.t('{0} running', status.running);
  return [gpus, runs, ...(status.queued > 0 ? [l10n.t('{0} queued', status.queued)] : [])].join(' · ');
}

/** Returns for example `37 % · 21.4 of 80.0 GiB`. */
export function gpuDescription({ load, used, memory }: Gpu): string {
  const gibibytes = (mebibytes: number): string => (mebibytes / 1_024).toFixed(1);
  const parts = load === null ? [] : [`${Math.round(load)} %`];
  if (used !== null && memory !== null) {
    parts.push(l10n.t('{0} of {1} GiB', gibibytes(used), gibibytes(memory)));
  }
  return parts.join(' · ');
}
