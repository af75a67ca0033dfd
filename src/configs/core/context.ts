import type { FileReader, PathRules } from '../../base/core/ports.ts';
import type { ClassFinder, LocatorTarget } from './code/classes.ts';
import type { Composition } from './compose.ts';
import type { ConfigScript } from './configScript.ts';
import type { Dialect } from './dialect.ts';
import type { Environment } from './interpolation/host.ts';
import type { Installed } from './installed.ts';
import { entryOf, nodeAt, type NodePath } from './node.ts';
import type { ConfigDocument } from './parse.ts';
import type { Span } from './text.ts';

export interface ConfigEnvironment {
  /** Absolute path of the config, also of one that is not saved yet. */
  readonly file: string;
  /** Working folder of a training run. */
  readonly cwd: string;
  readonly files: FileReader;
  readonly paths: PathRules;
  readonly environment: Environment;
  readonly classes: ClassFinder;
  /** The packages that training will use; by default those around the config. */
  readonly installed?: Installed | Promise<Installed>;
  /** Counts the lines of a data set that are not blank; undefined where that takes too long. */
  readonly rows?: (file: string) => Promise<number | undefined>;
  readonly parsed?: (file: string, text: string) => ConfigDocument;
  /** Finds the script that completes the config; by default in the folders around it. */
  readonly script?: () => Promise<ConfigScript | undefined>;
}

/** One config with its composition and resolved references, so that rules are synchronous. */
export interface ConfigContext {
  readonly document: ConfigDocument;
  readonly dialect: Dialect;
  readonly file: string;
  readonly composition: Composition;
  readonly references: ResolvedReferences;
}

/** The paths and locators of one config, looked up in the workspace. */
export interface ResolvedReferences {
  /**
   * By the text of the value. Undefined: not looked up, or a path that only the training machine has, or that training
   * creates.
   */
  exists(path: string): boolean | undefined;
  /** By the locator's text; of Trinity, by the registered name or the dotted path. */
  locator(text: string): LocatorTarget | undefined;
  /** Absolute path of an existing file, by the text of the value; of a search path's entry, one of its configs. */
  file?(path: string): string | undefined;
  /** The existing path most like a missing one, by the text of its path. */
  similar?(path: string): string | undefined;
  /** Rows of a data set, by the text of its path. */
  rows?(path: string): number | undefined;
  /** The script that completes the config. */
  readonly script?: ConfigScript | undefined;
}

/**
 * Returns the span for a finding about a path: the value. If another layer sets the value, this is the key of the
 * nearest section, or the first line.
 */
export function findingSpan(document: ConfigDocument, path: NodePath): Span {
  const node = nodeAt(document.root, path);
  if (node !== undefined && node.span.end > node.span.start) return node.span;
  for (let length = path.length; length > 0; length--) {
    const name = path[length - 1];
    const parent = nodeAt(document.root, path.slice(0, length - 1));
    const entry = typeof name === 'string' ? entryOf(parent, name) : undefined;
    if (entry !== undefined) return entry.keySpan;
    const item = nodeAt(document.root, path.slice(0, length));
    if (item !== undefined) return item.span;
  }
  return document.lines.line(0);
}
