import type { ScalarValue } from '../scalar.ts';

/** `appliesWhen` of the key table, compiled: every clause has to hold. */
export type Condition = readonly Clause[];

export interface Clause {
  /** Path of the key asked, as in the table; undefined for what no config can tell. */
  readonly path: string | undefined;
  /** Texts of the values that let the clause hold. */
  readonly values: readonly string[];
}

/** Gives the value at a path of the table, undefined when it cannot be known. */
type Read = (path: string) => ScalarValue | undefined;

const clauseForm = /^([\w.[\]]+)(?: == (\S+)| in \{([^}]*)\})?$/;

/**
 * Parses `a.b == value`, `a.b in {x, y}` and `a.b` (is true), joined by ` and `. If the table does not have a path
 * from its top, the path is relative to the section of `keyPath` or one of its parents.
 */
export function compileCondition(
  text: string,
  keyPath: string,
  known: Pick<ReadonlySet<string>, 'has'>,
): Condition {
  return text.split(' and ').map((clause) => {
    const [, name, value, values] = clauseForm.exec(clause) ?? [];
    if (name === undefined) return { path: undefined, values: [] };
    const wanted = values?.split(',').map((one) => one.trim()) ?? [value ?? 'true'];
    return { path: absolutePath(name, keyPath, known), values: wanted };
  });
}

function absolutePath(name: string, keyPath: string, known: Pick<ReadonlySet<string>, 'has'>): string {
  const segments = keyPath.split('.');
  for (let length = segments.length - 1; length >= 1; length--) {
    const candidate = [...segments.slice(0, length), name].join('.');
    if (known.has(candidate)) return candidate;
  }
  return name;
}

export function surelyHolds(condition: Condition, read: Read): boolean {
  return condition.every(({ path, values }) => {
    const value = path === undefined ? undefined : read(path);
    return value !== undefined && values.includes(String(value));
  });
}

/** The first clause that surely does not hold, with what it was given instead. */
export function failingClause(
  condition: Condition,
  read: Read,
): { readonly path: string; readonly values: readonly string[]; readonly value: ScalarValue } | undefined {
  for (const { path, values } of condition) {
    const value = path === undefined ? undefined : read(path);
    if (path !== undefined && value !== undefined && !values.includes(String(value))) {
      return { path, values, value };
    }
  }
  return undefined;
}
