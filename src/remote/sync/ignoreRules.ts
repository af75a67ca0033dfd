import ignore, { type Ignore, type PatternParams } from 'ignore';

/** Our own file of rules; its syntax is that of .gitignore. */
export const ownIgnoreFile = '.agentjetignore';
export const gitIgnoreFile = '.gitignore';

/** A rule that leaves something out. */
export interface LeavingRule {
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

interface Rule extends LeavingRule {
  /** What it means from the root. */
  readonly engine: string;
}

/**
 * The rules that hold in one folder: git's, then the defaults, then ours. Of those that match a path the last decides, so
 * that no `!` in a .gitignore sends secrets.
 */
export class IgnoreRules {
  readonly #git: readonly Rule[];
  readonly #own: readonly Rule[];
  readonly #rules: readonly Rule[];
  readonly #engine: Ignore;

  private constructor(git: readonly Rule[], own: readonly Rule[]) {
    this.#git = git;
    this.#own = own;
    const base = defaults.map((pattern): Rule => ({ pattern, rule: 'default', engine: pattern }));
    this.#rules = [...git, ...base, ...own];
    const patterns = this.#rules.map(({ engine }, at): PatternParams => ({ pattern: engine, mark: `${at}` }));
    this.#engine = ignore({ ignoreCase: false }).add(patterns);
  }

  static readonly defaults = new IgnoreRules([], []);

  /**
   * With the rules of files in a folder added; undefined: there is no such file.
   * @param folder its path, empty for the root
   */
  with(
    folder: string,
    files: { readonly git: string | undefined; readonly own: string | undefined },
  ): IgnoreRules {
    if (files.git === undefined && files.own === undefined) return this;
    const git = rulesOf(folder, files.git ?? '', gitIgnoreFile);
    const own = rulesOf(folder, files.own ?? '', ownIgnoreFile);
    return new IgnoreRules([...this.#git, ...git], [...this.#own, ...own]);
  }

  /** The rule that leaves a path out, whose folders are all sent; undefined: it is sent. */
  leavesOut(path: string, isFolder: boolean): LeavingRule | undefined {
    const { ignored, rule } = this.#engine.test(isFolder ? `${path}/` : path);
    if (!ignored) return undefined;
    return this.#rules[Number(rule?.mark)];
  }
}

function rulesOf(folder: string, text: string, name: string): readonly Rule[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const rule = folder === '' ? name : `${folder}/${name}`;
  return lines
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => ({ pattern: line, rule, engine: folder === '' ? line : below(folder, line) }));
}

/** The rule that means from the root what `line` means in a folder. */
function below(folder: string, line: string): string {
  const isNegative = line.startsWith('!');
  // At the beginning these are escaped; behind a folder's name they need not be.
  const pattern = (isNegative ? line.slice(1) : line).replace(/^\\([#!])/, '$1');
  const isAnchored = pattern.trimEnd().replace(/\/$/, '').includes('/');
  const place = `/${folder.replace(/[\\*?[\]]/g, '\\$&')}/`;
  return `${isNegative ? '!' : ''}${place}${isAnchored ? pattern.replace(/^\//, '') : `**/${pattern}`}`;
}
