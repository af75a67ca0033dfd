import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import type { Clock } from '../../../base/core/ports.ts';
import type { ConfigContexts } from '../language/configContexts.ts';
import { messageOf } from '../../../base/core/errors.ts';
import { effectiveScheme } from '../../../base/core/ids.ts';
import { locateConfig } from '../language/workspaceFs.ts';
import { effectiveText, messageText, type EffectiveText } from './effectiveText.ts';
import { effectiveUri, readEffectiveUri, type EffectiveView } from './effectiveUri.ts';

/** Typing settles before what follows from it is shown. */
const settleMilliseconds = 250;

/** The read-only documents of effective configs. Open documents are updated when their configs change. */
export class EffectiveDocuments implements vscode.TextDocumentContentProvider, Disposable {
  readonly #contexts: ConfigContexts;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new vscode.EventEmitter<vscode.Uri>());
  readonly #pending = new Map<string, Disposable>();
  readonly #texts = new Map<string, EffectiveText>();

  readonly onDidChange = this.#changed.event;

  constructor(contexts: ConfigContexts, clock: Clock) {
    this.#contexts = contexts;
    this.#store.add(vscode.workspace.registerTextDocumentContentProvider(effectiveScheme, this));
    this.#store.add(
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme !== effectiveScheme) this.#follow(document.uri, clock);
      }),
    );
    this.#store.add(contexts.onStale((changed) => this.#refreshOthers(changed)));
    this.#store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())));
    this.#store.defer(() => {
      for (const timer of this.#pending.values()) timer.dispose();
    });
  }

  dispose(): void {
    this.#store.dispose();
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const text = await this.read(uri);
    this.#texts.set(uri.toString(), text);
    return text.text;
  }

  /** Returns the text that the editor has; undefined if the document is not open. */
  lastText(uri: vscode.Uri): EffectiveText | undefined {
    return this.#texts.get(uri.toString());
  }

  /** Renders the current text. Never rejects: the text names the error. */
  async read(uri: vscode.Uri): Promise<EffectiveText> {
    const view = readEffectiveUri(uri);
    if (view === undefined)
      return messageText(
        vscode.l10n.t('This is not an effective config. Run "AgentJet: Show Effective Config" to open one.'),
      );
    try {
      const document = await vscode.workspace.openTextDocument(view.source);
      const context = await (view.as
        ? this.#contexts.ofText(document.getText(), view.as)
        : this.#contexts.whole(document));
      if (context !== undefined) {
        const { cwd: relativeTo } = locateConfig(view.as ?? view.source);
        const isOld = context.document.text !== document.getText();
        return effectiveText(context, view, { name: nameOf(view), relativeTo, isOld });
      }
      return messageText(vscode.l10n.t('{0} is not a config of AgentJet or Trinity-RFT.', nameOf(view)));
    } catch (error) {
      return messageText(vscode.l10n.t('{0} cannot be read: {1}', nameOf(view), messageOf(error)));
    }
  }

  #follow(source: vscode.Uri, clock: Clock): void {
    const key = source.toString();
    const views = openViews().filter((view) => view.source.toString() === key);
    if (views.length === 0) return;
    this.#pending.get(key)?.dispose();
    const refresh = (): void => {
      this.#pending.delete(key);
      for (const view of views) this.#changed.fire(effectiveUri(view));
    };
    this.#pending.set(key, clock.after(settleMilliseconds, refresh));
  }

  /** Refreshes the documents of other sources; a document's own source refreshes it at once. */
  #refreshOthers(changed: vscode.Uri | undefined): void {
    const open = new Set(vscode.workspace.textDocuments.map(({ uri }) => uri.toString()));
    const key = changed?.toString();
    for (const view of openViews()) {
      if (key === undefined || view.source.toString() !== key || !open.has(key)) {
        this.#changed.fire(effectiveUri(view));
      }
    }
  }
}

function openViews(): EffectiveView[] {
  return vscode.workspace.textDocuments
    .map(({ uri }) => readEffectiveUri(uri))
    .filter((view) => view !== undefined);
}

function nameOf({ source, as }: EffectiveView): string {
  return vscode.workspace.asRelativePath(as ?? source);
}
