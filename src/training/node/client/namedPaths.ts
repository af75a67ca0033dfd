/** Checks that the relative paths of a config are among the files to send. The host has nothing else at such paths. */
import path from 'node:path';
import { pathExists } from '../../../base/node/files.ts';
import { isPython, parseLocator } from '../../../configs/core/locator.ts';
import type { Finding } from '../../core/protocol/hostRpc.ts';
import { error } from '../../core/launch/findings.ts';
import { isModelPath } from '../../core/launch/preflight.ts';
import type { KeyedValue } from '../../core/launch/dataSources.ts';
import { dataOf, type Training } from '../../core/launch/training.ts';
import { ownIgnoreFile } from '../../core/sync/ignoreRules.ts';
import type { ExcludedPath, Tree } from '../../core/sync/tree.ts';

type SentTree = Pick<Tree, 'root' | 'files' | 'links' | 'excluded'>;
/** The number of links that Linux follows on the way to a file. */
const mostLinks = 40;

export async function namedPathFindings(
  training: Pick<Training, 'model' | 'data' | 'code' | 'stages'>,
  tree: SentTree,
): Promise<Finding[]> {
  const { model, code } = training;
  const models = model.value === null ? [] : [{ ...model, value: model.value }];
  const found = await Promise.all([
    ...models.map((one) => pathFinding('model-not-sent', one, isModelPath(one.value), tree)),
    ...dataOf(training).map((one) =>
      pathFinding('data-not-sent', one, one.kind === 'file' || isDataPath(one.value), tree),
    ),
    ...code.map((one) => codeFinding(one, tree)),
  ]);
  return found.filter((finding) => finding !== undefined);
}

/** Returns whether a name is a path. The names of a hub are `name` and `owner/name`. */
function isDataPath(name: string): boolean {
  return /^\.\.?\/|\/.*\/|\.(?:jsonl?|parquet|csv|arrow)$/.test(name);
}

/** @param isPath whether the value must be a path; otherwise it is one only if the folder has it */
async function pathFinding(
  id: string,
  { key, value }: KeyedValue<string>,
  isPath: boolean,
  tree: SentTree,
): Promise<Finding | undefined> {
  if (path.posix.isAbsolute(value) || value.startsWith('~') || value.includes('://')) return undefined;
  const place = path.posix.normalize(value).replace(/\/$/, '');
  if (isSent(place, tree) || !(isPath || (await isHere(place, tree)))) return undefined;
  return notSent(id, { key, value: place }, tree);
}

/** Checks a locator of Python code. The bridge checks other languages. A module may be a package on the host. */
async function codeFinding({ key, value }: KeyedValue<string>, tree: SentTree): Promise<Finding | undefined> {
  const parsed = parseLocator(value);
  if (!parsed.ok || !isPython(parsed.locator)) return undefined;
  const { kind, where } = parsed.locator;
  if (kind === 'file') return pathFinding('workflow-not-sent', { key, value: where }, true, tree);
  const stem = where.replaceAll('.', '/');
  const files = [`${stem}.py`, `${stem}/__init__.py`];
  if (files.some((file) => isSent(file, tree))) return undefined;
  for (const file of files) {
    if (await isHere(file, tree)) return notSent('workflow-not-sent', { key, value: file }, tree);
  }
  return undefined;
}

/** Returns whether the path or a file below it is sent, also behind links. */
function isSent(place: string, { files, links }: SentTree): boolean {
  if (place === '.') return true;
  let at = place;
  for (let followed = 0; followed < mostLinks; followed++) {
    if (files.some((file) => file.path === at || file.path.startsWith(`${at}/`))) return true;
    const link = links.find((one) => at === one.path || at.startsWith(`${one.path}/`));
    if (link === undefined) return false;
    const target = path.posix.join(path.posix.dirname(link.path), link.link);
    at = path.posix.join(target, at.slice(link.path.length)).replace(/\/$/, '');
  }
  return false;
}

function isHere(place: string, { root }: SentTree): Promise<boolean> {
  return pathExists(path.join(root, place));
}

async function notSent(id: string, { key, value }: KeyedValue<string>, tree: SentTree): Promise<Finding> {
  const onHost = `set \`${key}\` to its absolute path on the host`;
  if (value === '..' || value.startsWith('../')) {
    const message = `\`${value}\` is outside the folder that is sent, ${tree.root}.`;
    const hint = `Send a folder that contains it (on a command line with \`--root\`), or ${onHost}.`;
    return error(id, message, { hint, key });
  }
  const left = tree.excluded.find((one) => value === one.path || value.startsWith(`${one.path}/`));
  // Files behind a link that is not followed are not checked.
  if (left?.rule !== null && !(await isHere(value, tree))) {
    const message = `\`${value}\` does not exist in the folder that is sent, ${tree.root}.`;
    return error(id, message, { hint: `Correct the path, or ${onHost}.`, key });
  }
  return { id, severity: 'error', ...notSentReason(value, left, onHost), key };
}

/** @param left undefined: an empty folder, or one of too many excluded paths */
function notSentReason(
  place: string,
  left: ExcludedPath | undefined,
  onHost: string,
): Pick<Finding, 'message' | 'hint'> {
  if (left === undefined) {
    const message = `No file in \`${place}\` is sent.`;
    return { message, hint: `Add a file that .gitignore does not exclude, or ${onHost}.` };
  }
  const { rule, pattern = '', problem = '' } = left;
  if (rule === null) {
    const message = `\`${place}\` is not sent, because \`${left.path}\` cannot be sent: ${problem}.`;
    return { message, hint: `Copy it into the folder, or ${onHost}.` };
  }
  const whose = rule === 'default' ? ' (a default rule)' : ` of ${rule}`;
  return {
    message: `\`${place}\` is not sent: the rule \`${pattern}\`${whose} excludes it.`,
    hint: `Add the line \`!/${left.path}\` at the end of the folder's ${ownIgnoreFile}, or ${onHost}.`,
  };
}
