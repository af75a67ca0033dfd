import { BPE, Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers';
import { isRecord } from '../../../base/core/isRecord.ts';
import type { Tokenizer } from '../tokenizer.ts';

/** `tokenizer.json`, as far as it is looked into here; the rest is the library's. */
export interface TokenizerJson {
  readonly added_tokens?: readonly AddedToken[];
  readonly pre_tokenizer?: unknown;
  readonly decoder?: unknown;
  readonly model: Readonly<Record<string, unknown>>;
}

export interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special?: boolean;
}

/** `tokenizer_config.json`; what is used of it is looked at where it is used. */
export type TokenizerConfig = Readonly<Record<string, unknown>>;

const modelTypes = ['BPE', 'Unigram', 'WordPiece'];

/** The end tokens of models without a `tokenizer_config.json`, most likely first. */
const knownEnds = ['<|im_end|>', '<|eot_id|>', '<|endoftext|>', '</s>'];

/** Throws an Error if the library does not support it. Skips the vocabulary, which takes long. */
export function checkTokenizerJson(value: unknown, config: TokenizerConfig): TokenizerJson {
  const { type = 'BPE', vocab } = record(record(value)['model']);
  if (typeof vocab !== 'object' || vocab === null) throw new Error('it has no vocabulary');
  if (!modelTypes.includes(String(type))) throw new Error(`its model is of the unknown type ${String(type)}`);
  const file = value as TokenizerJson;
  libraryTokenizer({ ...file, model: { type: 'BPE', vocab: {}, merges: [] } }, [], config);
  return file;
}

/**
 * The tokenizer of a `tokenizer.json`. No tokens are added to a text: a template writes those that it wants. `eos` is
 * that of the config, as upstream has it, also where a template ends replies otherwise.
 *
 * @param merges Needed if `file` is without vocabulary and merges. The first line has the tokens of the bytes. Each further line is
 *   `left right` and makes the next token, by id.
 * @throws Error with the library's message when the file is not as it must be
 */
export function createHuggingFaceTokenizer(
  file: TokenizerJson,
  config: TokenizerConfig,
  merges?: string,
): Tokenizer {
  const added = allAddedTokens(file, config);
  const library = libraryTokenizer(file, added, config);
  if (merges !== undefined && library.model instanceof BPE) fill(library.model, merges);
  const { bytesOfEntry, entriesOf } = entrySpelling(file);
  const addedById = new Map(added.map((token) => [token.id, token]));
  const addedIds = new Map(added.map(({ content, id }) => [byteKey(new TextEncoder().encode(content)), id]));
  const bytesOf = (id: number): Uint8Array => {
    const content = addedById.get(id)?.content;
    if (content !== undefined) return new TextEncoder().encode(content);
    const entry = library.id_to_token(id);
    return entry === undefined ? new Uint8Array() : bytesOfEntry(entry);
  };
  return {
    encode: (text) => (text === '' ? [] : library.encode(text, { add_special_tokens: false }).ids),
    bytesOf,
    idOf: (bytes) => {
      const id = addedIds.get(byteKey(bytes));
      if (id !== undefined) return id;
      const entry = entriesOf(bytes).find((each) => library.token_to_id(each) !== undefined);
      return entry === undefined ? undefined : library.token_to_id(entry);
    },
    isSpecial: (id) => addedById.get(id)?.special === true,
    eos: endOfReply(library, config),
  };
}

function libraryTokenizer(
  file: TokenizerJson,
  added: readonly AddedToken[],
  config: TokenizerConfig,
): HuggingFaceTokenizer {
  const preTokenizer = withUnicodeFolding(file.pre_tokenizer);
  return new HuggingFaceTokenizer({ ...file, added_tokens: added, pre_tokenizer: preTokenizer }, config);
}

/** Has no loop in JavaScript: while the user steps, a debugger would stop at every turn of it. */
function fill(model: BPE, text: string): void {
  const end = text.indexOf('\n');
  const merges = text.slice(end + 1);
  const bytes = Array.from(text.slice(0, end));
  const tokens = bytes.concat(merges.replaceAll(' ', '').split('\n'));
  model.vocab = tokens.concat(model.vocab.slice(tokens.length)); // behind them are the added tokens
  const ids = model.tokens_to_ids;
  tokens.forEach(ids.set.bind(ids));
  model.bpe_ranks = new MergeRanks(ids, merges.split('\n'), bytes.length);
}

/** The rank of each merge by its key, `["left","right"]`. A map of all keys would take as long to fill as that of the tokens. */
class MergeRanks extends Map<string, number> {
  readonly #ids: ReadonlyMap<string, number>;
  readonly #merges: readonly string[];
  readonly #first: number;

  /** @param first the id of the token that the first merge makes */
  constructor(ids: ReadonlyMap<string, number>, merges: readonly string[], first: number) {
    super();
    this.#ids = ids;
    this.#merges = merges;
    this.#first = first;
  }

  override get(key: string): number | undefined {
    const merge = key.includes('\\')
      ? (JSON.parse(key) as string[]).join(' ')
      : key.slice(2, -2).replace('","', ' ');
    const id = this.#ids.get(merge.replace(' ', ''));
    if (id === undefined) return undefined;
    const rank = id - this.#first;
    return this.#merges[rank] === merge ? rank : undefined;
  }
}

