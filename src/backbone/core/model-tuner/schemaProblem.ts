import type * as z from 'zod/mini';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** The path of an invalid value in OpenAI's notation (`messages[0].content`), and the problem. */
export interface SchemaProblem {
  readonly param: string;
  /** Completes a sentence that begins with the param. */
  readonly problem: string;
}

/** Describes the first issue. For a union, it describes the branch that matches furthest. */
export function describeIssue(issues: readonly Issue[], value: unknown): SchemaProblem {
  const [first] = issues;
  if (first === undefined) return { param: 'body', problem: 'is not valid' };
  const { issue, path } = innermost(first, first.path);
  return { param: writePath(path), problem: describe(issue, valueAt(value, path)) };
}

function innermost(issue: Issue, path: Path): { issue: Issue; path: Path } {
  if (issue.code !== 'invalid_union') return { issue, path };
  const deepest = issue.errors
    .flatMap((branch) => branch.slice(0, 1))
    .filter((candidate) => candidate.path.length > 0)
    .sort((a, b) => b.path.length - a.path.length)[0];
  return deepest === undefined ? { issue, path } : innermost(deepest, [...path, ...deepest.path]);
}

function describe(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return value === undefined ? 'is missing' : `must be ${nameType(issue.expected)}, not ${typeOf(value)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map((option) => JSON.stringify(option)).join(', ')}`;
    case 'invalid_union':
      return describeUnion(issue, value);
    case 'too_small':
      return issue.origin === 'array' || issue.origin === 'string'
        ? 'must not be empty'
        : `must be at least ${issue.minimum.toString()}`;
    case 'too_big':
      return `must be at most ${issue.maximum.toString()}`;
    case 'custom':
      return issue.message;
    default:
      return 'is not valid';
  }
}

function describeUnion(issue: Extract<Issue, { code: 'invalid_union' }>, value: unknown): string {
  if (value === undefined) return 'is missing';
  if ('options' in issue && Array.isArray(issue.options)) {
    return `must be one of ${issue.options.map((option) => JSON.stringify(option)).join(', ')}`;
  }
  const wanted = issue.errors.flat().flatMap((inner) => {
    if (inner.code === 'invalid_type') return [nameType(inner.expected)];
    return inner.code === 'invalid_value' ? inner.values.map((option) => JSON.stringify(option)) : [];
  });
  return wanted.length === 0 ? 'is not valid' : `must be ${[...new Set(wanted)].join(' or ')}`;
}

function nameType(expected: string): string {
  if (expected === 'int') return 'a whole number';
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'number' ? String(value) : nameType(typeof value);
}

function writePath(path: Path): string {
  const written = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return written === '' ? 'body' : written.replace(/^\./, '');
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}
