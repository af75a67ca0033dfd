/** Finds imports in the user's files of which Node reports only the words. */
import { readFileSync } from 'node:fs';
import type { Location } from '../../../base/core/errors.ts';
import {
  nodesNamed,
  parseScript,
  stringContent,
  type ParsedText,
} from '../../../configs/core/code/syntaxTree.ts';
import { LineMap } from '../../../configs/core/text.ts';

/** Returns where a file imports or requires a specifier. The file alone where the specifier was computed. */
export function locateSpecifier(specifier: string, importer: string): Location {
  const parsed = parseScript(readFileSync(importer, 'utf8'));
  const literal = nodesNamed(parsed, 'String').find((node) => stringContent(node, parsed.text) === specifier);
  return literal === undefined ? { file: importer } : locationAt(importer, parsed, literal.from);
}

/** Returns where one of these files imports or re-exports a name from a specifier. */
export function locateBinding(
  name: string,
  specifier: string,
  files: readonly string[],
): Location | undefined {
  for (const file of files) {
    const parsed = parseScript(readFileSync(file, 'utf8'));
    for (const statement of nodesNamed(parsed, 'ImportDeclaration', 'ExportDeclaration')) {
      const literal = statement.getChild('String', 'from') ?? undefined;
      if (literal === undefined || stringContent(literal, parsed.text) !== specifier) continue;
      const clause = parsed.text.slice(statement.from, literal.from);
      const word = [...clause.matchAll(/[\p{ID_Continue}$]+/gu)].find(([found]) => found === name);
      if (word !== undefined) return locationAt(file, parsed, statement.from + word.index);
    }
  }
  return undefined;
}

function locationAt(file: string, { text }: ParsedText, offset: number): Location {
  const { line, character } = new LineMap(text).position(offset);
  return { file, line: line + 1, column: character + 1 };
}
