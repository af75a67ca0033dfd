/**
 * Writes the vocabulary and the merges of a byte-level BPE as one text, from which AgentJet fills the tables of
 * `@huggingface/tokenizers`. It loads in a third of the time that the library needs for `tokenizer.json`.
 *
 * @param json the content of a `tokenizer.json`
 * @returns the rest of the `tokenizer.json`, and the text: the tokens of the bytes in a line, and `left right` in a line for each
 *   further token, by id
 */
export function tokenizerTables(json) {
  const { vocab, merges, ...model } = json.model;
  const tokens = [];
  for (const [token, id] of Object.entries(vocab)) tokens[id] = token;
  const bytes = tokens.splice(0, 256);
  const made = merges.map((merge) => merge.replace(' ', ''));
  if (bytes.some(({ length }) => length !== 1) || made.join('\n') !== tokens.join('\n'))
    throw new Error('The tokens of this vocabulary are not the bytes and what each merge makes.');
  return {
    rest: { ...json, model: { ...model, vocab: {}, merges: [] } },
    merges: [bytes.join(''), ...merges].join('\n'),
  };
}
