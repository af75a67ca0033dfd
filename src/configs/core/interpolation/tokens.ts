/** The tokens of OmegaConf's texts with interpolations, in the modes of its lexer; of equally long matches the first rule wins. */
export type TokenType =
  | 'open'
  | 'close'
  | 'text'
  | 'escaped-open'
  | 'backslashes'
  | 'dot'
  | '['
  | ']'
  | '{'
  | ':'
  | ','
  | 'quote'
  | 'end-quote'
  | 'id'
  | 'key'
  | 'int'
  | 'float'
  | 'bool'
  | 'null'
  | 'char'
  | 'escape'
  | 'blank';

export interface Token {
  readonly type: TokenType;
  readonly text: string;
  readonly start: number;
}

export type Mode = 'text' | 'path' | 'value' | 'single-quoted' | 'double-quoted';

/** `push`: the mode until its end; `pop`: back to the mode around; `become`: instead of this mode. */
interface Rule {
  readonly type: TokenType;
  readonly pattern: RegExp;
  readonly push?: Mode;
  readonly become?: Mode;
  readonly pop?: true;
}

const blank = '[ \\t]+';
const open = `\\$\\{(?:${blank})?`;
const id = '[a-zA-Z_][a-zA-Z0-9_-]*';
const unsigned = '(?:[1-9](?:_?[0-9])*|0)';
const digits = '[0-9](?:_?[0-9])*';
// Alternatives are tried in order, so that the longer one comes first.
const point = `(?:${unsigned}?\\.${digits}|${unsigned}\\.)`;
const float = `[+-]?(?:(?:${point}|${unsigned})[eE][+-]?${digits}|${point}|[Ii][Nn][Ff]|[Nn][Aa][Nn])`;

function rule(type: TokenType, pattern: string, then: Omit<Rule, 'type' | 'pattern'> = {}): Rule {
  return { type, pattern: new RegExp(pattern, 'y'), ...then };
}

const padded = (character: string): string => `(?:${blank})?${character}(?:${blank})?`;
const closing = `(?:${blank})?\\}`;

function quoted(quote: string): Rule[] {
  return [
    rule('open', open, { push: 'path' }),
    rule('end-quote', quote, { pop: true }),
    rule('text', `[^${quote}$]*[^${quote}\\\\$]`),
    rule('escaped-open', '(?:\\\\\\\\)*\\\\\\$\\{'),
    rule('escape', `(?:\\\\\\\\)*\\\\${quote}`),
    rule('backslashes', '(?:\\\\\\\\)+'),
    rule('text', '\\\\+'),
    rule('text', '\\$'),
  ];
}

const rules: Readonly<Record<Mode, readonly Rule[]>> = {
  text: [
    rule('open', open, { push: 'path' }),
    rule('text', '[^$]*[^\\\\$]'),
    rule('escaped-open', '(?:\\\\\\\\)*\\\\\\$\\{'),
    rule('backslashes', '(?:\\\\\\\\)+'),
    rule('text', '\\\\+'),
    rule('text', '\\$'),
  ],
  path: [
    rule('open', open, { push: 'path' }),
    rule(':', padded(':'), { become: 'value' }),
    rule('close', closing, { pop: true }),
    rule('dot', '\\.'),
    rule('[', '\\['),
    rule(']', '\\]'),
    rule('id', id),
    rule('key', '[^\\\\{}()[\\]:. \\t\'"]+'),
  ],
  value: [
    rule('open', open, { push: 'path' }),
    rule('{', `\\{(?:${blank})?`, { push: 'value' }),
    rule('close', closing, { pop: true }),
    rule('quote', "'", { push: 'single-quoted' }),
    rule('quote', '"', { push: 'double-quoted' }),
    rule(',', padded(',')),
    rule('[', `\\[(?:${blank})?`),
    rule(']', `(?:${blank})?\\]`),
    rule(':', padded(':')),
    rule('float', float),
    rule('int', `[+-]?${unsigned}`),
    rule('bool', '[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]'),
    rule('null', '[Nn][Uu][Ll][Ll]'),
    rule('char', '[/\\-\\\\+.$%*@?|]'),
    rule('id', id),
    rule('escape', '(?:\\\\\\\\|\\\\[()[\\]{}:=, \\t])+'),
    rule('blank', blank),
  ],
  'single-quoted': quoted("'"),
  'double-quoted': quoted('"'),
};

/** Returns the tokens up to the first invalid character. `end` is its offset, or the length of the text. */
export function tokenize(text: string, mode: Mode): { tokens: Token[]; end: number } {
  const tokens: Token[] = [];
  const modes: Mode[] = [mode];
  let at = 0;
  while (at < text.length) {
    const current = modes.at(-1);
    const match = current && longest(text, at, rules[current]);
    if (match === undefined) break;
    const { found, length } = match;
    tokens.push({ type: found.type, text: text.slice(at, at + length), start: at });
    at += length;
    if (found.pop === true || found.become !== undefined) modes.pop();
    const next = found.push ?? found.become;
    if (next !== undefined) modes.push(next);
  }
  return { tokens, end: at };
}

function longest(
  text: string,
  at: number,
  candidates: readonly Rule[],
): { found: Rule; length: number } | undefined {
  let best: { found: Rule; length: number } | undefined;
  for (const found of candidates) {
    found.pattern.lastIndex = at;
    const length = found.pattern.exec(text)?.[0].length ?? 0;
    if (length > (best?.length ?? 0)) best = { found, length };
  }
  return best;
}
