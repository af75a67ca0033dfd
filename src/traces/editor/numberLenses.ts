import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { traceEventNames } from '../core/runEvents.ts';
import { contentFingerprint } from '../../base/node/contentFingerprint.ts';
import { commands, debugType, languages, settings, settingsSection } from '../../base/core/ids.ts';
import { routeOf, type CodeNumber } from './codeNumbers.ts';
import type { LastRunNumbers } from './lastRunNumbers.ts';
import { lensTitle, lensTooltip } from './numberTexts.ts';
import { TrackedLines } from './trackedLines.ts';

/**
 * Shows statistics of the last run above the lines of code that took part in it. A lens appears only if its line is
 * certain. Either the text is the one that ran, or this window has tracked all edits and the line is unchanged.
 */
export function registerNumberLenses(numbers: LastRunNumbers): Disposable {
  const store = new DisposableStore();
  const changed = store.add(new vscode.EventEmitter<void>());
  const provider = new NumberLenses(numbers, changed.event);
  store.add(
    vscode.languages.registerCodeLensProvider(
      languages.code.map((language) => ({ language, scheme: 'file' })),
      provider,
    ),
  );
  store.add(numbers.onChanged(() => changed.fire()));
  store.add(vscode.workspace.onDidGrantWorkspaceTrust(() => changed.fire()));
  store.add(vscode.workspace.onDidChangeTextDocument((change) => provider.edited(change)));
  store.add(vscode.workspace.onDidCloseTextDocument((document) => provider.closed(document)));
  store.add(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${settingsSection}.${settings.runLenses}`)) changed.fire();
    }),
  );
  store.add(followRuns(numbers));
  return store;
}

/** Runs under F5 report their end. Other runs change their traces. */
function followRuns(numbers: LastRunNumbers): Disposable {
  const store = new DisposableStore();
  store.add(
    vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session: { type }, event }) => {
      if (type === debugType && event === traceEventNames.ended) void numbers.refresh();
    }),
  );
  const traces = store.add(vscode.workspace.createFileSystemWatcher('**/*.ajtrace'));
  for (const on of [traces.onDidCreate, traces.onDidChange, traces.onDidDelete]) {
    store.add(on(() => numbers.traceChanged()));
  }
  return store;
}

class NumberLenses implements vscode.CodeLensProvider {
  readonly onDidChangeCodeLenses: vscode.Event<void>;
  readonly #numbers: LastRunNumbers;
  readonly #lines = new TrackedLines();

  constructor(numbers: LastRunNumbers, onChanged: vscode.Event<void>) {
    this.#numbers = numbers;
    this.onDidChangeCodeLenses = onChanged;
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const section = vscode.workspace.getConfiguration(settingsSection, document.uri);
    if (!vscode.workspace.isTrusted || !section.get<boolean>(settings.runLenses, true)) return [];
    const numbers = this.#numbers.of(document.uri.fsPath);
    if (numbers.length === 0) return [];
    this.#look(document, numbers);
    return numbers.flatMap((number) => this.#lens(document, number));
  }

  edited({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (contentChanges.length > 0) this.#lines.edited(keyOf(document), contentChanges);
  }

  closed(document: vscode.TextDocument): void {
    this.#lines.forget(keyOf(document));
  }

  /** Undoing edits may restore the text that ran. */
  #look(document: vscode.TextDocument, numbers: readonly CodeNumber[]): void {
    const text = document.getText();
    const now = new Set([contentFingerprint(text), contentFingerprint(`\uFEFF${text}`)]);
    for (const fingerprint of new Set(numbers.map((number) => number.fingerprint))) {
      if (fingerprint === null || !now.has(fingerprint)) continue;
      this.#lines.isNow(keyOf(document), fingerprint, document.lineCount);
    }
  }

  #lens(document: vscode.TextDocument, number: CodeNumber): vscode.CodeLens[] {
    const { fingerprint, line } = number;
    const at = fingerprint === null ? undefined : this.#lines.now(keyOf(document), fingerprint, line - 1);
    if (at === undefined) return [];
    return [
      new vscode.CodeLens(new vscode.Range(at, 0, at, 0), {
        title: lensTitle(number),
        tooltip: lensTooltip(number),
        command: commands.openTrace,
        arguments: [vscode.Uri.file(this.#numbers.trace), routeOf(number)],
      }),
    ];
  }
}

function keyOf({ uri }: vscode.TextDocument): string {
  return uri.toString();
}
