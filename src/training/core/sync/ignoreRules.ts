import ignore, { type Ignore, type PatternParams } from 'ignore';

/** Our own file of rules; its syntax is that of .gitignore. */
export const ownIgnoreFile = '.agentjetignore';
export const gitIgnoreFile = '.gitignore';

/** A rule that leaves something out. */
export interface IgnoreRule {
  /** The file that has it, from the root that is sent; `default`: none, it holds wherever nothing else is said. */
  readonly rule: string;
  /** As it is written there. */
  readonly pattern: string;
}

/** What no run needs or no host should see; `!` in .agentjetignore brings each back. */
const defaults = [
  ...['.git', '.hg', '.svn', '.jj', '.DS_Store', 'Thumbs.db'],
  ...['node_modules/', '.venv/', 'venv/', '.tox/', '.nox/', '__pycache__/', '*.pyc', '*.egg-info/'],
  ...['.mypy_cache/', '.pytest_cache/', '.ruff_cache/', '.ipynb_checkpoints/', '.cache/'],
  ...['checkpoints/', 'saved_experiments/', 'global_step_*/', 'wandb/', 'mlruns/', 'swanlog/'],
  ...['*.ajtrace', '*.ajtrace-wal', '*.ajtrace-shm', '*.ajtrace-journal'],
  ...['.env', '.env.*', '!.env.example', '.envrc', '.netrc', '.pypirc', '.npmrc'],
  ...['.ssh/', '.aws/', '.gnupg/', 'id_rsa', 'id_ecdsa', 'id_ed25519', '*.pem', '*.p12', '*.pfx'],
];

interface Rule extends IgnoreRule {
  /** What it means from the root. */
  readonly engine: string;
}

/** A file of git's rules that is not in the folder that is sent. */
export interface ParentRules {
  /** The folder that its rules are about, from that of the repository; empty: that one. */
  readonly folder: string;
  /** The file, from the root that is sent. */
  readonly file: string;
  readonly text: string;
}

/** Where the root that is sent is in a repository. */
export interface Repository {
  /** The root's path in it, empty where they are the same. */
  readonly prefix: string;
  /** Those that decide last are last. */
  readonly above: readonly ParentRules[];
}

/**
 * The rules that hold in one folder: git's, then the defaults, then ours. Of those that match a path the last decides, so
 * that no `!` in a .gitignore sends secrets.
 */
export class IgnoreRules {
  /** Of the root in its repository: what the rules are about is found from there. */
  readonly #prefix: string;
  readonly #git: readonly Rule[];
  readonly #own: readonly Rule[];
  readonly #rules: readonly Rule[];
  readonly #engine: Ignore;

  private constructor(prefix: string, git: readonly Rule[], own: readonly Rule[]) {
    this.#prefix = prefix;
    this.#git = git;
    this.#own = own;
    const base = defaults.map((pattern) => ruleFor(pattern, 'default'));
    // The root itself is sent, whatever it is called.
    const root = foldersTo(prefix).map((folder) => ruleFor(`!/${escaped(folder)}`, 'default'));
    this.#rules = [...git, ...base, ...root, ...own];
    const patterns = this.#rules.map(({ engine }, at): PatternParams => ({ pattern: engine, mark: `${at}` }));
    this.#engine = ignore({ ignoreCase: false }).add(patterns);
  }

  static in({ prefix, above }: Repository): IgnoreRules {
    const git = above.flatMap(({ folder, file, text }) => rulesOf(folder, text, file));
    return new IgnoreRules(prefix, aboutInside(git, prefix), []);
  }

  /**
   * With the rules of files in a folder added; undefined: there is no such file.
   * @param folder its path, empty for the root
   */
  with(
    folder: string,
    files: { readonly git: string | undefined; readonly own: string | undefined },
  ): IgnoreRules {
    if (files.git === undefined && files.own === undefined) return this;
    const place = joined(this.#prefix, folder);
    const git = rulesOf(place, files.git ?? '', joined(folder, gitIgnoreFile));
    const own = rulesOf(place, files.own ?? '', joined(folder, ownIgnoreFile));
    return new IgnoreRules(this.#prefix, [...this.#git, ...git], [...this.#own, ...own]);
  }

  /** The rule that leaves a path out, whose folders are all sent; undefined: it is sent. */
  excludes(path: string, isFolder: boolean): IgnoreRule | undefined {
    const place = joined(this.#prefix, path);
    const { ignored, rule } = this.#engine.test(isFolder ? `${place}/` : place);
    if (!ignored) return undefined;
    return this.#rules[Number(rule?.mark)];
  }
}

/**
 * Without those by which git has nothing of the root: whoever sends it does not mean them. Where git has the root, all of
 * them.
 */
function aboutInside(git: readonly Rule[], prefix: string): readonly Rule[] {
  const hides = (rules: readonly Rule[]): boolean => {
    const engine = ignore({ ignoreCase: false }).add(rules.map((one) => one.engine));
    return prefix !== '' && engine.ignores(`${prefix}/`);
  };
  return hides(git) ? git.filter((rule) => !hides([rule])) : git;
}

/** @param rule the file's name, as it is told */
function rulesOf(folder: string, text: string, rule: string): readonly Rule[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  return lines
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => ruleFor(line, rule, folder));
}

function ruleFor(pattern: string, rule: string, folder = ''): Rule {
  return { pattern, rule, engine: folder === '' ? pattern : below(folder, pattern) };
}

function joined(folder: string, name: string): string {
  return folder === '' ? name : name === '' ? folder : `${folder}/${name}`;
}

/** A folder and all that it is in, outermost first. */
function foldersTo(folder: string): readonly string[] {
  if (folder === '') return [];
  const names = folder.split('/');
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

function escaped(folder: string): string {
  return folder.replace(/[\\*?[\]]/g, '\\$&');
}

/** The rule that means from the root what `line` means in a folder. */
function below(folder: string, line: string): string {
  const isNegative = line.startsWith('!');
  // At the beginning these are escaped; behind a folder's name they need not be.
  const pattern = (isNegative ? line.slice(1) : line).replace(/^\\([#!])/, '$1');
  const isAnchored = pattern.trimEnd().replace(/\/$/, '').includes('/');
  const place = `/${escaped(folder)}/`;
  return `${isNegative ? '!' : ''}${place}${isAnchored ? pattern.replace(/^\//, '') : `**/${pattern}`}`;
}
