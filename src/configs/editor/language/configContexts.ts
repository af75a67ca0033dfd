import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import { settings, settingsSection } from '../../../base/core/ids.ts';
import type { Clock, FileReader } from '../../../base/core/ports.ts';
import { configScriptOf, type ConfigScript } from '../../core/configScript.ts';
import type { ConfigContext, ConfigEnvironment } from '../../core/context.ts';
import type { Environment } from '../../core/interpolation/host.ts';
import { maskSecrets } from '../../core/effective/secrets.ts';
import { dialectOf } from '../../core/dialect.ts';
import { isBroken, parseCache, parseConfig } from '../../core/parse.ts';
import { readContext } from '../../core/readContext.ts';
import type { ClassFinders } from './classFinders.ts';
import type { InstalledPackages } from './installedPackages.ts';
import { locateConfig, type WorkspaceFs, workspaceFiles, type TextCache } from './workspaceFs.ts';
import type { ConfigTexts } from './configTexts.ts';
import { watchConfigDependencies } from './configWatcher.ts';

export interface ContextParts {
  readonly texts: ConfigTexts;
  readonly clock: Clock;
  /** This machine's. */
  readonly files: FileReader;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly classes: ClassFinders;
  readonly rows: (file: string) => Promise<number | undefined>;
  readonly installed: InstalledPackages;
}

interface Cached {
  readonly version: number;
  readonly age: number;
  readonly context: Promise<ConfigContext>;
  /** The last version that could be read as a whole, this one if it is it. */
  whole: ConfigContext | undefined;
}

/** The contexts of open configs, computed once per version and again after a change of a file that they use. */
export class ConfigContexts implements Disposable {
  readonly #parts: ContextParts;
  readonly #store = new DisposableStore();
  readonly #stale = this.#store.add(new vscode.EventEmitter<vscode.Uri | undefined>());
  readonly #cached = new WeakMap<vscode.TextDocument, Cached>();
  readonly #read: TextCache = new Map();
  /** Parses of the defaults, which every edit composes again and which hardly ever change. */
  readonly #parsed = parseCache();
  /** Changes around the configs so far, and how many of them were of one open document. */
  #changes = 0;
  readonly #changesOf = new Map<string, number>();
  #following = false;
  /** By config: to find a script, many files are read, which no edit of the config changes. */
  readonly #scripts = new Map<string, Promise<ConfigScript | undefined>>();

  /** Something around the configs changed; where that was another document, its address. */
  readonly onStale = this.#stale.event;

  constructor(parts: ContextParts) {
    this.#parts = parts;
  }

  dispose(): void {
    this.#store.dispose();
  }

  /**
   * Returns undefined for other files. After waiting, check that the document still has its version. Rejects if an
   * existing file that the config uses cannot be read.
   */
  async of(document: vscode.TextDocument): Promise<ConfigContext | undefined> {
    const config = this.#parts.texts.textOf(document);
    const parsed = this.#parts.texts.parsed(document);
    if (config === undefined || parsed === undefined) return undefined;
    const known = this.#cached.get(document);
    const age = this.#ageOf(document.uri);
    if (known?.version === document.version && known.age === age) return known.context;
    const context = readContext(parsed, config.dialect, this.environmentOf(document.uri));
    const cached: Cached = { version: document.version, age, context, whole: known?.whole };
    this.#cached.set(document, cached);
    const read = await context;
    if (!isBroken(parsed)) cached.whole = read;
    return read;
  }

  /** The same; of a text that is broken where somebody types, what it was before that, if it was ever whole. */
  async whole(document: vscode.TextDocument): Promise<ConfigContext | undefined> {
    const context = await this.of(document);
    return context && (this.#cached.get(document)?.whole ?? context);
  }

  /** The same for a text that no document has: an older version of the file at `uri`. */
  async ofText(text: string, uri: vscode.Uri): Promise<ConfigContext | undefined> {
    const dialect = dialectOf(text);
    return dialect && readContext(parseConfig(text), dialect, this.environmentOf(uri));
  }

  environmentOf(config: vscode.Uri): ConfigEnvironment {
    this.follow();
    const location = locateConfig(config);
    const { fs, file, cwd } = location;
    const files = this.filesIn(fs);
    const classes = this.#parts.classes.in(fs, files);
    return {
      ...{ file, cwd, files, classes, paths: fs.paths },
      environment: this.#environment(),
      parsed: this.#parsed,
      installed: this.#parts.installed.of(config, location, files),
      script: () => this.#configScriptOf(config, { file, files, paths: fs.paths }),
      ...(fs.isLocal && { rows: this.#parts.rows }),
    };
  }

  filesIn(fs: WorkspaceFs): FileReader {
    return workspaceFiles(fs, this.#parts.files, this.#read);
  }

  #configScriptOf(
    config: vscode.Uri,
    { file, files, paths }: Pick<ConfigEnvironment, 'file' | 'files' | 'paths'>,
  ): Promise<ConfigScript | undefined> {
    const key = config.toString();
    const found = this.#scripts.get(key) ?? configScriptOf(file, { files, paths });
    this.#scripts.set(key, found);
    return found;
  }

  /** Returns the count of changes outside of the document; its own changes have versions. */
  #ageOf(uri: vscode.Uri): number {
    return this.#changes - (this.#changesOf.get(uri.toString()) ?? 0);
  }

  /** A secret of the user's until the workspace is trusted with it; some of it is one even then. */
  #environment(): Environment {
    if (!vscode.workspace.isTrusted) return 'blocked';
    return maskSecrets((name) => this.#parts.environment[name]);
  }

  /** Reads contexts again: something around the configs changed, or another document. */
  changed(uri?: vscode.Uri): void {
    this.#parts.installed.changed();
    this.#changes++;
    const key = uri?.toString();
    if (uri === undefined || !/\.ya?ml$/.test(uri.path)) this.#scripts.clear();
    if (key !== undefined) this.#changesOf.set(key, (this.#changesOf.get(key) ?? 0) + 1);
    this.#stale.fire(uri);
  }

  /** Begins to watch what is around configs, which a window without any does not do. */
  follow(): void {
    if (this.#following) return;
    this.#following = true;
    this.#store.add(watchConfigDependencies(this.#parts.clock, (uri) => this.changed(uri)));
    this.#store.add(
      vscode.workspace.onDidChangeConfiguration((change) => {
        const ours = [settings.releaseAgentjet, settings.releaseTrinity, settings.python];
        if (ours.some((name) => change.affectsConfiguration(`${settingsSection}.${name}`))) this.changed();
      }),
    );
  }
}
