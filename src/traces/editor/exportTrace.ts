import path from 'node:path';
import * as vscode from 'vscode';
import { isRecord } from '../../base/core/isRecord.ts';
import type { TraceJobOutcome } from '../node/client/traceJob.ts';
import { exportFormats, type ExportFormat } from '../core/export/formats.ts';
import { traceEditorType } from '../../base/core/ids.ts';
import { withJob, type TraceJobs } from './openTrace.ts';
import { parseFilter, problemText } from '../core/filterText.ts';
import type { FoundSecrets } from '../core/export/exportTrace.ts';

const textChoices = ['keep', 'redact'] as const;
type TextChoice = (typeof textChoices)[number];

interface Choice<T> extends vscode.QuickPickItem {
  readonly value: T;
}

async function choose<T>(items: readonly Choice<T>[], placeHolder?: string): Promise<T | undefined> {
  const title = vscode.l10n.t('Export Trace');
  const chosen = await vscode.window.showQuickPick(items, { title, ...(placeHolder && { placeHolder }) });
  return chosen?.value;
}

/** Finds secrets first, so that the question can show what is removed either way. Undefined: canceled. */
async function askForTexts(
  trace: vscode.Uri,
  filter: string,
  { spawn }: TraceJobs,
): Promise<TextChoice | undefined> {
  const title = vscode.l10n.t('Looking for keys and access tokens');
  const searched = await withJob(spawn, title, { kind: 'secrets', trace: trace.fsPath, filter });
  if (searched === undefined) return undefined;
  const secrets = searched.secrets ?? [];
  return choose<TextChoice>([
    { label: vscode.l10n.t('With message texts'), detail: secretsText(secrets), value: 'keep' },
    {
      label: vscode.l10n.t('Without message texts'),
      detail: vscode.l10n.t('Also omits token and error texts. Only numbers and names remain.'),
      value: 'redact',
    },
    ...secrets.map(({ kind, count, episodes }): Choice<TextChoice> => ({
      label: vscode.l10n.t('Removed: {0} ({1})', kind, count),
      description: vscode.l10n.t('first seen in episodes {0}', episodes.join(', ')),
      kind: vscode.QuickPickItemKind.Separator,
      value: 'keep',
    })),
  ]);
}

function secretsText(secrets: readonly FoundSecrets[]): string {
  if (secrets.length === 0) {
    return vscode.l10n.t('No keys or access tokens found');
  }
  const list = secrets.map(({ kind, count }) => `${kind} (${count})`).join(', ');
  return vscode.l10n.t('Removed: {0}', list);
}

/** The answers that the caller of the command already has. The user is asked for the others. */
interface Answers {
  readonly format: ExportFormat | undefined;
  /** A filter in the viewer's syntax; empty: all episodes. */
  readonly filter: string | undefined;
  readonly texts: TextChoice | undefined;
  readonly target: vscode.Uri | undefined;
}

/** @param uri from a menu; absent: the trace of the active viewer */
export async function exportTrace(uri: unknown, known: unknown, jobs: TraceJobs): Promise<void> {
  const trace = uri instanceof vscode.Uri ? uri : activeTrace();
  if (trace === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('First open the trace that you want to export.'));
    return;
  }
  const answers = answersOf(known);
  const format = answers.format ?? (await askForFormat());
  if (format === undefined) return;
  const filter = answers.filter ?? (await askForScope());
  if (filter === undefined) return;
  const texts = answers.texts ?? (await askForTexts(trace, filter, jobs));
  if (texts === undefined) return;
  const target = answers.target ?? (await askForTarget(trace, format));
  if (target === undefined) return;
  const files = { trace: trace.fsPath, out: target.fsPath };
  const job = { kind: 'export', ...files, format, filter, redactTexts: texts === 'redact' } as const;
  const title = vscode.l10n.t('Exporting {0}', path.basename(trace.fsPath));
  const written = await withJob(jobs.spawn, title, job);
  // Does not wait until the notification is closed.
  if (written !== undefined) void tell(written, format);
}

function answersOf(known: unknown): Answers {
  const { format, filter, texts, target } = isRecord(known) ? known : {};
  return {
    format: exportFormats.find((one) => one === format),
    filter: typeof filter === 'string' ? filter : undefined,
    texts: textChoices.find((one) => one === texts),
    target: target instanceof vscode.Uri ? target : undefined,
  };
}

