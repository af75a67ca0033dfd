/** What the view says about a run. */
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { formatLocation } from '../../../base/core/errors.ts';
import { sizeText } from '../../../base/core/sizeText.ts';
import type { TokenizerInfo } from '../../../tracking/core/records/tracedRun.ts';
import type { TraceSummary } from '../../core/protocol/runRpc.ts';
import type { Run, RunState } from './run.ts';
import type { GroupNode, TreeNode } from './runTree.ts';

/** A codicon's name, and the theme's colour for it. */
export interface StateIcon {
  readonly icon: string;
  readonly color?: string;
}

const icons: Readonly<Record<RunState, StateIcon>> = {
  running: { icon: 'loading~spin' },
  completed: { icon: 'pass', color: 'testing.iconPassed' },
  cancelled: { icon: 'circle-slash', color: 'testing.iconSkipped' },
  failed: { icon: 'error', color: 'testing.iconFailed' },
  killed: { icon: 'stop-circle', color: 'list.warningForeground' },
  unreadable: { icon: 'question', color: 'list.errorForeground' },
};

function stateWord(state: RunState): string {
  const words: Readonly<Record<RunState, string>> = {
    running: l10n.t('running'),
    completed: l10n.t('completed'),
    cancelled: l10n.t('cancelled'),
    failed: l10n.t('failed'),
    killed: l10n.t('killed'),
    unreadable: l10n.t('unreadable'),
  };
  return words[state];
}

export function stateIcon(state: RunState): StateIcon {
  return icons[state];
}

/**
 * The experiment, which the run's folder is named after. Where a user renamed that folder, or the name was taken and got
 * a number, the folder's name is what tells runs of one experiment apart.
 */
export function runLabel({ file, summary }: Run): string {
  if (file.ownFolder) return path.basename(path.dirname(file.trace));
  return summary.experiment === '' ? path.basename(file.trace) : summary.experiment;
}

/** e.g. `completed · reward 0.75 · 75 % success · 8 episodes, 1 failed`. */
export function runDescription({ summary }: Run): string {
  return [stateWord(summary.state), ...totalsInWords(summary)].join(' · ');
}

/** The same for a screen reader, which sees no icon and is not told the state by a colour. */
export function runAccessibleName(run: Run): string {
  const { state } = run.summary;
  return [l10n.t('Run {0}', runLabel(run)), stateWord(state), ...totalsInWords(run.summary)].join(', ');
}

/** e.g. `Config math_agent.yaml, 3 runs`. */
export function groupAccessibleName({ kind, label, children }: GroupNode): string {
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
  if (totals.meanReward !== null) words.push(l10n.t('reward {0}', rounded(totals.meanReward)));
  if (totals.successRate !== null) {
    words.push(l10n.t('{0} % success', Math.round(totals.successRate * 100)));
  }
  return [...words, episodesInWords(summary)];
}

/** Of a run that goes on, out of all that it is to have; of one that broke off, out of those that had started. */
function episodesInWords({
  totals: { started, ended, failed },
  state,
  episodes: planned,
}: TraceSummary): string {
  const all = state === 'running' ? Math.max(planned, started) : started;
  const episodes = countedEpisodes(all, ended);
  return failed === 0 ? episodes : l10n.t('{0}, {1} failed', episodes, failed);
}

function countedEpisodes(all: number, ended: number): string {
  if (all !== ended) {
    return all === 1 ? l10n.t('{0} of 1 episode', ended) : l10n.t('{0} of {1} episodes', ended, all);
  }
  return all === 1 ? l10n.t('1 episode') : l10n.t('{0} episodes', all);
}

/** Markdown in which nothing that comes from the run is more than text. */
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

/** What is known, by name: of an unreadable trace that is its size only. */
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
    [l10n.t('LLM calls'), formatCount(totals.calls)],
    [l10n.t('Timelines'), formatCount(totals.timelines)],
    [
      l10n.t('Tokens'),
      l10n.t('{0}, {1} of them trainable', formatCount(totals.tokens), formatCount(totals.trainableTokens)),
    ],
    [l10n.t('Size'), sizeText(summary.size)],
  ];
}

function tokenizerInWords({ name, exact }: TokenizerInfo): string {
  return exact ? name : l10n.t('{0}, which stands in: token counts are approximate', name);
}

/** Every ASCII punctuation character may carry a backslash, and then stands for itself; a line break ends a table. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&').replaceAll(/[\r\n]+/g, ' ');
}

function rounded(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

function formatCount(value: number): string {
  return value.toLocaleString('en');
}

function formatTime(milliseconds: number): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }).format(
    milliseconds,
  );
}
