import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { answerScheme } from '../../base/core/ids.ts';

/** The virtual files of an LLM call that waits for a person: the request and the answer. They exist as long as it waits. */
export class AnswerFiles implements vscode.FileSystemProvider, Disposable {
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

  has(uri: vscode.Uri): boolean {
    return this.#files.has(uri.toString());
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
