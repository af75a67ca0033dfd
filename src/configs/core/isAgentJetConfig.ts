/** A key at the top level of a text, on its line. */
export interface TopLevelKey {
  readonly name: string;
  readonly offset: number;
}

const topLevelKey = /^(?:([A-Za-z_][\w.-]*)|'([^'\r\n]*)'|"([^"\\\r\n]*)")[ \t]*:(?=[ \t]|$)/;

/**
 * Returns true if the first document of a YAML text has the top-level key `ajet`, or its older name. Looks at lines
 * only, without parsing, so that it can run on every change of the active editor. Broken text elsewhere does not
 * matter.
 */
export function isAgentJetConfig(text: string): boolean {
  return findAjetKey(text) !== undefined;
}

/** Offset of the top-level key `ajet`, or of its older name; undefined when the text has neither. */
export function findAjetKey(text: string): number | undefined {
  // A single search settles most files: those that never mention the key.
  if (!/ajet|astuner/.test(text)) return undefined;
  for (const { name, offset } of topLevelKeys(text)) if (name === 'ajet' || name === 'astuner') return offset;
  return undefined;
}

/**
 * Yields the top-level keys of the first document. Text in the first column is always at the top level, because quoted
 * and block texts must be indented.
 */
export function* topLevelKeys(text: string): Generator<TopLevelKey> {
  let begun = false;
  for (const { written, offset } of linesOfTheFirstColumn(text)) {
    const line = offset === 0 ? written.replace(/^\ufeff/, '') : written;
    if (/^(?:---|\.\.\.)(?:[ \t]|$)/.test(line)) {
      if (begun) return;
      continue;
    }
    if (/^(?:[ \t#%]|$)/.test(line)) continue;
    begun = true;
    const [, plain, single, double] = topLevelKey.exec(line) ?? [];
    const name = plain ?? single ?? double;
    if (name !== undefined) yield { name, offset: offset + written.length - line.length };
  }
}

/** Lines, as far as keys go, that are neither indented nor comments; the others are not even looked at. */
function* linesOfTheFirstColumn(text: string): Generator<{ written: string; offset: number }> {
  const [first] = /^[^ \t\r\n#%][^\r\n]{0,500}/.exec(text) ?? [];
  if (first !== undefined) yield { written: first, offset: 0 };
  // To look behind at each character would take ten times as long.
  for (const { 0: match, index } of text.matchAll(/[\r\n][^ \t\r\n#%][^\r\n]{0,500}/g)) {
    yield { written: match.slice(1), offset: index + 1 };
  }
}
