/** Finds in the text of the user's files what Node names only by its words. */
import { readFileSync } from 'node:fs';
import type { Location } from '../../base/errors.ts';
import { maskSource } from '../../config/code/maskSource.ts';

/** Where a file imports or requires a specifier; the file alone where the specifier was computed. */
export function placeOfSpecifier(specifier: string, importer: string): Location {
  const text = readFileSync(importer, 'utf8');
  const [offset] = literalsOf(specifier, text, maskSource(text));
  return offset === undefined ? { file: importer } : placeAt(importer, text, offset);
}

/** Where one of these files imports or re-exports a name from a specifier. */
export function placeOfBinding(
  name: string,
  specifier: string,
  files: readonly string[],
): Location | undefined {
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const code = maskSource(text);
    for (const literal of literalsOf(specifier, text, code)) {
      const keyword = [...code.slice(0, literal).matchAll(/\b(?:import|export)\b/g)].at(-1)?.index ?? literal;
      const within = wordIn(code.slice(keyword, literal), name);
      if (within !== undefined) return placeAt(file, text, keyword + within);
    }
  }
  return undefined;
}

/** Offsets of string literals with this value that are code. */
function* literalsOf(value: string, text: string, code: string): Generator<number> {
  for (const quote of ['"', "'"]) {
    const literal = quote + value + quote;
    for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1)) {
      // In a comment or another literal the masked text has no quote.
      if (code[at] === quote) yield at;
    }
  }
}

function wordIn(clause: string, name: string): number | undefined {
  for (const word of clause.matchAll(/[\p{ID_Continue}$]+/gu)) if (word[0] === name) return word.index;
  return undefined;
}

function placeAt(file: string, text: string, offset: number): Location {
  const before = text.slice(0, offset);
  return { file, line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}
