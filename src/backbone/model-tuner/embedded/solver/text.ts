import { number, operation, type Expression } from '../expression.ts';
import { singular } from './nouns.ts';
import { verbOf } from './verbs.ts';

/** What a number in the text is. */
export type NumberKind = 'count' | 'money' | 'percent' | 'fraction' | 'times';

export interface Token {
  /** Lower case. */
  readonly text: string;
  /** Begins with a capital letter. */
  readonly capital: boolean;
  readonly number?: { readonly kind: NumberKind; readonly value: Expression };
}

export interface Sentence {
  readonly tokens: readonly Token[];
  readonly isQuestion: boolean;
}

const units =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );

const tens = '_ _ twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

const powers: Readonly<Record<string, number>> = { hundred: 100, thousand: 1000, million: 1_000_000 };

const denominators: Readonly<Record<string, number>> = {
  half: 2,
  halves: 2,
  third: 3,
  quarter: 4,
  fourth: 4,
  fifth: 5,
  sixth: 6,
  seventh: 7,
  eighth: 8,
  ninth: 9,
  tenth: 10,
  twelfth: 12,
  twentieth: 20,
};

const multiples: Readonly<Record<string, number>> = {
  twice: 2,
  double: 2,
  thrice: 3,
  triple: 3,
  quadruple: 4,
  doubled: 2,
  tripled: 3,
};

/** Cuts a text into sentences of tokens, with numbers in words and digits read. */
export function readText(text: string): Sentence[] {
  const lowered = new Set(text.match(/(?<![A-Za-z])[a-z]+/g) ?? []);
  return splitSentences(text)
    .map((sentence) => ({
      tokens: readNumbers(
        tokenize(sentence).map((token, at, all) => unmask(token, at, all[at + 1], lowered)),
      ),
      isQuestion:
        sentence.includes('?') ||
        /^\W*(?:find|calculate|determine|compute|work out|figure out)\b/i.test(sentence),
    }))
    .filter(({ tokens }) => tokens.length > 0);
}

/** A sentence's first word has a capital letter anyway: it is no name if the text has it in lower case as well. */
function unmask(token: Token, at: number, next: Token | undefined, lowered: ReadonlySet<string>): Token {
  if (at > 0 || !token.capital) return token;
  const isPlural = singular(token.text) !== token.text;
  const agrees =
    isPlural && /^(?:are|were|have|come|cost|need|eat|sell|weigh|live|hold)$/.test(next?.text ?? '');
  const isKnown = lowered.has(token.text) || (isPlural && lowered.has(singular(token.text)));
  return isKnown || agrees ? { ...token, capital: false } : token;
}

function splitSentences(text: string): string[] {
  const guarded = text
    .replace(/\b(Mr|Mrs|Ms|Dr|St|Prof|vs|approx|etc|no)\./gi, '$1')
    .replace(/\b([ap])\.m\./gi, '$1m')
    .replaceAll('’', "'");
  return guarded.match(/(?:[^.?!\n]|\.(?=\d))+[.?!]*/g) ?? [];
}

