/**
 * Letters beyond ASCII that Unicode takes for an ASCII letter where case does not count. The library folds ASCII only,
 * so that `(?i:'s)` of Qwen's and Llama's patterns would not take `'ſ`, as the Python package does.
 */
const further: Readonly<Record<string, string>> = { s: 'ſ', k: '\u212a' };

/** The same tree with every pattern (`{"Regex": …}`) so written that the library folds case as the Python package does. */
export function withUnicodeFolding(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withUnicodeFolding);
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]: [string, unknown]) => [
      key,
      key === 'Regex' && typeof value === 'string' ? unfold(value) : withUnicodeFolding(value),
    ]),
  );
}

/** In groups `(?i:…)` without groups or escapes in them, which is how tokenizers write contractions. */
function unfold(pattern: string): string {
  return pattern.replace(/\(\?i:([^()\\]*)\)/g, (_, body: string) => {
    const wider = body.replace(/\[[^\]]*\]|[sk]/gi, (atom) =>
      atom.startsWith('[') ? `${atom.slice(0, -1)}${lettersFor(atom)}]` : `[${atom}${lettersFor(atom)}]`,
    );
    return `(?i:${wider})`;
  });
}

function lettersFor(atom: string): string {
  return Object.entries(further)
    .filter(([letter]) => atom.toLowerCase().includes(letter))
    .map(([, folded]) => folded)
    .join('');
}
