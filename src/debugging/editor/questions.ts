import * as vscode from 'vscode';
import { replySyntax } from '../../backbone/core/model-tuner/human/humanReply.ts';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { answerScheme, commands, contextKeys, debugType } from '../../base/core/ids.ts';
import { reportingErrors } from '../../base/editor/reportErrors.ts';
import { answerRequest } from '../node/childSession.ts';
import { customEventNames, type ModelAsksBody, type ModelAsksNoMoreBody } from '../node/customEvents.ts';

/** Lets the user answer LLM calls in a document next to the conversation. */
export function registerHuman(log: vscode.LogOutputChannel): Disposable {
  const store = new DisposableStore();
  const questions = store.add(new Questions());
  const { debug, languages } = vscode;
  // Handled in sequence, so that an end cannot overtake its start.
  let last = Promise.resolve();
  const next = (work: () => Promise<void>): void => {
    last = last.then(() => reportingErrors(work, log));
  };
  store.add(
    debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      if (session.type !== debugType) return;
      if (event === customEventNames.modelAsks) next(() => questions.asked(session, body as ModelAsksBody));
      if (event === customEventNames.modelAsksNoMore) {
        next(() => questions.over(session, (body as ModelAsksNoMoreBody).id));
      }
    }),
  );
  store.add(debug.onDidTerminateDebugSession((session) => next(() => questions.over(session))));
  store.add(
    languages.registerCodeLensProvider({ scheme: answerScheme, pattern: `**/${answerName('*')}` }, sendLens),
  );
  const register = (id: string, run: () => Promise<void>): void => {
    store.add(vscode.commands.registerCommand(id, () => reportingErrors(run, log)));
  };
  register(commands.sendAnswer, () => questions.send());
  register(commands.answerCall, () => questions.showWaiting());
  return store;
}

const sendLens: vscode.CodeLensProvider = {
  provideCodeLenses: () => [
    new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), {
      title: vscode.l10n.t('$(send) Send as the model’s answer'),
      command: commands.sendAnswer,
    }),
  ],
};

interface Question {
  readonly session: vscode.DebugSession;
  readonly id: number;
  readonly conversation: vscode.Uri;
  readonly answer: vscode.Uri;
}

/** The questions of the window's sessions: each session has at most one at a time. */
class Questions implements Disposable {
  readonly #store = new DisposableStore();
  readonly #files = this.#store.add(new AnswerFiles());
  readonly #problems = this.#store.add(vscode.languages.createDiagnosticCollection('agentjet-answer'));
  readonly #waiting = this.#store.add(
    vscode.window.createStatusBarItem('agentjet.answerCall', vscode.StatusBarAlignment.Left),
  );
  readonly #open = new Map<string, Question>();

  constructor() {
    this.#waiting.name = vscode.l10n.t('AgentJet: LLM Call');
    this.#waiting.text = vscode.l10n.t('$(comment-discussion) LLM call waits');
    this.#waiting.tooltip = vscode.l10n.t('An LLM call waits for your answer');
    this.#waiting.command = commands.answerCall;
  }

  dispose(): void {
    this.#store.dispose();
  }

  async asked(session: vscode.DebugSession, body: ModelAsksBody): Promise<void> {
    const known = this.#open.get(session.id);
    const question = known?.id === body.id ? known : this.#begin(session, body);
    const { problem } = body;
    this.#problems.delete(question.answer);
    await this.#show(question);
    if (problem !== null) this.#mark(question, problem);
  }

  #setWaits(waits: boolean): void {
    if (waits) this.#waiting.show();
    else this.#waiting.hide();
    void vscode.commands.executeCommand('setContext', contextKeys.callWaits, waits);
  }

  /** Closes what a question opened. Without an id: whatever question the session has. */
  async over(session: vscode.DebugSession, id?: number): Promise<void> {
    const question = this.#open.get(session.id);
    if (question === undefined || (id !== undefined && question.id !== id)) return;
    this.#open.delete(session.id);
    if (this.#open.size === 0) this.#setWaits(false);
    this.#problems.delete(question.answer);
    const document = vscode.workspace.textDocuments.find(({ uri }) => isSame(uri, question.answer));
    await document?.save(); // a saved document closes without a question
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    await vscode.window.tabGroups.close(
      tabs.filter((tab) => isOf(tab, [question.conversation, question.answer])),
      true,
    );
    this.#files.delete(question.conversation);
    this.#files.delete(question.answer);
  }

  async showWaiting(): Promise<void> {
    const [question] = this.#open.values();
    if (question !== undefined) await this.#show(question);
    else void vscode.window.showInformationMessage(vscode.l10n.t('No LLM call waits for an answer.'));
  }

  /** Sends the answer to the question in the active editor, or else to the waiting question. */
  async send(): Promise<void> {
    const front = vscode.window.activeTextEditor?.document.uri.toString();
    const all = [...this.#open.values()];
    const question = all.find(({ answer }) => answer.toString() === front) ?? all[0];
    if (question === undefined) {
      await this.showWaiting();
      return;
    }
    const document = await vscode.workspace.openTextDocument(question.answer);
    await document.save();
    const answer = { id: question.id, text: document.getText() };
    await question.session.customRequest(answerRequest, answer);
  }

  #begin(session: vscode.DebugSession, { id, title, conversation, tools }: ModelAsksBody): Question {
    const file = (name: string): vscode.Uri =>
      vscode.Uri.from({ scheme: answerScheme, authority: session.id, path: `/${id}/${fileName(name)}.md` });
    const question = { session, id, conversation: file(title), answer: file(answerName(title)) };
    const help = tools.length > 0 ? `\n\n---\n\n${replySyntax}\n` : '\n';
    this.#files.put(question.conversation, `${conversation}${help}`, true);
    this.#files.put(question.answer, '', false);
    this.#open.set(session.id, question);
    this.#setWaits(true);
    return question;
  }

  /** Shows the documents in their current columns, or else the conversation with the answer next to it. */
  async #show({ conversation, answer }: Question): Promise<void> {
    const { Beside, Active } = vscode.ViewColumn;
    const group = vscode.window.tabGroups.all.find(({ tabs }) => tabs.some((tab) => isOf(tab, [answer])));
    if (group !== undefined) {
      await vscode.window.showTextDocument(answer, { viewColumn: group.viewColumn, preview: false });
      return;
    }
    await vscode.window.showTextDocument(conversation, { viewColumn: Active, preview: false });
    await vscode.window.showTextDocument(answer, { viewColumn: Beside, preview: false });
  }

  #mark(question: Question, { message, line }: NonNullable<ModelAsksBody['problem']>): void {
    const range = new vscode.Range(line, 0, line, Number.MAX_SAFE_INTEGER);
    const diagnostic = new vscode.Diagnostic(range, vscode.l10n.t('Not sent: {0}.', message));
    diagnostic.source = 'AgentJet';
    this.#problems.set(question.answer, [diagnostic]);
    void vscode.window.showWarningMessage(
      vscode.l10n.t('The answer was not sent: line {0}: {1}.', line + 1, message),
    );
  }
}

