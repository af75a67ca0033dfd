import type { BuiltInJudge } from '../builtInJudges.ts';
import type { Locator } from '../locator.ts';

/** A class or function of the user's that a locator may name. */
export interface CodeSite {
  /** The name in a locator; `default` for an anonymous or default export. */
  readonly name: string;
  /** `value`: a name that is given something else, such as what a call returns. */
  readonly kind: 'class' | 'function' | 'value';
  readonly language: 'python' | 'typescript';
  readonly file: string;
  /** The position of the name; line and column are 1-based. */
  readonly line: number;
  readonly column: number;
  /** The base classes as written: `Workflow`, `ajet.Workflow`. */
  readonly bases: readonly string[];
  /**
   * The role of the class, with its bases resolved in the workspace. `neither`: certainly not a workflow and not a
   * judge. `unknown`: a base is not visible from here. For functions, AgentScope's parameters decide.
   */
  readonly role?: CodeRole;
  readonly parameters?: readonly string[];
  /** The name under which Trinity knows it: `@WORKFLOWS.register_module("name")`. */
  readonly registered?: string;
}

export type CodeRole = 'workflow' | 'judge' | 'neither' | 'unknown';

export type LocatorTarget =
  | { readonly status: 'found'; readonly site: CodeSite }
  /** The file, or the module within the workspace, is not there; `file` is where it was looked for first. */
  | { readonly status: 'no-file'; readonly file: string }
  /** The file has no such name; `sites` are those it has. */
  | { readonly status: 'no-name'; readonly file: string; readonly sites: readonly CodeSite[] }
  /** A class of AgentJet's that the workspace has no file of, and that comes with this extension. */
  | { readonly status: 'built-in'; readonly judge: BuiltInJudge }
  /** Outside of the workspace, or not visible in the text; it may exist on the training machine. */
  | { readonly status: 'elsewhere' };

/** Finds what locators name. It only reads text and never runs user code. */
export interface ClassFinder {
  /**
   * Finds the class that a locator names. `cwd` is the folder that training starts in, which locators are relative to.
   * `beside` is the folder of the config, the second place to look. Never rejects: unreadable files give `elsewhere`.
   */
  find(locator: Locator, cwd: string, beside?: string): Promise<LocatorTarget>;
  /**
   * Workflows and judges of the workspace, then other classes, for completion; cached, and updated as files change.
   * Never rejects; of a very large workspace not everything.
   */
  all(): Promise<readonly CodeSite[]>;
}
