import ignore, { type Ignore, type PatternParams } from 'ignore';

/** AgentJet's ignore file, with the syntax of .gitignore. */
export const ownIgnoreFile = '.agentjetignore';
export const gitIgnoreFile = '.gitignore';

export interface IgnoreRule {
  /** The file of the rule, relative to the root; `default` for a built-in rule. */
  readonly rule: string;
  readonly pattern: string;
}

/** Files that no run needs or no host should get. `!` in .agentjetignore includes them again. */
const defaults = [
  ...['.git', '.hg', '.svn', '.jj', '.DS_Store', 'Thumbs.db'],
  ...['node_modules/', '.venv/', 'venv/', '.tox/', '.nox/', '__pycache__/', '*.pyc', '*.egg-info/'],
  ...['.mypy_cache/', '.pytest_cache/', '.ruff_cache/', '.ipynb_checkpoints/', '.cache/'],
  ...['checkpoints/', 'saved_experiments/', 'global_step_*/', 'wandb/', 'mlruns/', 'swanlog/'],
  ...['*.ajtrace', '*.ajtrace-wal', '*.ajtrace-shm', '*.ajtrace-journal'],
];

/** Files with credentials, in any case. */
const credentials =
  `*.env .env .env.* .env~ !.env.example .envrc .htpasswd .vault-token .netrc _netrc .pypirc .npmrc
  .git-credentials .gitcookies .pgpass .my.cnf .s3cfg .boto .passwd-s3fs .ossutilconfig .databrickscfg .dockercfg
  .terraformrc **/.docker/config.json **/.streamlit/secrets.toml **/.config/gcloud/ **/.config/gh/ **/.config/rclone/
  **/.modelscope/credentials/ **/.cargo/credentials **/.cargo/credentials.toml .gsutil/ .ssh/ .aws/ .azure/ .oci/
  .aliyun/ .kube/ .gnupg/ .huggingface/ .kaggle/ id_rsa* id_dsa* id_ecdsa* id_ed25519* *.pem *.p12 *.pfx *.p8 *.key
  *.ppk *.jks *.keystore *.kdbx *.keytab *.tfstate *.tfstate.backup kubeconfig credentials credentials.json secrets.toml
  application_default_credentials.json client_secret*.json service-account*.json service_account*.json
  serviceaccount*.json`.split(/\s+/);

/** Names of other files that can be a key or a password. Sources and texts are excepted. */
const keyNames = ignore({ ignoreCase: true }).add(
  `*secret* *credential* *passwd* *password* *api*key* *private*key* *access*key* *service*account* *key.json *token
  *token.txt *token.json *.enc *.gpg *.ovpn !*.py !*.ipynb !*.ts !*.tsx !*.js !*.jsx !*.mjs !*.cjs !*.sh !*.go !*.rs
  !*.java !*.c !*.cc !*.cpp !*.h !*.md !*.rst !*.html !*.css !*.example !*.sample !*.template`.split(/\s+/),
);
const keyTexts =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY|"private_key"\s{0,9}:|aws_secret_access_key\s{0,9}=|AGE-SECRET-KEY-1|PuTTY-User-Key-File-/;

/** Returns whether a file looks like a key or a password, by its name or by its text. */
export function looksLikeKey(path: string, text: () => string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (keyNames.ignores(name)) return true;
  return !keyNames.test(name).unignored && keyTexts.test(text());
}

/** Returns a pattern without case: file systems of other machines ignore it, and so do programs. */
function inAnyCase(pattern: string): string {
  return pattern.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

interface Rule extends IgnoreRule {
  /** The pattern relative to the root. */
  readonly engine: string;
}

/** A .gitignore outside the uploaded folder. */
export interface ParentRules {
  /** The folder of the file, relative to the repository; empty for the repository itself. */
  readonly folder: string;
  /** The path of the file, relative to the root. */
  readonly file: string;
  readonly text: string;
}

/** The position of the root in its repository. */
export interface Repository {
  /** The path of the root in the repository; empty if they are the same. */
  readonly prefix: string;
  /** The rules outside the root. Later ones win. */
  readonly above: readonly ParentRules[];
}

/** Git's rules, then the defaults, then AgentJet's. The last match wins, so that no `!` in a .gitignore uploads secrets. */
export class IgnoreRules {
  readonly #prefix: string;
  readonly #git: readonly Rule[];
  readonly #own: readonly Rule[];
  readonly #rules: readonly Rule[];
  readonly #engine: Ignore;

  private constructor(prefix: string, git: readonly Rule[], own: readonly Rule[]) {
    this.#prefix = prefix;
    this.#git = git;
    this.#own = own;
    const base = [
      ...defaults.map((pattern) => ruleFor(pattern, 'default')),
      ...credentials.map((pattern) => ({ ...ruleFor(pattern, 'default'), engine: inAnyCase(pattern) })),
    ];
    // The root itself is uploaded, whatever its name is.
    const root = foldersTo(prefix).map((folder) => ruleFor(`!/${escaped(folder)}`, 'default'));
    this.#rules = [...git, ...base, ...root, ...own];
    const patterns = this.#rules.map(({ engine }, at): PatternParams => ({ pattern: engine, mark: `${at}` }));
    this.#engine = ignore({ ignoreCase: false }).add(patterns);
  }

  static in({ prefix, above }: Repository): IgnoreRules {
    const git = above.flatMap(({ folder, file, text }) => rulesOf(folder, text, file));
    return new IgnoreRules(prefix, aboutInside(git, prefix), []);
  }

  /** Adds the rules of files in a folder, which is empty for the root. A file that is undefined does not exist. */
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

  /** Returns the rule that excludes a path, if any. The folders above it must not be excluded. */
  excludes(path: string, isFolder: boolean): IgnoreRule | undefined {
    const place = joined(this.#prefix, path);
    const { ignored, rule } = this.#engine.test(isFolder ? `${place}/` : place);
    if (!ignored) return undefined;
    return this.#rules[Number(rule?.mark)];
  }

  /** Returns whether an .agentjetignore file names a path to be included. */
  includes(path: string): boolean {
    const own = this.#own.map(({ engine }) => engine);
    return ignore({ ignoreCase: false }).add(own).test(joined(this.#prefix, path)).unignored;
  }
}

/** Removes the rules with which git ignores the whole root, because the user uploads it on purpose. */
function aboutInside(git: readonly Rule[], prefix: string): readonly Rule[] {
  const hides = (rules: readonly Rule[]): boolean => {
    const engine = ignore({ ignoreCase: false }).add(rules.map((one) => one.engine));
    return prefix !== '' && engine.ignores(`${prefix}/`);
  };
  return hides(git) ? git.filter((rule) => !hides([rule])) : git;
}

/** @param rule the name of the file, for messages */
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

/** Returns a folder and its ancestors, outermost first. */
function foldersTo(folder: string): readonly string[] {
  if (folder === '') return [];
  const names = folder.split('/');
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

function escaped(folder: string): string {
  return folder.replace(/[\\*?[\]]/g, '\\$&');
}

/** Returns the pattern that means from the root what `line` means in a folder. */
function below(folder: string, line: string): string {
  const isNegative = line.startsWith('!');
  // At the start of a pattern these are escaped. After a folder's name that is not needed.
  const pattern = (isNegative ? line.slice(1) : line).replace(/^\\([#!])/, '$1');
  const isAnchored = pattern.trimEnd().replace(/\/$/, '').includes('/');
  const place = `/${escaped(folder)}/`;
  return `${isNegative ? '!' : ''}${place}${isAnchored ? pattern.replace(/^\//, '') : `**/${pattern}`}`;
}
