import type { FileReader, PathRules } from '../base/ports.ts';
import type { ClassFinder, LocatorTarget } from './classes.ts';
import type { Composition } from './compose.ts';
import type { Dialect } from './dialect.ts';
import type { Environment } from './interpolation.ts';
import { entryOf, nodeAt, type NodePath } from './node.ts';
import type { ConfigDocument } from './parse.ts';
import type { Span } from './text.ts';

/** What a config is checked, explained and completed with. */
export interface ConfigEnvironment {
  /** Absolute path of the config; of a text that is in no file, where it would be. */
  readonly file: string;
  /** Folder that training would be started in. */
  readonly cwd: string;
  readonly files: FileReader;
  readonly paths: PathRules;
  readonly environment: Environment;
  readonly classes: ClassFinder;
  /** Counts the lines of a data set that are not blank; undefined where that would take long. */
  readonly rows?: (file: string) => Promise<number | undefined>;
  /** As in `ComposeRequest`. */
  readonly parsed?: (file: string, text: string) => ConfigDocument;
}

/** One config together with what is around it at one moment: all of it is settled, so that rules are synchronous. */
export interface ConfigContext {
  readonly document: ConfigDocument;
  readonly dialect: Dialect;
  readonly file: string;
  /** The effective values, and what kept some of them from being known. */
  readonly composition: Composition;
  readonly references: ResolvedReferences;
}

/** Answers about the workspace that were looked up for one config. */
export interface ResolvedReferences {
  /**
   * By the text of the value. Undefined: not looked up, or not to be known here: a path that only the machine that
   * trains may have, or that training makes.
   */
  exists(path: string): boolean | undefined;
  /** By the locator's text; of Trinity, by the registered name or the dotted path. */
  locator(text: string): LocatorTarget | undefined;
  /** Absolute place of a path that is here, by the text of the value; of an entry of the search path, one of its configs. */
  file?(path: string): string | undefined;
  /** Rows of a data set, by the text of its path. */
  rows?(path: string): number | undefined;
}

/**
 * Where a finding about a path belongs in this text: the value there; where an item of `defaults` or a default sets it,
 * the key of the nearest section around it; else the first line.
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
