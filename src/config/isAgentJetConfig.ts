const topLevelKey = /^(?:ajet|'ajet'|"ajet")[ \t]*:(?=[ \t]|$)/;

/**
 * Whether the first document of a YAML text has the key `ajet` at its top level. Looks at lines only, without parsing,
 * so that it can run on every change of the editor in front; text that is still broken elsewhere is recognised too.
 */
export function isAgentJetConfig(text: string): boolean {
  return findAjetKey(text) !== undefined;
}

/**
 * Offset of the top-level key `ajet`; undefined when the text has none. Whatever stands in the first column belongs to
 * the top level: quoted and block texts have to be indented below it.
 */
export function findAjetKey(text: string): number | undefined {
  // A single search settles most files: those that never mention the key.
  if (!text.includes('ajet')) return undefined;
  let begun = false;
  for (const match of text.matchAll(/[^\r\n]+/g)) {
    const line = match.index === 0 ? match[0].replace(/^\ufeff/, '') : match[0];
    if (/^(?:---|\.\.\.)(?:[ \t]|$)/.test(line)) {
      if (begun) return undefined;
      continue;
    }
    if (/^[ \t]*(?:#|$)|^%/.test(line)) continue;
    begun = true;
    if (topLevelKey.test(line)) return match.index + match[0].length - line.length;
  }
  return undefined;
}
