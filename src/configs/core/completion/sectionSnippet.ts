import type { Clause } from '../key-tables/condition.ts';
import { textScalar } from '../edits.ts';
import type { KeyInfo, KeyNode } from '../key-tables/keyTable.ts';
import { snippetText } from './completion.ts';

/**
 * A section with the keys that it has to have, in the syntax of snippets: values are placeholders, of several to choose
 * from the first. Undefined where a section has to have none.
 */
export function sectionSnippet(section: KeyNode, newLine: string, column: number): string | undefined {
  let last = 0;
  const lines = requiredLines(section, section, () => ++last);
  if (lines.length === 0) return undefined;
  const indent = `${newLine}${' '.repeat(column + 2)}`;
  return `${section.name}:${lines.map((line) => indent + line).join('')}`;
}

/** `next` returns the number of the next placeholder. */
function requiredLines(section: KeyNode, whole: KeyNode, next: () => number): string[] {
  return [...section.children.values()].flatMap((key) => {
    const below = requiredLines(key, whole, next);
    if (below.length > 0) return [`${key.name}:`, ...below.map((line) => `  ${line}`)];
    return key.info !== undefined && isRequired(key.info, whole) ? valueLines(key, key.info, next) : [];
  });
}

/**
 * Returns true for keys that a new section needs. Keys that depend on a choice within the section are excluded,
 * because nothing is chosen yet; those that depend on a switch are not.
 */
function isRequired({ required, absent, ofExample, condition = [] }: KeyInfo, { path }: KeyNode): boolean {
  const isChosen = ({ path: asked, values }: Clause): boolean =>
    asked?.startsWith(`${path}.`) === true && values.join() !== 'false';
  return required && absent === undefined && !ofExample && !condition.some(isChosen);
}

function valueLines({ name }: KeyNode, info: KeyInfo, next: () => number): string[] {
  if (Array.isArray(info.default) && info.default.length > 0) {
    const items = info.default.map((item) => `  - \${${next()}:${snippetText(textScalar(String(item)))}}`);
    return [`${name}:`, ...items];
  }
  return [`${name}: ${placeholder(info, next())}`];
}

function placeholder(info: KeyInfo, number: number): string {
  if (info.allowed !== undefined && !info.allowsOthers) {
    // The default comes first, so it is preselected.
    const usual = info.allowed.filter((value) => value === info.default);
    const others = info.allowed.filter((value) => value !== info.default);
    return `\${${number}|${[...usual, ...others].map(choiceText).join(',')}|}`;
  }
  const isPlain = ['string', 'number', 'boolean'].includes(typeof info.default);
  const text = isPlain && info.default !== '' ? String(info.default) : '';
  if (text === '') return `\${${number}}`;
  const written = typeof info.default === 'string' ? textScalar(text) : text;
  return `\${${number}:${snippetText(written)}}`;
}

function choiceText(value: string): string {
  return textScalar(value).replaceAll(/[\\$},|]/g, String.raw`\$&`);
}
