import type { NodePath } from '../node.ts';
import type { Value } from '../value.ts';
import { originText } from './origins.ts';
import { yamlScalar } from './yamlScalar.ts';

/** One value that differs between two effective configs. A section that only one has is listed by its values. */
export type Change =
  | { readonly kind: 'added'; readonly path: NodePath; readonly after: Value }
  | { readonly kind: 'removed'; readonly path: NodePath; readonly before: Value }
  | { readonly kind: 'changed'; readonly path: NodePath; readonly before: Value; readonly after: Value };

/**
 * Returns the differences of the effective values, section by section, in the order of `a`; values that only `b` has
 * come last. Lists are compared by index. `1` and `1.0` are equal here; the rules about types report them.
 */
export function diffEffective(a: Value, b: Value): readonly Change[] {
  const changes: Change[] = [];
  compare(a, b, [], changes);
  return changes;
}

function compare(a: Value, b: Value, path: NodePath, changes: Change[]): void {
  if (a === b) return;
  const [left, right] = [childrenOf(a), childrenOf(b)];
  if (left === undefined || right === undefined || a.kind !== b.kind) {
    if (!isSame(a, b)) changes.push({ kind: 'changed', path, before: a, after: b });
    return;
  }
  for (const [key, before] of left) {
    const after = right.get(key);
    if (after !== undefined) compare(before, after, [...path, key], changes);
    else
      each(before, [...path, key], (leaf, at) => changes.push({ kind: 'removed', path: at, before: leaf }));
  }
  for (const [key, after] of right) {
    if (left.has(key)) continue;
    each(after, [...path, key], (leaf, at) => changes.push({ kind: 'added', path: at, after: leaf }));
  }
}

function childrenOf(value: Value): ReadonlyMap<string | number, Value> | undefined {
  if (value.kind === 'mapping') return value.entries;
  return value.kind === 'sequence' ? new Map(value.items.entries()) : undefined;
}

function isSame(a: Value, b: Value): boolean {
  if (a.kind !== 'scalar' || b.kind !== 'scalar') return false;
  return a.value === b.value || (Number.isNaN(a.value) && Number.isNaN(b.value));
}

function each(value: Value, path: NodePath, report: (leaf: Value, path: NodePath) => void): void {
  const children = childrenOf(value);
  if (children === undefined || children.size === 0) report(value, path);
  else for (const [key, child] of children) each(child, [...path, key], report);
}

export interface DiffNames {
  readonly relativeTo?: string | undefined;
  /** True (default) to add the location of each value. */
  readonly origins?: boolean;
}

/** One line per change: `+` only in the second, `-` only in the first, `~` in both. */
export function renderDiff(
  changes: readonly Change[],
  { relativeTo, origins = true }: DiffNames = {},
): string {
  const note = (...values: readonly Value[]): string =>
    origins ? `  # ${values.map(({ origin }) => originText(origin, relativeTo)).join(' -> ')}` : '';
  const lines = changes.map((change) => {
    const path = change.path.join('.');
    switch (change.kind) {
      case 'added':
        return `+ ${path}: ${shown(change.after)}${note(change.after)}`;
      case 'removed':
        return `- ${path}: ${shown(change.before)}${note(change.before)}`;
      case 'changed': {
        const { before, after } = change;
        return `~ ${path}: ${shown(before)} -> ${shown(after)}${note(before, after)}`;
      }
    }
  });
  return lines.map((line) => `${line}\n`).join('');
}

function shown(value: Value): string {
  if (value.kind === 'scalar') return yamlScalar(value);
  if (value.kind === 'mapping') return value.entries.size === 0 ? '{}' : '{…}';
  return value.items.length === 0 ? '[]' : '[…]';
}
