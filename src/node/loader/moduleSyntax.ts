/**
 * What a JavaScript or TypeScript text says about modules. All of it works on masked text (comments and the insides
 * of literals blanked), by scanning and not by parsing.
 */

export function hasModuleSyntax(code: string): boolean {
  return /(?:^|[;}\n])\s*(?:import\b(?!\s*[(.])|export\b(?!\s*=))|\bimport\s*\.\s*meta\b/.test(code);
}

/** Names that only CommonJS has, in a text that has none of what only a module has. */
export function needsCommonJs(code: string): boolean {
  return (
    /\brequire\s*\(|\b__(?:dir|file)name\b|\bmodule\s*\.\s*exports\b|(?<![.\w$])exports\s*\.|\bexport\s*=/.test(
      code,
    ) && !/\bimport\s*\.\s*meta\b|\bcreateRequire\b/.test(code)
  );
}

/** In JavaScript, and in TypeScript outside types, `@` is good for nothing else. */
export function hasDecorators(code: string): boolean {
  return /@\s*[\p{ID_Start}$_(]/u.test(code);
}

const importStatement = /\bimport\s*(?![\s(.])([^;'"()]*?)\bfrom\s*(["'])[^"'\n]*\2/g;

/**
 * TypeScript drops imports of which nothing is used as a value, types above all; Node's stripping, which sees no
 * types, keeps them, and linking then fails. This blanks them, so that all positions stay.
 *
 * @param text JavaScript: types are gone
 * @param code the same, masked
 * @returns undefined when there is nothing to drop
 */
export function dropUnusedImports(text: string, code: string): string | undefined {
  const statements = [...code.matchAll(importStatement)];
  const rest = statements.reduceRight((left, match) => blank(left, match.index, match[0].length), code);
  let result = text;
  for (const match of statements) {
    const clause = match[1] ?? '';
    const clauseStart = match.index + match[0].indexOf(clause);
    const bindings = bindingsOf(clause);
    const unused = bindings.filter((binding) => !mentions(rest, binding.local));
    if (unused.length === 0) continue;
    if (unused.length === bindings.length) result = blank(result, match.index, match[0].length);
    for (const { start, length } of unused) result = blank(result, clauseStart + start, length);
  }
  return result === text ? undefined : result;
}

interface Binding {
  readonly local: string;
  /** Within the clause, with the comma that must go with it. */
  readonly start: number;
  readonly length: number;
}

const name = '[\\p{ID_Start}$_][\\p{ID_Continue}$]*';
const namespaceBinding = new RegExp(`,?\\s*\\*\\s*as\\s+(${name})`, 'gu');
const defaultBinding = new RegExp(`^\\s*(${name})\\s*,?`, 'gu');
const namedBinding = new RegExp(`(?:${name}|(["'])\\s*\\1)(?:\\s+as\\s+(${name}))?\\s*,?`, 'gu');

/** Of an import clause such as `a, { b, c as d }` or `a, * as b`. */
function bindingsOf(clause: string): Binding[] {
  const open = clause.indexOf('{');
  const outer = open < 0 ? clause : clause.slice(0, open);
  const inner = open < 0 ? '' : clause.slice(open + 1, clause.lastIndexOf('}'));
  return [
    ...[...outer.matchAll(defaultBinding)].map((match) => binding(match, match[1], 0)),
    ...[...outer.matchAll(namespaceBinding)].map((match) => binding(match, match[1], 0)),
    ...[...inner.matchAll(namedBinding)].map((match) => {
      const local = match[2] ?? match[0].replace(',', '').trim();
      return binding(match, local, open + 1);
    }),
  ];
}

function binding(match: RegExpExecArray, local: string | undefined, offset: number): Binding {
  return { local: local ?? '', start: match.index + offset, length: match[0].length };
}

function mentions(code: string, local: string): boolean {
  const escaped = local.replaceAll('$', '\\$');
  return new RegExp(`(?<![\\p{ID_Continue}$])${escaped}(?![\\p{ID_Continue}$])`, 'u').test(code);
}

function blank(text: string, start: number, length: number): string {
  const end = start + length;
  return text.slice(0, start) + text.slice(start, end).replace(/[^\r\n]/g, ' ') + text.slice(end);
}
