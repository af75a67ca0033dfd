import { LineMap } from '../text.ts';
import { maskPython } from './maskPython.ts';
import { maskSource } from './maskSource.ts';

/** A place in a text; both count from 1. */
export interface ToolPlace {
  readonly line: number;
  readonly column: number;
  /** Name of the function; null: it is where the tool is registered under its name. */
  readonly function: string | null;
}

/**
 * Where a text defines a tool: a function, method or property of its name; else where the name stands as a text, as
 * registrations have it. Undefined where there is neither. Takes time linear in the text.
 */
export function toolAt(text: string, name: string, language: 'python' | 'typescript'): ToolPlace | undefined {
  if (name === '') return undefined;
  const code = language === 'python' ? maskPython(text) : maskSource(text);
  const definition = isName(name) ? definitionAt(code, name, language) : undefined;
  const offset = definition ?? registrationAt(text, code, name);
  if (offset === undefined) return undefined;
  const { line, character } = new LineMap(text).position(offset);
  return { line: line + 1, column: character + 1, function: definition === undefined ? null : name };
}

function isName(name: string): boolean {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name);
}

/** Of the name. Those that surely are definitions come first. */
function definitionAt(code: string, name: string, language: 'python' | 'typescript'): number | undefined {
  const escaped = name.replaceAll('$', '\\$');
  const end = '(?![\\p{ID_Continue}$])';
  const forms =
    language === 'python'
      ? [`\\bdef[ \\t]+(?=${escaped}${end})`, `^[ \\t]*(?=${escaped}${end}[ \\t]*(?::[^=\\n]*)?=[^=])`]
      : [
          `\\bfunction\\b\\s*\\*?\\s*(?=${escaped}${end})`,
          `\\b(?:const|let|var)\\s+(?=${escaped}${end})`,
          // A method, or a property that holds a function or a tool.
          `^[ \\t]*(?:(?:public|private|protected|static|override|readonly|async)\\s+)*\\*?(?=${escaped}${end}\\s*(?:[:=<]|\\([^\\n]*\\{\\s*$))`,
        ];
  for (const form of forms) {
    const match = new RegExp(form, 'mu').exec(code);
    if (match !== null) return match.index + match[0].length;
  }
  return undefined;
}

/** A text of exactly that name, first where something is called `name`. */
function registrationAt(text: string, code: string, name: string): number | undefined {
  const escaped = name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const literal = `(["'\`])${escaped}\\1`;
  for (const form of [`\\bname["']?\\s*[:=]\\s*(?=${literal})`, `(?=${literal})`]) {
    for (const match of text.matchAll(new RegExp(form, 'g'))) {
      const at = match.index + match[0].length;
      // Quotes stay where a text is masked: what has lost them stands in a comment or in a longer text.
      if (code.charAt(at) === text.charAt(at)) return at + 1;
    }
  }
  return undefined;
}
