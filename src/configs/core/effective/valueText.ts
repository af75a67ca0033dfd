import type { ConfigContext } from '../context.ts';
import { locationText } from './origins.ts';
import { pythonText } from '../scalar.ts';
import { toPlain, type Origin, type Value } from '../value.ts';

const longest = 120;

/** A value on one line of Markdown. */
export function valueText(value: Value): string {
  const text = value.kind === 'scalar' ? scalarText(value) : JSON.stringify(toPlain(value));
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  // A text with backticks in it needs more of them around it.
  const fence = cut.includes('`') ? '``' : '`';
  return cut === '' ? 'an empty text' : `${fence}${cut.replaceAll(/\s/g, ' ')}${fence}`;
}

function scalarText(value: Extract<Value, { kind: 'scalar' }>): string {
  if (value.value === null) return 'null';
  if (typeof value.value === 'boolean') return String(value.value);
  return pythonText(value);
}

/** Returns the origin of a value for users; files are relative to `relativeTo`. */
export function originText(
  origin: Origin,
  {
    file,
    dialect,
    relativeTo,
  }: Pick<ConfigContext, 'file' | 'dialect'> & { readonly relativeTo?: string | undefined },
): string {
  switch (origin.kind) {
    case 'file': {
      const { location } = origin;
      if (location.file === file)
        return location.line === undefined ? 'this file' : `this file, line ${location.line}`;
      return `\`${locationText(location, relativeTo)}\``;
    }
    case 'bundled':
      return `default of ${dialect.label}`;
    case 'rule':
      return `from \`${origin.expression}\``;
  }
}
