import { maskSource } from './maskSource.ts';

/** A class or function that a config can name in `ajet.rollout.user_workflow`. */
export interface FoundWorkflow {
  /** The name after `->`; `default` for an anonymous default export. */
  readonly name: string;
  /** Of the keyword that begins the declaration (`export`, `class`, `const`, …), of a function of its name; from 0. */
  readonly offset: number;
  /** From 0. */
  readonly line: number;
  /** What a config of Trinity-RFT calls it. */
  readonly registered?: string;
}

interface FoundClass {
  readonly name: string;
  readonly offset: number;
  readonly base: string;
  readonly isAbstract: boolean;
}

const sdk = 'agentjet';
const identifier = '[\\p{ID_Start}$_][\\p{ID_Continue}$]*';

/**
 * The classes of a JavaScript or TypeScript text that extend the SDK's `Workflow`, directly or through a class of
 * the same text, in the order they stand in. Works on the text alone, so it is cheap enough for every keystroke and
 * may be fooled: a base class imported from another file of the user's is not seen through.
 */
export function scanWorkflows(text: string): FoundWorkflow[] {
  if (!text.includes(sdk) || !text.includes('extends')) return [];
  const code = maskSource(text);
  const bases = importedBases(text, code);
  if (bases.size === 0) return [];
  const classes = findClasses(code);
  for (let before = -1; before !== bases.size;) {
    before = bases.size;
    for (const found of classes) if (bases.has(found.base)) bases.add(found.name);
  }
  return classes
    .filter((found) => bases.has(found.base) && !found.isAbstract)
    .map(({ name, offset }) => ({ name, offset, line: lineOf(code, offset) }));
}

// The patterns below bound what they skip, so that broken text costs no more than its length.

/** What `Workflow` is called here: `Workflow`, an alias, or `namespace.Workflow`. */
function importedBases(text: string, code: string): Set<string> {
  const bases = new Set<string>();
  const clauses = /\bimport\b([^;'"]{0,2000}?)\bfrom\s*(["'])/g;
  for (const match of code.matchAll(clauses)) {
    if (isSdkLiteral(text, match.index + match[0].length)) addBases(match[1] ?? '', /\s+as\s+/, bases);
  }
  const requires = /\b(?:const|let|var)\b([^;=]{0,2000})=\s*require\s*\(\s*(["'])/g;
  for (const match of code.matchAll(requires)) {
    if (isSdkLiteral(text, match.index + match[0].length)) addBases(match[1] ?? '', /\s*:\s*/, bases);
  }
  return bases;
}

function isSdkLiteral(text: string, afterQuote: number): boolean {
  return text.startsWith(sdk, afterQuote) && /["']/.test(text[afterQuote + sdk.length] ?? '');
}

/** `renaming` stands between the exported and the local name: `as` in an import, a colon in a destructuring. */
function addBases(clause: string, renaming: RegExp, bases: Set<string>): void {
  const braces = /\{([^}]*)\}/.exec(clause);
  for (const part of (braces?.[1] ?? '').split(',')) {
    const [exported, local] = part.trim().split(renaming);
    if (exported === 'Workflow') bases.add(local ?? exported);
  }
  const rest = clause.replace(braces?.[0] ?? '', '');
  const namespace = new RegExp(`(?:\\*\\s*as\\s+|^\\s*)(${identifier})\\s*,?\\s*$`, 'u').exec(rest)?.[1];
  if (namespace !== undefined) bases.add(`${namespace}.Workflow`);
}

const declaration = new RegExp(
  [
    `(?:\\b(?:export\\s+)?(?:const|let|var)\\s+(${identifier})\\s*=\\s*|\\bmodule\\.exports\\s*=\\s*|`,
    `\\bexports\\.(${identifier})\\s*=\\s*|\\bexport\\s+(?:default\\s+)?)?`,
    `(\\babstract\\s+)?\\bclass\\b(?!\\s*[=:.,)])`,
    `(?:\\s+(?!extends\\b)(${identifier}))?`,
  ].join(''),
  'gu',
);

function findClasses(code: string): FoundClass[] {
  const classes: FoundClass[] = [];
  for (const match of code.matchAll(declaration)) {
    const [whole, variable, exported, abstract, own] = match;
    const base = extendedBase(code, match.index + whole.length);
    if (base === undefined) continue;
    const name = variable ?? exported ?? own ?? 'default';
    classes.push({ name, offset: match.index, base, isAbstract: abstract !== undefined });
  }
  return classes;
}

const heritage = new RegExp(`\\s*extends\\s+(${identifier}(?:\\s*\\.\\s*${identifier})*)`, 'uy');

/** What the class whose name ends at an offset of masked code extends, as written, without type arguments. */
export function extendedBase(code: string, afterName: number): string | undefined {
  heritage.lastIndex = afterTypeParameters(code, afterName);
  return heritage.exec(code)?.[1]?.replace(/\s/g, '');
}

/** What is longer is a `<` that was never closed. */
const longestParameters = 2000;

/** Where `<…>` ends, if it begins at `from`; else `from`. */
function afterTypeParameters(code: string, from: number): number {
  const start = from + (/^\s*/.exec(code.slice(from, from + 200))?.[0].length ?? 0);
  if (code[start] !== '<') return from;
  const last = Math.min(code.length, start + longestParameters);
  let depth = 0;
  for (let at = start; at < last; at += 1) {
    if (code[at] === '<') depth += 1;
    else if (code[at] === '>' && code[at - 1] !== '=') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return from;
}

/** From 0. */
export function lineOf(text: string, offset: number): number {
  let line = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
