import type { Locator } from './locator.ts';

/** A class or function of the user's that a locator may name. */
export interface CodeSite {
  readonly name: string;
  readonly kind: 'class' | 'function';
  readonly language: 'python' | 'typescript';
  /** Absolute. */
  readonly file: string;
  /** Of the name, both 1-based. */
  readonly line: number;
  readonly column: number;
  /** What a class extends, as written: `Workflow`, `ajet.Workflow`. */
  readonly bases: readonly string[];
}

/** What a locator leads to. */
export type LocatorTarget =
  | { readonly status: 'found'; readonly site: CodeSite }
  /** The file, or the module within the workspace, is not there; `file` is where it was looked for first. */
  | { readonly status: 'no-file'; readonly file: string }
  /** The file has no such name; `sites` are those it has. */
  | { readonly status: 'no-name'; readonly file: string; readonly sites: readonly CodeSite[] }
  /** A module that is not the workspace's: it may be installed where training runs. */
  | { readonly status: 'elsewhere' };

/** Finds what locators name, by reading the text of files: nothing of the user's is run. */
export interface ClassFinder {
  /** `cwd`: the folder that training is started in, which locators are relative to. */
  find(locator: Locator, cwd: string): Promise<LocatorTarget>;
  /** Workflows and judges of the workspace, for completion; cached, and updated as files change. */
  all(): Promise<readonly CodeSite[]>;
}
