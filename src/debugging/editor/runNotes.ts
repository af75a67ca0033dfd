import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import type { Location } from '../../base/core/errors.ts';
import { commands, debugType, settings } from '../../base/core/ids.ts';
import { isOn, onSettingChanged } from '../../base/editor/lenses.ts';
import { reportingErrors } from '../../base/editor/reportErrors.ts';
import { diagnosticSource, severities } from '../../configs/editor/language/diagnostics.ts';
import { Manual } from '../../configs/editor/language/manual.ts';
import { lineAfter } from '../../traces/editor/trackedLines.ts';
import { findingKind } from '../../tracking/core/finding.ts';
import type { LocatedFinding } from '../../tracking/core/locatedFindings.ts';
import { customEventNames, type RunNotesBody } from '../node/customEvents.ts';

/** Shows the notes of the last F5 run in the code and the config. */
export function registerRunNotes(extension: vscode.Uri, log: vscode.LogOutputChannel): Disposable {
  const store = new DisposableStore();
  const file = vscode.Uri.joinPath(extension, 'docs/findings.md');
  const manual = new Manual(file, (heading) => findingKind(heading) !== undefined);
  const notes = store.add(new RunNotes(() => manual.links()));
  store.add(
    vscode.debug.onDidStartDebugSession(({ type }) => {
      if (type === debugType) notes.clear();
    }),
  );
  store.add(
    vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      if (session.type !== debugType || event !== customEventNames.notes) return;
      if (!isOn(settings.runNotes, session.workspaceFolder)) return;
      void reportingErrors(() => notes.show((body as RunNotesBody).notes), log);
    }),
  );
  store.add(vscode.workspace.onDidChangeTextDocument((change) => notes.edited(change)));
  store.add(onSettingChanged(settings.runNotes, () => notes.clear()));
  store.add(vscode.commands.registerCommand(commands.clearRunNotes, () => notes.clear()));
  return store;
}

type Links = (code: string) => vscode.Uri;

/** The notes of the last run, as diagnostics of files that need not be open. */
class RunNotes implements Disposable {
  readonly #collection = vscode.languages.createDiagnosticCollection('agentjet-run');
  readonly #links: () => Promise<Links>;
  /** Counts, so that notes which are cleared before they are placed do not come up. */
  #cleared = 0;

  constructor(links: () => Promise<Links>) {
    this.#links = links;
  }

  dispose(): void {
    this.#collection.dispose();
  }

  clear(): void {
    this.#cleared += 1;
    this.#collection.clear();
  }

  async show(notes: readonly LocatedFinding[]): Promise<void> {
    this.clear();
    const cleared = this.#cleared;
    const links = await this.#links();
    const entries = await Promise.all(
      notes.map(async (note): Promise<[vscode.Uri, vscode.Diagnostic[]]> => {
        const uri = vscode.Uri.file(note.location.file);
        return [uri, [await toDiagnostic(note, uri, links)]];
      }),
    );
    if (cleared === this.#cleared) this.#collection.set(entries);
  }

  /** Removes the notes of edited lines. The editor itself moves the others with their lines. */
  edited({ document: { uri }, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const notes = this.#collection.get(uri) ?? [];
    if (notes.length === 0 || contentChanges.length === 0) return;
    const lines = notes.map(({ range }) => lineAfter(range.start.line, contentChanges));
    if (notes.every(({ range }, index) => range.start.line === lines[index])) return;
    const kept = notes.flatMap((note, index) => {
      const line = lines[index];
      return line === undefined ? [] : [onLine(note, line)];
    });
    this.#collection.set(uri, kept);
  }
}

async function toDiagnostic(
  { code, severity, message, location }: LocatedFinding,
  uri: vscode.Uri,
  links: Links,
): Promise<vscode.Diagnostic> {
  const diagnostic = new vscode.Diagnostic(await rangeOf(location, uri), message, severities[severity]);
  diagnostic.source = diagnosticSource;
  diagnostic.code = { value: code, target: links(code) };
  return diagnostic;
}

/** The word there, or the rest of the line. */
async function rangeOf({ line = 1, column = 1 }: Location, uri: vscode.Uri): Promise<vscode.Range> {
  const position = new vscode.Position(line - 1, column - 1);
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    const { end } = document.lineAt(position).range;
    return document.getWordRangeAtPosition(position) ?? new vscode.Range(position, end);
  } catch {
    return new vscode.Range(position, position); // the file has gone, or is shorter by now
  }
}

function onLine(note: vscode.Diagnostic, line: number): vscode.Diagnostic {
  const { start, end } = note.range;
  const range = new vscode.Range(line, start.character, line, end.character);
  const moved = new vscode.Diagnostic(range, note.message, note.severity);
  return Object.assign(moved, { source: note.source, code: note.code });
}
