/** Brackets open at a time; the parser gives up long before, but only after it has taken the whole text apart. */
const mostOpen = 1000;

/**
 * Where the line begins in which more brackets are open than anybody writes; undefined where there is none. Counts them
 * in quotes and comments as well: it looks at every character, so it has to be quick, and there they come in pairs.
 */
export function tooDeepFrom(text: string): number | undefined {
  if (text.length <= mostOpen) return undefined;
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at) | 0x20;
    // `[` and `{`, `]` and `}` differ in this one bit.
    if (code === 0x7b) {
      open += 1;
      if (open > mostOpen) return text.lastIndexOf('\n', at) + 1;
    } else if (code === 0x7d && open > 0) open -= 1;
  }
  return undefined;
}