function isOf({ input }: vscode.Tab, documents: readonly vscode.Uri[]): boolean {
  return input instanceof vscode.TabInputText && documents.some((uri) => isSame(uri, input.uri));
}

function isSame(a: vscode.Uri, b: vscode.Uri): boolean {
  return a.toString() === b.toString();
}

function answerName(title: string): string {
  return vscode.l10n.t('Answer to {0}', title);
}

/** Replaces the characters that some systems do not allow in names. */
function fileName(title: string): string {
  return title.replaceAll(/[^\p{L}\p{N} ._-]+/gu, ' ').trim();
}

/** The virtual files of an LLM call that waits for a person: the request and the answer. They exist as long as it waits. */
class AnswerFiles implements vscode.FileSystemProvider, Disposable {
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new vscode.EventEmitter<vscode.FileChangeEvent[]>());
  readonly #files = new Map<string, { bytes: Uint8Array; time: number; readonly isReadonly: boolean }>();

  readonly onDidChangeFile = this.#changed.event;

  constructor() {
    this.#store.add(vscode.workspace.registerFileSystemProvider(answerScheme, this));
  }

  dispose(): void {
    this.#store.dispose();
  }

  put(uri: vscode.Uri, text: string, isReadonly: boolean): void {
    this.#set(uri, new TextEncoder().encode(text), isReadonly);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined); // every change goes through this object, which fires the event
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, time, isReadonly } = this.#file(uri);
    return {
      type: vscode.FileType.File,
      ctime: time,
      mtime: time,
      size: bytes.length,
      ...(isReadonly && { permissions: vscode.FilePermission.Readonly }),
    };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#file(uri).bytes;
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    if (this.#file(uri).isReadonly) throw vscode.FileSystemError.NoPermissions(uri);
    this.#set(uri, content, false);
  }

  delete(uri: vscode.Uri): void {
    if (!this.#files.delete(uri.toString())) return;
    this.#changed.fire([{ type: vscode.FileChangeType.Deleted, uri }]);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  #file(uri: vscode.Uri) {
    const file = this.#files.get(uri.toString());
    if (file === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }

  #set(uri: vscode.Uri, bytes: Uint8Array, isReadonly: boolean): void {
    const key = uri.toString();
    const known = this.#files.get(key);
    // An open editor only updates if the time increases.
    const time = Math.max(Date.now(), (known?.time ?? 0) + 1);
    this.#files.set(key, { bytes, time, isReadonly });
    const type = known === undefined ? vscode.FileChangeType.Created : vscode.FileChangeType.Changed;
    this.#changed.fire([{ type, uri }]);
  }
}
