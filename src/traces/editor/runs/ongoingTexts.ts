import * as l10n from '@vscode/l10n';
import type { OngoingRun } from './ongoingRuns.ts';
import { escapeMarkdown } from './runText.ts';

/** e.g. `$(loading~spin) math_agent 3/16 · 0:41`. */
export function ongoingText(runs: readonly OngoingRun[], now: number): string {
  const running = runs.filter(({ state }) => state === 'running');
  const failed = runs.filter(({ state }) => state === 'failed');
  return [
    ...(running.length > 0 ? [`$(loading~spin) ${runningText(running, now)}`] : []),
    ...(failed.length > 0 ? [`$(error) ${failedText(failed)}`] : []),
  ].join(' ');
}

function runningText(runs: readonly OngoingRun[], now: number): string {
  const [first] = runs;
  const name = runs.length === 1 && first ? plain(first.name) : l10n.t('{0} runs', runs.length);
  const since = Math.min(...runs.map(({ startedAt }) => startedAt));
  const sum = (of: (run: OngoingRun) => number): number => runs.reduce((total, run) => total + of(run), 0);
  const done = `${sum(({ ended }) => ended)}/${sum(({ episodes }) => episodes)}`;
  return `${name} ${done} · ${elapsed(now - since)}`;
}

function failedText(runs: readonly OngoingRun[]): string {
  const [first] = runs;
  return runs.length === 1 && first
    ? l10n.t('{0} failed', plain(first.name))
    : l10n.t('{0} runs failed', runs.length);
}

/** e.g. `3 of 16 episodes, 1 failed`. It does not contain the time, which would redraw a hover every second. */
export function runProgress({ episodes, ended, failed, state, isTraining }: OngoingRun): string {
  const done =
    isTraining === true
      ? l10n.t('step {0} of {1}', ended, episodes)
      : l10n.t('{0} of {1} episodes', ended, episodes);
  const failures = failed === 0 ? [] : [l10n.t('{0} failed', failed)];
  const allFailed = failed > 0 && failed >= ended;
  const how = state === 'failed' && !allFailed ? [l10n.t('the run failed')] : [];
  return [done, ...failures, ...how].join(', ');
}

export function ongoingTooltip(runs: readonly OngoingRun[]): string {
  const lines = runs.map((run) => `**${escapeMarkdown(run.name)}**: ${escapeMarkdown(runProgress(run))}`);
  const click = runs.every(({ isTraining }) => isTraining === true)
    ? l10n.t('Click to show the charts.')
    : l10n.t('Click to show the trace.');
  return [...lines, click].join('\n\n');
}

export function ongoingAccessibleName(runs: readonly OngoingRun[]): string {
  const each = runs.map((run) => `${run.name}: ${runProgress(run)}`);
  return l10n.t('AgentJet: {0}', each.join('; '));
}

/** Returns minutes and seconds, or hours, minutes and seconds. */
function elapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return hours > 0 ? `${hours}:${two(minutes % 60)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** In a status bar, `$(…)` would be an icon, and a long name would fill it. */
function plain(name: string): string {
  const text = name.replaceAll('$(', '$ (');
  return text.length > longestName ? `${text.slice(0, longestName)}…` : text;
}

/** In characters. */
const longestName = 30;
