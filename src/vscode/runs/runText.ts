/** What the view says about a run. */
import path from 'node:path';
import { formatLocation } from '../../base/errors.ts';
import type { TokenizerNote } from '../../protocol/trace.ts';
import type { RunTotals } from '../../protocol/traceRpc.ts';
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
  return [summary.state, ...totalsInWords(summary.totals, summary.state)].join(' · ');
}

/** The same for a screen reader, which sees no icon and is not told the state by a colour. */
export function runAccessibleName(run: Run): string {
  const { state, totals } = run.summary;
  return [`Run ${runLabel(run)}`, state, ...totalsInWords(totals, state)].join(', ');
}

/** e.g. `Config math_agent.yaml, 3 runs`. */
export function groupAccessibleName({ kind, label, children }: GroupNode): string {
  const count = countRuns(children);
  return `${kind === 'folder' ? 'Folder' : 'Config'} ${label}, ${count} ${count === 1 ? 'run' : 'runs'}`;
}

function countRuns(nodes: readonly TreeNode[]): number {
  return nodes.reduce((count, node) => count + (node.kind === 'run' ? 1 : countRuns(node.children)), 0);
}

function totalsInWords(totals: RunTotals, state: RunState): string[] {
  if (state === 'unreadable') return [];
  const words = [];
  if (totals.meanReward !== null) words.push(`reward ${rounded(totals.meanReward)}`);
  if (totals.successRate !== null) words.push(`${Math.round(totals.successRate * 100)} % success`);
  return [...words, episodesInWords(totals)];
}

function episodesInWords({ started, ended, failed }: RunTotals): string {
  const done = started === ended ? String(ended) : `${ended} of ${started}`;
  const noun = started === 1 ? 'episode' : 'episodes';
  return failed === 0 ? `${done} ${noun}` : `${done} ${noun}, ${failed} failed`;
}

/** Markdown in which nothing that comes from the run is more than text. */
export function runTooltip(run: Run): string {
  const { summary, file } = run;
  const heading = `**${escapeMarkdown(runLabel(run))}** — ${escapeMarkdown(runDescription(run))}`;
  const rows = [...details(run), ['Trace', file.trace]].map(
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
  if (summary.state === 'unreadable') return [['Size', formatSize(file.size)]];
  const { totals, tokenizer } = summary;
  return [
    ['Experiment', summary.experiment],
    ['Config', summary.config],
    ['Workflow', summary.workflow],
    ['Model', summary.model],
    ...(tokenizer ? [['Tokenizer', tokenizerInWords(tokenizer)]] : []),
    ['Started', formatTime(summary.startedAt)],
    ['LLM calls', formatCount(totals.calls)],
    ['Timelines', formatCount(totals.timelines)],
    ['Tokens', `${formatCount(totals.tokens)}, ${formatCount(totals.trainableTokens)} of them trainable`],
    ['Size', formatSize(summary.size)],
  ];
}

function tokenizerInWords({ name, exact }: TokenizerNote): string {
  return exact ? name : `${name}, which stands in: token counts are approximate`;
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

/** e.g. `812 B`, `3.4 MB`; units of 1000. */
export function formatSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power] ?? ''}`;
}
