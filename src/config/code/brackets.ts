/** What longer brackets hold is not looked at, so that broken text costs no more than its length. */
const longest = 20_000;

/** Which characters are brackets: those of TypeScript's types as well, or not. */
export type Brackets = 'with-angles' | 'without-angles';

/** What stands between the bracket at `open` and the one that closes it; undefined where there is no such pair. */
export function insideBrackets(
  code: string,
  open: number,
  kind: Brackets = 'without-angles',
): string | undefined {
  if (open < 0 || depthChange(code, open, kind) !== 1) return undefined;
  const last = Math.min(code.length, open + longest);
  let depth = 0;
  for (let at = open; at < last; at += 1) {
    depth += depthChange(code, at, kind);
    if (depth === 0) return code.slice(open + 1, at);
  }
  return undefined;
}

/** The parts between commas that are in no brackets, trimmed, without empty ones. */
export function splitAtCommas(code: string, kind: Brackets = 'without-angles'): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < code.length; at += 1) {
    depth += depthChange(code, at, kind);
    if (code.charAt(at) !== ',' || depth !== 0) continue;
    parts.push(code.slice(start, at));
    start = at + 1;
  }
  parts.push(code.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function depthChange(code: string, at: number, kind: Brackets): -1 | 0 | 1 {
  const character = code.charAt(at);
  if ('([{'.includes(character)) return 1;
  if (')]}'.includes(character)) return -1;
  if (kind === 'without-angles') return 0;
  if (character === '<') return 1;
  // The `>` of an arrow closes nothing.
  return character === '>' && code.charAt(at - 1) !== '=' ? -1 : 0;
}