const tokenPattern =
  /\$\s?\d[\d,]*(?:\.\d+)?|\d+(?::\d+)+|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\/\d+|\d+(?:\.\d+)?|\.\d+|[½¼¾⅓⅔]|%|[A-Za-z]+(?:'[a-z]+)?|[,;:()+*/=×-]/g;

function tokenize(sentence: string): Token[] {
  // A hyphen joins words ("twenty-five", "30-minute"); each part is a token of its own.
  const separated = sentence
    .replace(/(?<=[A-Za-z\d])-(?=[A-Za-z])/g, ' ')
    .replace(/(\d)(?=[A-Za-z])/g, '$1 ');
  return (separated.match(tokenPattern) ?? []).map((raw) => ({
    text: raw.toLowerCase(),
    capital: /^[A-Z]/.test(raw),
  }));
}

function readNumbers(tokens: readonly Token[]): Token[] {
  const read: Token[] = [];
  let at = 0;
  while (at < tokens.length) {
    const found = readNumberAt(tokens, at);
    const token = tokens[at];
    if (found !== undefined) {
      const text = tokens
        .slice(at, at + found.length)
        .map((part) => part.text)
        .join(' ');
      read.push({ text, capital: false, number: { kind: found.kind, value: found.value } });
      at += found.length;
    } else {
      if (token !== undefined) read.push(token);
      at++;
    }
  }
  return read;
}

interface Found {
  readonly kind: NumberKind;
  readonly value: Expression;
  readonly length: number;
}

function readNumberAt(tokens: readonly Token[], at: number): Found | undefined {
  const first = tokens[at]?.text ?? '';
  const word = (offset: number): string => tokens[at + offset]?.text ?? '';
  if (first.startsWith('$')) return readMoney(first, word);
  const fraction = readFraction(tokens, at);
  if (fraction !== undefined) return fraction;
  const multiple = multiples[first];
  if (multiple !== undefined) return { kind: 'times', value: number(multiple), length: 1 };
  const dozen = readDozen(tokens, at);
  if (dozen !== undefined) return dozen;
  const plain = readPlain(tokens, at);
  if (plain === undefined) return undefined;
  const { value, length } = plain;
  if (['%', 'percent'].includes(word(length)))
    return { kind: 'percent', value: number(value), length: length + 1 };
  if (word(length) === 'times' || (word(length) === 'fold' && value > 1)) {
    return { kind: 'times', value: number(value), length: length + 1 };
  }
  const part = mixedPart(word(length), word(length + 1), word(length + 2));
  return { kind: 'count', value: number(value + part.value), length: length + part.length };
}

function readMoney(first: string, word: (offset: number) => string): Found {
  const value = Number(first.replace(/[$,\s]/g, ''));
  const power = powers[word(1)];
  return { kind: 'money', value: number(value * (power ?? 1)), length: power === undefined ? 1 : 2 };
}

/** The second half of "2 and a half" or "2 1/2". */
function mixedPart(first: string, second: string, third: string): { value: number; length: number } {
  const denominator = denominators[third];
  if (first === 'and' && ['a', 'one'].includes(second) && denominator !== undefined) {
    return { value: 1 / denominator, length: 3 };
  }
  const digits = /^(\d+)\/(\d+)$/.exec(first);
  return digits === null
    ? { value: 0, length: 0 }
    : { value: Number(digits[1]) / Number(digits[2]), length: 1 };
}

const signs: Readonly<Record<string, readonly [number, number]>> = {
  '½': [1, 2],
  '¼': [1, 4],
  '¾': [3, 4],
  '⅓': [1, 3],
  '⅔': [2, 3],
};

/** "half", "a third", "two thirds", "3/4": never a plain ordinal such as "the third day". */
function readFraction(tokens: readonly Token[], at: number): Found | undefined {
  const word = (offset: number): string => tokens[at + offset]?.text ?? '';
  const sign = signs[word(0)];
  const digits = /^(\d+)\/(\d+)$/.exec(word(0));
  if (sign !== undefined) return fractionOf(sign[0], sign[1], 1);
  if (digits !== null) return fractionOf(Number(digits[1]), Number(digits[2]), 1);
  if (word(0) === 'half') {
    if (word(1) === 'a' && word(2) === 'dozen') return { kind: 'count', value: number(6), length: 3 };
    if (['a', 'an'].includes(word(1)) && ['hour', 'minute', 'day'].includes(word(2))) {
      return { kind: 'count', value: number(0.5), length: 2 };
    }
    return fractionOf(1, 2, 1);
  }
  const top = ['a', 'one'].includes(word(0)) ? 1 : units.indexOf(word(0));
  const noun = word(1);
  const bottom = denominators[noun.endsWith('s') && noun !== 'halves' ? noun.slice(0, -1) : noun];
  if (top < 1 || bottom === undefined) return undefined;
  const isPart =
    top > 1 ||
    ['of', 'as', 'the', 'were', 'are'].includes(word(2)) ||
    (word(0) === 'one' && noun !== 'second');
  return isPart ? fractionOf(top, bottom, 2) : undefined;
}

export function fractionOf(top: number, bottom: number, length: number): Found {
  const value =
    top === 1 ? operation('/', number(1), number(bottom)) : operation('/', number(top), number(bottom));
  return { kind: 'fraction', value, length };
}

function readDozen(tokens: readonly Token[], at: number): Found | undefined {
  const word = (offset: number): string => tokens[at + offset]?.text ?? '';
  if (word(0) === 'a' && word(1) === 'dozen') return { kind: 'count', value: number(12), length: 2 };
  if (
    word(0) === 'dozen' &&
    !['per', 'a', 'each', 'every', 'one', 'the'].includes(tokens[at - 1]?.text ?? '')
  ) {
    return { kind: 'count', value: number(12), length: 1 };
  }
  if (word(0) === 'a' && word(1) === 'couple' && word(2) === 'of')
    return { kind: 'count', value: number(2), length: 3 };
  if (word(0) === 'a' && powers[word(1)] !== undefined) {
    return { kind: 'count', value: number(powers[word(1)] ?? 0), length: 2 };
  }
  const plain = readPlain(tokens, at);
  if (plain === undefined || !['dozen', 'dozens'].includes(word(plain.length))) return undefined;
  const value = operation('*', number(plain.value), number(12));
  return { kind: 'count', value, length: plain.length + 1 };
}

/** Digits or number words; "one" only where it counts something. */
function readPlain(tokens: readonly Token[], at: number): { value: number; length: number } | undefined {
  const first = tokens[at]?.text ?? '';
  if (/^(?:\d[\d,]*(?:\.\d+)?|\.\d+)$/.test(first)) return readDigits(tokens, at);
  if (first === 'one' && isPronounOne(tokens, at)) return undefined;
  let total = 0;
  let current = 0;
  let length = 0;
  for (; at + length < tokens.length; length++) {
    const word = tokens[at + length]?.text ?? '';
    const unit = units.indexOf(word);
    const ten = word === '_' ? -1 : tens.indexOf(word);
    const power = powers[word];
    const joins = word === 'and' && length > 0 && powers[tokens[at + length - 1]?.text ?? ''] !== undefined;
    if (unit >= 0 && (length === 0 || current % 10 === 0)) current += unit;
    else if (ten >= 0 && current % 100 === 0) current += ten * 10;
    else if (power !== undefined && length > 0) {
      current *= power;
      if (power > 100) {
        total += current;
        current = 0;
      }
    } else if (!joins || !units.includes(tokens[at + length + 1]?.text ?? '')) break;
  }
  return length === 0 ? undefined : { value: total + current, length };
}

function readDigits(tokens: readonly Token[], at: number): { value: number; length: number } {
  const value = Number((tokens[at]?.text ?? '').replaceAll(',', ''));
  const power = powers[tokens[at + 1]?.text ?? ''];
  return power === undefined ? { value, length: 1 } : { value: value * power, length: 2 };
}

function isPronounOne(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.text ?? '';
  const after = tokens[at + 1]?.text ?? '';
  return (
    [
      'each',
      'the',
      'that',
      'this',
      'every',
      'which',
      'no',
      'any',
      'new',
      'last',
      'first',
      'second',
      'other',
    ].includes(before) ||
    (verbOf(after) !== undefined && after.endsWith('s')) ||
    ['of', 'who', 'that', 'is', 'has', 'day', ''].includes(after)
  );
}
