const quotes = /"""|'''|"|'|#/g;

/**
 * A Python text with comments and the insides of strings replaced by spaces. Offsets and line breaks stay. A string of
 * one line that is never closed ends with its line, one of three quotes with the text.
 */
export function maskPython(text: string): string {
  const pieces: string[] = [];
  let done = 0;
  quotes.lastIndex = 0;
  for (let match = quotes.exec(text); match !== null; match = quotes.exec(text)) {
    const [opening] = match;
    const inner = match.index + (opening === '#' ? 0 : opening.length);
    const end = opening === '#' ? endOfLine(text, inner) : endOfString(text, inner, opening);
    pieces.push(text.slice(done, inner), text.slice(inner, end).replace(/[^\r\n]/g, ' '));
    done = end;
    quotes.lastIndex = text.startsWith(opening, end) && opening !== '#' ? end + opening.length : end;
  }
  return pieces.join('') + text.slice(done);
}

function endOfLine(text: string, from: number): number {
  const lineBreak = /[\r\n]/g;
  lineBreak.lastIndex = from;
  return lineBreak.exec(text)?.index ?? text.length;
}

/** A backslash takes the next character with it, in raw strings as well. */
function endOfString(text: string, from: number, quote: string): number {
  const marks = quote.length === 3 ? /\\|"""|'''/g : /\\|["'\r\n]/g;
  marks.lastIndex = from;
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    const [mark] = match;
    if (mark === '\\') marks.lastIndex = match.index + (text.startsWith('\r\n', match.index + 1) ? 3 : 2);
    else if (mark === quote || mark === '\n' || mark === '\r') return match.index;
  }
  return text.length;
}
