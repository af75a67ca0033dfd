import { pythonText } from '../scalar.ts';
import type { Value } from '../value.ts';

/** Returns Python's text for a value inside a text. Sections and lists keep unresolved interpolations. */
export function textOfValue(value: Value): string {
  if (value.kind === 'scalar') return pythonText(value);
  if (value.kind === 'sequence') return `[${value.items.map(written).join(', ')}]`;
  const entries = [...value.entries].map(([key, child]) => `${quoted(key)}: ${written(child)}`);
  return `{${entries.join(', ')}}`;
}

function written(value: Value): string {
  if (value.kind === 'scalar' && typeof value.value === 'string') return quoted(value.value);
  return textOfValue(value);
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

export function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inside = text.replace(/[\\\n\r\t']|[^\P{C}\n\r\t]|[^\P{Z} ]/gu, (character) => {
    if (character === "'") return quote === "'" ? "\\'" : character;
    return escapes[character] ?? byNumber(character.codePointAt(0) ?? 0);
  });
  return quote + inside + quote;
}

function byNumber(code: number): string {
  const digits = code.toString(16);
  if (code < 0x100) return `\\x${digits.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}
