/** A text with `${…}` in it, taken apart. */
export type Template = readonly (string | Interpolation)[];

export interface Interpolation {
  /** What stands between `${` and `}`. */
  readonly inside: Template;
}

/** Undefined for a text whose `${` is never closed. `\${` stands for the characters `${`, `\\${` for a backslash and an interpolation. */
export function parseTemplate(text: string): Template | undefined {
  const reader = { text, at: 0 };
  const template = readParts(reader, false);
  return reader.at === text.length ? template : undefined;
}

interface TextReader {
  readonly text: string;
  at: number;
}

function readParts(reader: TextReader, nested: boolean): Template | undefined {
  const parts: (string | Interpolation)[] = [];
  let literal = '';
  while (reader.at < reader.text.length) {
    const [escape] = /^\\+(?=\$\{)/.exec(reader.text.slice(reader.at, reader.at + 64)) ?? [];
    if (escape !== undefined) {
      literal += '\\'.repeat(Math.floor(escape.length / 2));
      reader.at += escape.length;
      if (escape.length % 2 === 0) continue;
      literal += '${';
      reader.at += 2;
    } else if (reader.text.startsWith('${', reader.at)) {
      reader.at += 2;
      const inside = readParts(reader, true);
      if (inside === undefined) return undefined;
      parts.push(...(literal === '' ? [] : [literal]), { inside });
      literal = '';
    } else {
      const character = reader.text.charAt(reader.at);
      reader.at += 1;
      if (nested && character === '}') return literal === '' ? parts : [...parts, literal];
      literal += character;
    }
  }
  if (nested) return undefined;
  return literal === '' ? parts : [...parts, literal];
}

/** `name:argument,argument`: undefined for a template that asks for a value of the config. */
export function asResolverCall(inside: Template): { name: string; arguments: Template[] } | undefined {
  const [first, ...rest] = inside;
  const match = typeof first === 'string' ? /^\s*([A-Za-z_][\w.]*):(.*)$/s.exec(first) : null;
  if (match === null) return undefined;
  const [, name = '', beginning = ''] = match;
  return { name, arguments: splitArguments([beginning, ...rest]) };
}

function splitArguments(template: Template): Template[] {
  const list: (string | Interpolation)[][] = [[]];
  for (const part of template) {
    const pieces = typeof part === 'string' ? splitOutsideQuotes(part) : [part];
    list.at(-1)?.push(...pieces.slice(0, 1));
    list.push(...pieces.slice(1).map((piece) => [piece]));
  }
  return list.map(trimmed);
}

function splitOutsideQuotes(text: string): string[] {
  const pieces = [''];
  let quote = '';
  for (const character of text) {
    if (character === ',' && quote === '') {
      pieces.push('');
      continue;
    }
    if (character === quote) quote = '';
    else if (quote === '' && /['"]/.test(character)) quote = character;
    pieces.push((pieces.pop() ?? '') + character);
  }
  return pieces;
}

/** Blanks around an argument do not count; quotes keep them. */
function trimmed(argument: Template): Template {
  const [only] = argument;
  if (argument.length === 1 && typeof only === 'string') {
    const text = only.trim();
    const quoted = /^(['"])(.*)\1$/s.exec(text);
    return [quoted?.[2] ?? text];
  }
  return argument.map((part, index) => {
    if (typeof part !== 'string') return part;
    if (index === 0) return part.trimStart();
    return index === argument.length - 1 ? part.trimEnd() : part;
  });
}
