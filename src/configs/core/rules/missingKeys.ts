import { bundledNames } from '../compose/bundledDefaults.ts';
import { surelyHolds } from '../key-tables/condition.ts';
import type { Dialect } from '../dialect.ts';
import { insertKey, textScalar } from '../edits.ts';
import { finding, fix, type Finding, type Fix } from '../finding.ts';
import type { KeyInfo, KeyNode, KeyTable } from '../key-tables/keyTable.ts';
import { entryOf, hasInterpolation, nodeAt, type NodePath } from '../node.ts';
import { isBroken, parseConfig, type ConfigDocument } from '../parse.ts';
import type { ScalarValue } from '../scalar.ts';
import { applyEdits, difference, type Span, type TextEdit } from '../text.ts';

/**
 * Finds keys that the user must set, because upstream has at most a placeholder. It checks only experiments whose
 * base files are all known. A base file itself need not be complete.
 */
export function missingKeys(
  document: ConfigDocument,
  table: KeyTable,
  dialect?: Composed,
  isSetElsewhere: (path: string) => boolean = () => false,
): Finding[] {
  if (isBroken(document) || !isWholeExperiment(document, dialect)) return [];
  const missing = table.required
    .filter(({ path }) => !isSetElsewhere(path))
    .flatMap((key) => placesOf(key, document).map((path) => ({ key, path })))
    .filter(({ key, path }) => !isThere(key, path, document) && applies(key, path, document, table));
  // A section that is missing is reported by its required keys.
  const reported = missing.filter(({ key }) => {
    return !missing.some((other) => other.key.path.startsWith(`${key.path}.`));
  });
  return reported.map((one) => missingKey(one, reported, document));
}

/** Returns true if the file has the key under its name, or under an older one that still works. */
function isThere(
  { path: own, parent, info: wanted }: KeyNode,
  path: NodePath,
  { root }: ConfigDocument,
): boolean {
  const node = nodeAt(root, path);
  // Null is reported if it is not a valid value; as a default it has a meaning.
  const isNull = node?.kind === 'scalar' && node.type === 'null' && canBeNull(wanted);
  if (node !== undefined && !isNull) return true;
  return [...(parent?.children.values() ?? [])].some(
    ({ name, info }) => info?.renamedTo === own && nodeAt(root, [...path.slice(0, -1), name]) !== undefined,
  );
}

function canBeNull(info: KeyInfo | undefined): boolean {
  return info?.types.includes('null') === true && typeof info.default === 'string';
}

interface MissingKey {
  readonly key: KeyNode;
  readonly path: NodePath;
}

type Composed = Pick<Dialect, 'composition' | 'bundled'>;

/** Returns true for a file that must be complete, together with known defaults. */
export function isWholeExperiment({ root }: ConfigDocument, dialect?: Composed): boolean {
  if (dialect?.composition === 'omegaconf') return true;
  const known = dialect?.bundled ?? [...bundledNames];
  const defaults = entryOf(root, 'defaults')?.value;
  if (defaults === undefined) return entryOf(root, 'hydra') !== undefined;
  if (defaults.kind !== 'sequence') return false;
  return defaults.items.every((item) => {
    return item.kind === 'scalar' && ['_self_', ...known].includes(String(item.value));
  });
}

/** Returns the paths of a key in this document: one, or one for each item of the list around it. */
function placesOf(key: KeyNode, document: ConfigDocument): NodePath[] {
  if (key.parent === undefined) return [[]];
  const above = placesOf(key.parent, document);
  if (key.name !== '') return above.map((path) => [...path, key.name]);
  return above.flatMap((path) => {
    const list = nodeAt(document.root, path);
    return list?.kind === 'sequence' ? list.items.map((_, index) => [...path, index]) : [];
  });
}

function applies(key: KeyNode, path: NodePath, document: ConfigDocument, table: KeyTable): boolean {
  const { condition = [] } = key.info ?? {};
  const indices = path.filter((part) => typeof part === 'number');
  return surelyHolds(condition, (asked) => valueAt(asked, indices, document, table));
}

/** The value at a path of the table: as written, else the default; undefined when it cannot be known. */
function valueAt(
  asked: string,
  indices: readonly number[],
  document: ConfigDocument,
  table: KeyTable,
): ScalarValue | undefined {
  let list = 0;
  const path = !asked.includes('[]')
    ? asked.split('.')
    : asked.split('.').flatMap((part) => {
        if (!part.endsWith('[]')) return [part];
        list += 1;
        return [part.slice(0, -2), indices[list - 1] ?? -1];
      });
  const node = nodeAt(document.root, path);
  if (node !== undefined) return node.kind === 'scalar' && !hasInterpolation(node) ? node.value : undefined;
  const info = table.get(asked)?.info;
  const fallback = info?.hasDefault === true ? info.default : undefined;
  return typeof fallback === 'string' || typeof fallback === 'boolean' ? fallback : undefined;
}

function missingKey(
  { key, path }: MissingKey,
  missing: readonly MissingKey[],
  document: ConfigDocument,
): Finding {
  const state = nodeAt(document.root, path) === undefined ? 'is not set' : 'is null';
  const message = `\`${key.path}\` ${state}. ${key.info?.description ?? ''}`.trimEnd();
  return finding(document, nearestSpan(document, path), {
    rule: 'missing-key',
    severity: 'warning',
    message,
    fixes: () => [
      ...fix(`Add \`${key.path}\``, insertion({ key, path }, document)),
      ...addAll(missing, document),
    ],
  });
}

/** One fix for all that is missing: each key goes where it would alone. */
function addAll(missing: readonly MissingKey[], document: ConfigDocument): Fix[] {
  if (missing.length < 2) return [];
  const text = missing.reduce((filled, one) => {
    const edit = insertion(one, filled);
    return edit === undefined ? filled : parseConfig(applyEdits(filled.text, [edit]));
  }, document);
  return fix(`Add all ${missing.length} missing keys`, difference(document.text, text.text));
}

function insertion({ key, path }: MissingKey, document: ConfigDocument): TextEdit | undefined {
  return insertKey(document, path, startingValue(key));
}

/** The default is at least an example of what to write. */
function startingValue({ info }: KeyNode): string | string[] {
  const value = info?.default;
  if (Array.isArray(value)) return value.map((item) => textScalar(String(item)));
  return typeof value === 'string' ? textScalar(value) : '""';
}

/** The key of the nearest section around a path that is there; the first line for the document itself. */
function nearestSpan(document: ConfigDocument, path: NodePath): Span {
  for (let length = path.length - 1; length > 0; length--) {
    const name = path[length - 1];
    const node = nodeAt(document.root, path.slice(0, length));
    if (node === undefined) continue;
    const parent = nodeAt(document.root, path.slice(0, length - 1));
    return (typeof name === 'string' ? entryOf(parent, name)?.keySpan : undefined) ?? node.span;
  }
  return document.lines.line(0);
}
