/** The texts of the Runs view. */
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { formatLocation } from '../../../base/core/errors.ts';
import { count, countedEpisodes, reward, sizeText } from '../../../base/core/format.ts';
import type { TokenizerInfo } from '../../../tracking/core/records/tracedRun.ts';
import type { TraceSummary } from '../../core/protocol/runRpc.ts';
import { runStatus, type RunStatusKind } from '../../core/runStatus.ts';
import type { Run } from './run.ts';
import type { GroupNode, TreeNode } from './runTree.ts';

export interface StateIcon {
  readonly icon: string;
  readonly color?: string;
}

const icons: Readonly<Record<RunStatusKind, StateIcon>> = {
  running: { icon: 'loading~spin' },
  completed: { icon: 'pass', color: 'testing.iconPassed' },
  'some-failed': { icon: 'warning', color: 'list.warningForeground' },
  'all-failed': { icon: 'error', color: 'testing.iconFailed' },
  cancelled: { icon: 'circle-slash', color: 'testing.iconSkipped' },
  failed: { icon: 'error', color: 'testing.iconFailed' },
  killed: { icon: 'stop-circle', color: 'list.warningForeground' },
  unreadable: { icon: 'question', color: 'list.errorForeground' },
};

export function stateIcon({ summary: { state, totals } }: Run): StateIcon {
  return icons[runStatus(state, totals).kind];
}

/**
 * Returns the experiment, which also names the run's folder. If the user renamed the folder, or it has a number
 * because the name was taken, the folder's name distinguishes runs of one experiment.
 */
export function runLabel({ file, summary }: Run): string {
  if (file.training !== undefined) return stepLabel(path.basename(file.trace, '.ajtrace'));
  if (file.ownFolder) return path.basename(path.dirname(file.trace));
  return summary.experiment === '' ? path.basename(file.trace) : summary.experiment;
}

/** Returns e.g. `Step 3` for `step-0003`. Traces of steps that were trained again keep their names. */
function stepLabel(trace: string): string {
  const [, kind, step = ''] = /^(step|validation)-(\d+)$/.exec(trace) ?? [];
  if (kind === undefined) return trace;
  return kind === 'step'
    ? l10n.t('Step {0}', count(Number(step)))
    : l10n.t('Validation after step {0}', count(Number(step)));
}

/** e.g. `step 12 · reward 0.75`, of the newest step. */
export function trainingDescription({ children }: GroupNode): string {
  const runs = children.flatMap((node) => (node.kind === 'run' ? [node.run] : []));
  const steps = runs.filter(({ file }) => /\bstep-\d+\.ajtrace$/.test(file.trace));
  const newest = steps.find(({ summary }) => summary.totals.meanReward !== null) ?? steps[0];
  if (newest === undefined) return '';
  const { meanReward } = newest.summary.totals;
  const words = meanReward === null ? [] : [l10n.t('reward {0}', reward(meanReward))];
  return [runLabel(newest), ...words].join(' · ');
}

/** Returns true if a step or validation of a training runs. */
export function isTraining({ children }: GroupNode): boolean {
  return children.some((node) => node.kind === 'run' && node.run.summary.state === 'running');
}

/** e.g. `completed, 1 failed · reward 0.75 · 75 % success · 8 episodes`. */
export function runDescription({ summary }: Run): string {
  return [runStatus(summary.state, summary.totals).word, ...totalsInWords(summary)].join(' · ');
}

export function runAccessibleName(run: Run): string {
  const { state, totals } = run.summary;
  const status = runStatus(state, totals).word;
  return [l10n.t('Run {0}', runLabel(run)), status, ...totalsInWords(run.summary)].join(', ');
}

/** e.g. `Config math_agent.yaml, 3 runs`. */
export function groupAccessibleName({ kind, label, children }: GroupNode): string {
  if (kind === 'training') return l10n.t('Training {0}', label);
  const count = countRuns(children);
  if (kind === 'folder') {
    return count === 1 ? l10n.t('Folder {0}, 1 run', label) : l10n.t('Folder {0}, {1} runs', label, count);
  }
  return count === 1 ? l10n.t('Config {0}, 1 run', label) : l10n.t('Config {0}, {1} runs', label, count);
}

function countRuns(nodes: readonly TreeNode[]): number {
  return nodes.reduce((count, node) => count + (node.kind === 'run' ? 1 : countRuns(node.children)), 0);
}

function totalsInWords(summary: TraceSummary): string[] {
  const { totals, state } = summary;
  if (state === 'unreadable') return [];
  const words = [];
  if (totals.meanReward !== null) words.push(l10n.t('reward {0}', reward(totals.meanReward)));
  if (totals.successRate !== null) {
    words.push(l10n.t('{0} % success', Math.round(totals.successRate * 100)));
  }
  return [...words, episodesInWords(summary)];
}

/** Returns ended episodes of all planned ones, or of the started ones if the run is complete. */
function episodesInWords({ totals: { started, ended }, state, episodes: planned }: TraceSummary): string {
  const all = state === 'completed' ? started : Math.max(planned, started);
  if (all !== ended) {
    return all === 1 ? l10n.t('{0} of 1 episode', ended) : l10n.t('{0} of {1} episodes', ended, all);
  }
  return countedEpisodes(all);
}

/** Returns a tooltip in Markdown. Text from the run is escaped. */
export function runTooltip(run: Run): string {
  const { summary, file } = run;
  const heading = `**${escapeMarkdown(runLabel(run))}** — ${escapeMarkdown(runDescription(run))}`;
  const rows = [...details(run), [l10n.t('Trace'), file.trace]].map(
    ([name = '', text = '']) => `| ${name} | ${escapeMarkdown(text)} |`,
  );
  const parts = [heading, ['| | |', '|---|---|', ...rows].join('\n')];
  if (summary.error) {
    const { code, hint, location, message } = summary.error;
    const where = location ? `${formatLocation(location)}: ` : '';
    parts.push(escapeMarkdown(`${where}${message} [${code}]`));
    if (hint !== undefined) parts.push(escapeMarkdown(hint));
  }
  return parts.join('\n\n');
}

function details({ summary, file }: Run): string[][] {
  if (summary.state === 'unreadable') return [[l10n.t('Size'), sizeText(file.size)]];
  const { totals, tokenizer } = summary;
  return [
    [l10n.t('Experiment'), summary.experiment],
    [l10n.t('Config'), summary.config],
    [l10n.t('Workflow'), summary.workflow],
    [l10n.t('Model'), summary.model],
    ...(tokenizer ? [[l10n.t('Tokenizer'), tokenizerInWords(tokenizer)]] : []),
    [l10n.t('Started'), formatTime(summary.startedAt)],
    [l10n.t('LLM calls'), count(totals.calls)],
    [l10n.t('Timelines'), count(totals.timelines)],
    [
      l10n.t('Tokens'),
      l10n.t('{0}, {1} of them trainable', count(totals.tokens), count(totals.trainableTokens)),
    ],
    [l10n.t('Size'), sizeText(summary.size)],
  ];
}

function tokenizerInWords({ name, exact }: TokenizerInfo): string {
  return exact ? name : l10n.t('{0}, a stand-in: token counts are approximate', name);
}

/** Escapes Markdown. A backslash is valid before every ASCII punctuation character. Line breaks would end a table. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&').replaceAll(/[\r\n]+/g, ' ');
}

function formatTime(milliseconds: number): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }).format(
    milliseconds,
  );
}
