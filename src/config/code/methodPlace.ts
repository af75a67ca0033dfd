import type { Location } from '../../base/errors.ts';
import type { ClassFinder } from '../classes.ts';
import type { Locator } from '../locator.ts';
import { LineMap } from '../text.ts';
import { maskPython } from './maskPython.ts';
import { maskSource } from './maskSource.ts';

/**
 * Where a class has a method, as its TypeScript or JavaScript is written: the method's name; that of the class where
 * it inherits the method; of a function, its own name; the file alone where its text shows neither. Never rejects.
 *
 * @param locator its file absolute
 */
export async function placeOfMethod(
  { where, name, kind }: Locator,
  method: string,
  classes: ClassFinder,
  readText: (file: string) => Promise<string | undefined>,
): Promise<Location> {
  const target = await classes.find({ where, name, kind }, where);
  if (target.status !== 'found') return { file: where };
  const { file, line, column } = target.site;
  if (target.site.kind === 'function') return { file, line, column };
  const text = await readText(file).catch(() => undefined); // gone, or not to be read any more
  if (text === undefined) return { file };
  const lines = new LineMap(text);
  const classAt = lines.line(line - 1).start + column - 1;
  const offset =
    target.site.language === 'python'
      ? pythonMethodOffset(text, classAt, snakeCase(method))
      : methodOffset(text, classAt, method);
  if (offset === undefined) return { file, line, column };
  const position = lines.position(offset);
  return { file, line: position.line + 1, column: position.character + 1 };
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The same of Python: a `def` in the body, which ends with the next line that is not indented more than the class. */
export function pythonMethodOffset(text: string, classAt: number, method: string): number | undefined {
  const code = maskPython(text);
  const start = code.lastIndexOf('\n', classAt - 1) + 1;
  const indent = /^[ \t]*/.exec(code.slice(start, classAt))?.[0] ?? '';
  const rest = code.slice(classAt);
  const end = rest.search(new RegExp(`\\n(?!${indent}[ \\t])[ \\t]*[^\\s#)\\]}]`));
  const found = new RegExp(`\\n[ \\t]+(?:async\\s+)?def\\s+(?=${method}\\b)`).exec(
    end === -1 ? rest : rest.slice(0, end),
  );
  return found === null ? undefined : classAt + found.index + found[0].length;
}

/** Of the method's name, in the class that is declared at an offset; undefined where its own body has none. */
export function methodOffset(text: string, classAt: number, method: string): number | undefined {
  const code = maskSource(text);
  const body = bodyAt(code, classAt);
  if (body === undefined) return undefined;
  // The name comes first, so that what stands before it is looked at only there.
  const modifiers = `(?:(?:public|protected|private|override|readonly|async)\\s+)*\\*?\\s*`;
  const declaration = new RegExp(
    `\\b${method}(?<=[{};\\r\\n)\\]]\\s*${modifiers}${method})(?=\\s*(?:[(<=]|[?!]?:))`,
    'g',
  );
  let counted = body;
  let depth = 0;
  for (const { index } of code.slice(0, endOf(code, body)).matchAll(declaration)) {
    if (index <= body) continue;
    for (; counted < index; counted += 1) depth += change(code, counted);
    if (depth === 1) return index;
  }
  return undefined;
}

/** The `{` that a class's body begins with, behind what it extends. */
function bodyAt(code: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < code.length; at += 1) {
    if (depth === 0 && code.charAt(at) === '{') return at;
    depth += change(code, at);
    if (code.charAt(at) === '<') depth += 1;
    else if (code.charAt(at) === '>' && code.charAt(at - 1) !== '=') depth -= 1;
    if (depth < 0) return undefined;
  }
  return undefined;
}

function endOf(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    depth += change(code, at);
    if (depth === 0) return at;
  }
  return code.length;
}

function change(code: string, at: number): -1 | 0 | 1 {
  const character = code.charAt(at);
  if (character === '{' || character === '(' || character === '[') return 1;
  return character === '}' || character === ')' || character === ']' ? -1 : 0;
}
