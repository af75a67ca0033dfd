/** The deepest nesting that recursive code can process. */
const deepest = 500;

/** Parses JSON. Returns undefined if the text is not valid JSON or is nested too deeply. */
export function shallowJson(text: string): unknown {
  return isShallow(text) ? parseJson(text) : undefined;
}

/** Returns the JSON object or array at a position, and the position after it. Undefined if there is none. */
export function jsonAt(
  text: string,
  start: number,
): { readonly value: unknown; readonly end: number } | undefined {
  let depth = 0;
  if (!/[[{]/.test(text.charAt(start))) return undefined;
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) at = endOfString(text, at);
    else if (unit === 0x5b || unit === 0x7b) depth += 1;
    else if (unit === 0x5d || unit === 0x7d) depth -= 1;
    if (depth > 0) continue;
    const value = shallowJson(text.slice(start, at + 1));
    return value === undefined ? undefined : { value, end: at + 1 };
  }
  return undefined;
}

function isShallow(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) at = endOfString(text, at);
    else if (unit === 0x5b || unit === 0x7b) {
      depth += 1;
      if (depth > deepest) return false;
    } else if (unit === 0x5d || unit === 0x7d) depth -= 1;
  }
  return true;
}

/** Returns the position of the quotation mark that closes the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === 0x5c) before -= 1;
    // An even number of backslashes are escaped backslashes.
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** Parses JSON. Returns undefined if the text is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the caller handles a missing value
  }
}
