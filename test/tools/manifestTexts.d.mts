type Texts = Readonly<Record<string, string>>;

/** The manifest with a key wherever a text stands, and the texts. */
export function withKeys(manifest: unknown, known: Texts): { readonly keyed: unknown; readonly texts: Texts };
/** The manifest with texts in place of keys, as the editor does it. */
export function withTexts(manifest: unknown, texts: Texts): unknown;
/** The keys and the texts that stand in a manifest where users read. */
export function readTexts(manifest: unknown): {
  readonly keys: readonly string[];
  readonly texts: readonly string[];
};
