import type { LinedText } from '../text.ts';
import type { CaretPath, ReferenceCaret } from './caretTypes.ts';

/** Undefined where the offset is not within an interpolation that begins on its line. */
export function referenceCaret(
  { text, lines }: LinedText,
  offset: number,
  path: CaretPath,
): ReferenceCaret | undefined {
  const { start, end } = lines.line(lines.position(offset).line);
  const open = openInterpolation(text.slice(start, offset));
  if (open === undefined) return undefined;
  const inside = text.slice(start + open, offset);
  const [, resolver, argument] = /^\s*([A-Za-z_][\w.]*):(.*)$/s.exec(inside) ?? [];
  const written = (argument ?? inside).trimStart();
  if (!/^[^\s,'"{}:]*$/.test(written)) return undefined;
  const behind = text.slice(offset, end);
  const tail = /^[\w.[\]-]*/.exec(behind)?.[0] ?? '';
  const isClosed = /^\s*}/.test(behind.slice(tail.length));
  const span = { start: offset - written.length, end: isClosed ? offset + tail.length : offset };
  return { kind: 'reference', path, span, written, resolver, isClosed };
}

/** Where the innermost `${` that is not closed ends; `\${` is none. */
function openInterpolation(before: string): number | undefined {
  const open: number[] = [];
  for (const { index, 0: found } of before.matchAll(/(?<!\\)\\*\$\{|\}/g)) {
    if (found === '}') open.pop();
    else if (found.length % 2 === 0) open.push(index + found.length);
  }
  return open.at(-1);
}