function activeTrace(): vscode.Uri | undefined {
  const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
  return input instanceof vscode.TabInputCustom && input.viewType === traceEditorType ? input.uri : undefined;
}

const ends: Readonly<Record<ExportFormat, string>> = {
  otlp: '.otlp.jsonl',
  jsonl: '.jsonl',
  chrome: '.trace.json',
  html: '.html',
};

function askForFormat(): Promise<ExportFormat | undefined> {
  const items: readonly Choice<ExportFormat>[] = [
    {
      label: 'OTLP/JSON',
      detail: vscode.l10n.t('OpenTelemetry with GenAI conventions and tokens, one line per episode'),
      value: 'otlp',
    },
    { label: 'JSONL', detail: vscode.l10n.t('All data, one line per episode'), value: 'jsonl' },
    {
      label: vscode.l10n.t('Chrome trace events'),
      detail: vscode.l10n.t('Times of calls, tools and judges, for Perfetto'),
      value: 'chrome',
    },
    {
      label: 'HTML',
      detail: vscode.l10n.t('A single page without scripts, to read and share'),
      value: 'html',
    },
  ];
  return choose(items, vscode.l10n.t('Select a format'));
}

function askForTarget(trace: vscode.Uri, format: ExportFormat): Thenable<vscode.Uri | undefined> {
  return vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.file(trace.fsPath.replace(/\.ajtrace$/i, '') + ends[format]),
    saveLabel: vscode.l10n.t('Export'),
  });
}

async function tell({ file, note }: TraceJobOutcome, format: ExportFormat): Promise<void> {
  const [reveal, open] = [vscode.l10n.t('Reveal'), vscode.l10n.t('Open in Browser')];
  const buttons = format === 'html' ? [open, reveal] : [reveal];
  const name = path.basename(file);
  const isDamaged = note !== undefined && (note.isDamaged || note.incomplete > 0);
  const chosen = isDamaged
    ? await vscode.window.showWarningMessage(
        vscode.l10n.t('The trace is damaged. Its readable part was exported to {0}.', name),
        ...buttons,
      )
    : await vscode.window.showInformationMessage(exportedText(name, note?.episodes ?? 0), ...buttons);
  const uri = vscode.Uri.file(file);
  if (chosen === reveal) await vscode.commands.executeCommand('revealFileInOS', uri);
  if (chosen === open) await vscode.env.openExternal(uri);
}

function exportedText(name: string, episodes: number): string {
  return episodes === 1
    ? vscode.l10n.t('Exported 1 episode to {0}.', name)
    : vscode.l10n.t('Exported {0} episodes to {1}.', episodes, name);
}

/** Asks which episodes to export, and returns a filter in the viewer's syntax; empty: all. Undefined: canceled. */
async function askForScope(): Promise<string | undefined> {
  const items: readonly Choice<'run' | 'group' | 'episode' | 'filter'>[] = [
    { label: vscode.l10n.t('All episodes'), value: 'run' },
    { label: vscode.l10n.t('A group…'), detail: vscode.l10n.t('The repeats of one task'), value: 'group' },
    { label: vscode.l10n.t('An episode…'), value: 'episode' },
    {
      label: vscode.l10n.t('By filter…'),
      detail: vscode.l10n.t("Uses the viewer's filter syntax, for example: {0}", 'reward<0 agent:solver'),
      value: 'filter',
    },
  ];
  const scope = await choose(items, vscode.l10n.t('Select the episodes to export'));
  if (scope === 'group' || scope === 'episode') return numbered(scope);
  if (scope !== 'filter') return scope && '';
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Select the episodes to export'),
    placeHolder: vscode.l10n.t('For example: {0}', 'reward<0 agent:solver'),
    validateInput: (text) => {
      const parsed = parseFilter(text);
      return 'problem' in parsed ? problemText(parsed.problem) : undefined;
    },
  });
}

async function numbered(field: 'group' | 'episode'): Promise<string | undefined> {
  const number = await vscode.window.showInputBox({
    title: field === 'group' ? vscode.l10n.t('Group Number') : vscode.l10n.t('Select an Episode'),
    prompt: vscode.l10n.t('The number in the viewer, counted from 0'),
    validateInput: (text) => (/^\d{1,9}$/.test(text) ? undefined : vscode.l10n.t('Enter a number.')),
  });
  return number === undefined ? undefined : `${field}=${number}`;
}
