import type { BuiltInJudge } from './builtInJudges.ts';
import type { Locator } from './locator.ts';

/** A class or function of the user's that a locator may name. */
export interface CodeSite {
  /** As a locator writes it: of an anonymous or default export, `default`. */
  readonly name: string;
  /** `value`: a name that is given something else, such as what a call returns. */
  readonly kind: 'class' | 'function' | 'value';
  readonly language: 'python' | 'typescript';
  /** Absolute. */
  readonly file: string;
  /** Of the name, both 1-based. */
  readonly line: number;
  readonly column: number;
  /** What a class extends, as written: `Workflow`, `ajet.Workflow`. */
  readonly bases: readonly string[];
  /**
   * What it can be used as, its bases followed through the workspace. `neither`: certainly no workflow and no judge;
   * `unknown`: a base is not to be seen from here. Of functions, by the parameters that AgentScope's tuner asks for.
   */
  readonly role?: CodeRole;
  /** Of a function, the names of its parameters. */
  readonly parameters?: readonly string[];
  /** The name under which Trinity knows it: `@WORKFLOWS.register_module("name")`. */
  readonly registered?: string;
}

export type CodeRole = 'workflow' | 'judge' | 'neither' | 'unknown';

/** What a locator leads to. */
export type LocatorTarget =
  | { readonly status: 'found'; readonly site: CodeSite }
  /** The file, or the module within the workspace, is not there; `file` is where it was looked for first. */
  | { readonly status: 'no-file'; readonly file: string }
  /** The file has no such name; `sites` are those it has. */
  | { readonly status: 'no-name'; readonly file: string; readonly sites: readonly CodeSite[] }
  /** A class of AgentJet's that the workspace has no file of, and that comes with this extension. */
  | { readonly status: 'built-in'; readonly judge: BuiltInJudge }
  /** What is not the workspace's, or not to be told from text: it may be there where training runs. */
  | { readonly status: 'elsewhere' };

/** Finds what locators name, by reading the text of files: nothing of the user's is run. */
export interface ClassFinder {
  /**
   * `cwd`: the folder that training is started in, which locators are relative to; `beside`: the folder of the config,
   * where a file is looked for that `cwd` does not have. Never rejects: what cannot be read is `elsewhere`.
   */
  find(locator: Locator, cwd: string, beside?: string): Promise<LocatorTarget>;
  /**
   * Workflows and judges of the workspace, then other classes, for completion; cached, and updated as files change.
   * Never rejects; of a very large workspace not everything.
   */
  all(): Promise<readonly CodeSite[]>;
}
