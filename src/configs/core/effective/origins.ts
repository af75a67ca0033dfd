import type { Location } from '../../../base/core/errors.ts';
import { type Origin, toPlain, type Value } from '../value.ts';
import type { ConfigContext } from '../context.ts';
import { pythonText } from '../scalar.ts';

const longest = 120;

/** A value on one line of Markdown. */
export function valueText(value: Value): string {
  const text = value.kind === 'scalar' ? scalarText(value) : JSON.stringify(toPlain(value));
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return cut === '' ? 'an empty text' : codeSpan(cut);
}

/** Returns a text as a code span of Markdown, which nothing in the text can end. */
export function codeSpan(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(0, ...runs.map(({ length }) => length)));
  const pad = /^`|`$/.test(text) ? ' ' : '';
  return `${fence}${pad}${text.replaceAll(/\s/g, ' ')}${pad}${fence}`;
}

function scalarText(value: Extract<Value, { kind: 'scalar' }>): string {
  if (value.value === null) return 'null';
  if (typeof value.value === 'boolean') return String(value.value);
  return pythonText(value);
}

/** Returns the origin of a value in Markdown; files are relative to `relativeTo`. */
export function originMarkdown(
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
      return codeSpan(locationText(location, relativeTo));
    }
    case 'bundled':
      return `default of ${dialect.label}`;
    case 'rule':
      return `from \`${origin.expression}\``;
  }
}

/** Returns the origin of a value for users: `exp.yaml:12`, `default`, `rule: 8 * 4 = 32`, `ajet.data.x, exp.yaml:4`. */
export function originText(origin: Origin, relativeTo: string | undefined): string {
  switch (origin.kind) {
    case 'file':
      return locationText(origin.location, relativeTo);
    case 'bundled':
      return origin.file ?? 'default';
    case 'rule': {
      if (origin.text !== undefined) return `rule: ${origin.text}`;
      const [input] = origin.inputs;
      // A name that the launcher generates has no location.
      const from = input === undefined ? '' : `, ${originText(input.value.origin, relativeTo)}`;
      return `${origin.expression}${from}`;
    }
  }
}

/** With the line, but without the column; relative where the file is in `relativeTo`. */
export function locationText({ file, line }: Location, relativeTo: string | undefined): string {
  const shown = relativePath(file, relativeTo);
  return line === undefined ? shown : `${shown}:${line}`;
}

function relativePath(file: string, folder: string | undefined): string {
  if (folder === undefined || !file.startsWith(folder)) return file;
  const rest = file.slice(folder.length);
  if (/[\\/]$/.test(folder)) return rest;
  return /^[\\/]./.test(rest) ? rest.slice(1) : file;
}

/** Every place in a file that a value was made from, its own first; each once. */
export function locationsOf(origin: Origin): readonly Location[] {
  const places: Location[] = [];
  const add = (from: Origin): void => {
    if (from.kind === 'file') {
      const { file, line, column } = from.location;
      if (!places.some((place) => place.file === file && place.line === line && place.column === column)) {
        places.push(from.location);
      }
    } else if (from.kind === 'rule') for (const { value } of from.inputs) add(value.origin);
  };
  add(origin);
  return places;
}