/** transformers adds what only the config knows. */
function allAddedTokens(file: TokenizerJson, config: TokenizerConfig): readonly AddedToken[] {
  const own = file.added_tokens ?? [];
  const known = new Set(own.map(({ id }) => id));
  const further = Object.entries(record(config['added_tokens_decoder']))
    .map(([id, token]) => ({ ...record(token), id: Number(id) }))
    .filter((token): token is AddedToken => 'content' in token && typeof token.content === 'string');
  return [...own, ...further.filter(({ id }) => !known.has(id))];
}

function endOfReply(library: HuggingFaceTokenizer, config: TokenizerConfig): number {
  const named = tokenText(config['eos_token']);
  for (const candidate of named === undefined ? knownEnds : [named]) {
    const id = library.token_to_id(candidate);
    if (id !== undefined) return id;
  }
  throw new Error(
    named === undefined
      ? 'tokenizer_config.json has no eos_token'
      : `its vocabulary does not contain the eos_token ${named}`,
  );
}

/** Converts between the entries of a vocabulary and their bytes. */
interface EntrySpelling {
  readonly bytesOfEntry: (entry: string) => Uint8Array;
  /** Returns the possible entries for these bytes, the one that `encode` prefers first: a whole character before its bytes. */
  readonly entriesOf: (bytes: Uint8Array) => readonly string[];
}

function entrySpelling(file: TokenizerJson): EntrySpelling {
  if (mentions(file.pre_tokenizer, 'ByteLevel') || mentions(file.decoder, 'ByteLevel')) {
    return {
      bytesOfEntry: bytesOfByteLevel,
      entriesOf: (bytes) => [
        Array.from(bytes, (byte) => byteLevelCharacters[byte]).join(''),
        ...textOf(bytes),
      ],
    };
  }
  const byteFallback = file.model['byte_fallback'] === true;
  return {
    bytesOfEntry: (entry) => {
      const byte = byteFallback ? byteOfFallback(entry) : undefined;
      return byte === undefined ? new TextEncoder().encode(entry.replaceAll('▁', ' ')) : Uint8Array.of(byte);
    },
    entriesOf: (bytes) => [
      ...textOf(bytes).flatMap((text) => [text.replaceAll(' ', '▁'), text]),
      ...(byteFallback && bytes.length === 1 ? [fallbackOf(bytes[0] ?? 0)] : []),
    ],
  };
}

/** Returns the text in a list, or an empty list if the bytes are not valid UTF-8. */
function textOf(bytes: Uint8Array): readonly string[] {
  try {
    return [new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)];
  } catch {
    return [];
  }
}

function fallbackOf(byte: number): string {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
}

/** Returns the byte of an entry such as `<0x0A>`. */
function byteOfFallback(entry: string): number | undefined {
  const digits = /^<0x([0-9A-F]{2})>$/.exec(entry)?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

/** A part of this type, in a sequence or alone. */
function mentions(part: unknown, type: string): boolean {
  const { type: own, pretokenizers, decoders } = record(part);
  if (own === type) return true;
  const inner: unknown = pretokenizers ?? decoders;
  return Array.isArray(inner) && inner.some((each) => mentions(each, type));
}

/** Returns the special tokens of a config by the names that templates use for them. */
export function specialTokens(config: TokenizerConfig): Record<string, unknown> {
  const single = Object.entries(config).flatMap(([key, value]) => {
    const text = /^(?:bos|eos|unk|sep|pad|cls|mask)_token$/.test(key) ? tokenText(value) : undefined;
    return text === undefined ? [] : [[key, text] as const];
  });
  const further: unknown = config['additional_special_tokens'];
  return {
    ...Object.fromEntries(single),
    ...(Array.isArray(further) && { additional_special_tokens: further.map((token) => tokenText(token)) }),
  };
}

/** `"</s>"`, or `{"content": "</s>", …}`. */
function tokenText(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : record(value)['content'];
  return typeof text === 'string' ? text : undefined;
}

export function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** Equal for equal bytes, so that a Map can be asked for them: one character, at most U+00FF, per byte. */
export function byteKey(bytes: Uint8Array): string {
  let key = '';
  for (const byte of bytes) key += String.fromCharCode(byte);
  return key;
}

/** The character that byte-level vocabularies write for each byte: printable ones themselves, others from U+0100 on. */
const byteLevelCharacters = Array.from({ length: 256 }, (_, byte) => byteLevelCharacter(byte));

const byteOfCharacter = new Map(byteLevelCharacters.map((character, byte) => [character, byte]));

function byteLevelCharacter(byte: number): string {
  return String.fromCharCode(isPrintable(byte) ? byte : 0x100 + unprintableBefore(byte));
}

function unprintableBefore(byte: number): number {
  let count = 0;
  for (let before = 0; before < byte; before++) if (!isPrintable(before)) count++;
  return count;
}

function isPrintable(byte: number): boolean {
  return (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
}

/** Bytes of a byte-level vocabulary's entry; one with other characters stands for its own UTF-8. */
export function bytesOfByteLevel(entry: string): Uint8Array {
  const bytes = new Uint8Array(entry.length);
  for (let at = 0; at < entry.length; at++) {
    const byte = byteOfCharacter.get(entry.charAt(at));
    if (byte === undefined) return new TextEncoder().encode(entry);
    bytes[at] = byte;
  }
  return bytes;
}

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
