/**
 * Parses the language of the search field: `reward<0 agent:solver -finding:context-overflow "two words"`. Terms in a row must
 * all match. `or`, `not` (or a minus) and parentheses are supported.
 */
import * as l10n from '@vscode/l10n';
import {
  choiceFields,
  numberFields,
  textFields,
  type ChoiceField,
  type Comparison,
  type Filter,
  type NumberField,
  type TextField,
} from './protocol/traceFilter.ts';

export interface FilterProblem {
  readonly kind:
    /** `text` is not a field. */
    | 'unknown-field'
    /** `text` is not a number such a field can have. */
    | 'no-number'
    /** `text` is not one of the `known` values of the field. */
    | 'unknown-value'
    /** Only numbers can be compared: the field is `text`. */
    | 'not-a-number-field'
    /** Nothing follows. */
    | 'no-value'
    | 'open-quote'
    | 'open-parenthesis'
    | 'unopened-parenthesis';
  readonly text: string;
  readonly known: readonly string[];
  /** Position of its first character, and of the one after its last. */
  readonly from: number;
  readonly to: number;
}

export type ParsedFilter =
  /** Null: everything matches. */
  { readonly filter: Filter | null } | { readonly problem: FilterProblem };

export const fieldNames: readonly string[] = [...numberFields, ...textFields, ...Object.keys(choiceFields)];

export function parseFilter(text: string): ParsedFilter {
  try {
    return { filter: new Parser(text).whole() };
  } catch (error) {
    if (error instanceof Wrong) return { problem: error.problem };
    throw error;
  }
}

class Wrong extends Error {
  readonly problem: FilterProblem;

  constructor(problem: Omit<FilterProblem, 'known'> & { readonly known?: readonly string[] }) {
    super(problem.kind);
    this.problem = { known: [], ...problem };
  }
}

const and = /and(?![^\s()])/iy;
const or = /or(?![^\s()])/iy;
const not = /not(?![^\s()])|-(?=\S)/iy;

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): Filter | null {
    const found = this.#alternatives();
    // Only a closing parenthesis ends the alternatives before the text does.
    if (this.#at < this.#text.length) {
      throw new Wrong({ kind: 'unopened-parenthesis', text: ')', from: this.#at, to: this.#at + 1 });
    }
    return found;
  }

  #alternatives(): Filter | null {
    const first = this.#terms();
    const of = first === null ? [] : [first];
    for (;;) {
      const from = this.#skipBlanks();
      if (this.#take(or) === undefined) break;
      const next = this.#terms();
      if (first === null || next === null) this.#fail('no-value', from, from + 2);
      of.push(next);
    }
    return of.length > 1 ? { kind: 'any', of } : first;
  }

  #terms(): Filter | null {
    const of: Filter[] = [];
    for (let term = this.#term(); term !== null; term = this.#term()) of.push(term);
    return of.length > 1 ? { kind: 'all', of } : (of[0] ?? null);
  }

  #term(): Filter | null {
    const from = this.#skipBlanks();
    if (this.#take(and) !== undefined) return this.#term();
    if (this.#ahead(or) !== undefined) return null;
    if (this.#take(not) !== undefined) {
      return { kind: 'not', of: this.#term() ?? this.#fail('no-value', from, this.#at) };
    }
    if (this.#take(/\(/y) !== undefined) return this.#inParentheses(from);
    return this.#comparison() ?? this.#words();
  }

  #inParentheses(from: number): Filter {
    const found = this.#alternatives();
    this.#skipBlanks();
    if (this.#take(/\)/y) === undefined) this.#fail('open-parenthesis', from, from + 1);
    return found ?? this.#fail('no-value', from, this.#at);
  }

  #comparison(): Filter | null {
    const from = this.#at;
    const written = this.#take(/[a-z]+(<=|>=|!=|<|>|=|:)/iy);
    if (written === undefined) return null;
    const [, name = '', sign = ''] = /^([a-z]+)(.+)$/i.exec(written) ?? [];
    const field = name.toLowerCase();
    if (!fieldNames.includes(field)) {
      throw new Wrong({
        kind: 'unknown-field',
        text: name,
        known: fieldNames,
        from,
        to: from + name.length,
      });
    }
    const valueAt = this.#at;
    const value = this.#value() ?? this.#fail('no-value', from, this.#at);
    const term = { field, sign, value, from, to: this.#at, valueAt };
    return isNumberField(field) ? numberFilter({ ...term, field }) : otherFilter(term);
  }

  #words(): Filter | null {
    const quoted = this.#ahead(/"/y) !== undefined;
    const value = this.#value();
    if (value === undefined) return null;
    return !quoted && value.toLowerCase() === 'error' ? { kind: 'error' } : { kind: 'words', value };
  }

  /** Parses up to the next blank or parenthesis, or a quoted text; undefined: nothing. */
  #value(): string | undefined {
    const from = this.#at;
    if (this.#take(/"/y) === undefined) return this.#take(/[^\s()]+/y);
    const inside = this.#take(/[^"]*/y) ?? '';
    if (this.#take(/"/y) === undefined) this.#fail('open-quote', from, this.#at);
    return inside === '' ? undefined : inside;
  }

  #skipBlanks(): number {
    this.#take(/\s+/y);
    return this.#at;
  }

  #take(pattern: RegExp): string | undefined {
    const found = this.#ahead(pattern);
    this.#at += found?.length ?? 0;
    return found;
  }

  /** @param pattern a sticky expression */
  #ahead(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0];
  }

  #fail(kind: FilterProblem['kind'], from: number, to: number): never {
    throw new Wrong({ kind, text: this.#text.slice(from, to), from, to });
  }
}

interface Term<Field extends string> {
  readonly field: Field;
  readonly sign: string;
  readonly value: string;
  readonly from: number;
  readonly to: number;
  readonly valueAt: number;
}

function numberFilter({ field, sign, value, valueAt, to }: Term<NumberField>): Filter {
  const number = numberOf(value, units[field] ?? {});
  if (number === undefined) throw new Wrong({ kind: 'no-number', text: value, from: valueAt, to });
  const is = sign === ':' ? '=' : (sign as Comparison);
  const exact = number.within === 0 || (is !== '=' && is !== '!=');
  return { kind: 'number', field, is, value: number.value, ...(!exact && { within: number.within }) };
}

function otherFilter({ field, sign, value, from, to, valueAt }: Term<string>): Filter {
  if (!['=', ':', '!='].includes(sign)) {
    throw new Wrong({ kind: 'not-a-number-field', text: field, from, to });
  }
  const found = isChoiceField(field)
    ? choice(field, value, valueAt, to)
    : ({ kind: 'text', field: field as TextField, value } as const);
  return sign === '!=' ? { kind: 'not', of: found } : found;
}

function choice(field: ChoiceField, value: string, from: number, to: number): Filter {
  const known: readonly string[] = choiceFields[field];
  const lower = value.toLowerCase();
  if (!known.includes(lower)) throw new Wrong({ kind: 'unknown-value', text: value, known, from, to });
  return { kind: 'choice', field, value: lower };
}

const share = { '%': 0.01 };
const thousands = { k: 1_000, m: 1_000_000 };
/** The units of numbers by field, with their factors. */
const units: Readonly<Partial<Record<NumberField, Readonly<Record<string, number>>>>> = {
  mask: share,
  solved: share,
  tokens: thousands,
  trainable: thousands,
  time: { ms: 0.001, s: 1, min: 60, h: 3_600 },
};

/** `within` is half of the last digit's place: 0.667 also matches two thirds. Whole numbers match exactly. */
function numberOf(
  text: string,
  factors: Readonly<Record<string, number>>,
): { readonly value: number; readonly within: number } | undefined {
  const [, digits, unit = ''] =
    /^([-+−]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+))([a-z%]*)$/i.exec(text.replaceAll(',', '')) ?? [];
  const factor = unit === '' ? 1 : factors[unit.toLowerCase()];
  if (digits === undefined || factor === undefined) return undefined;
  const places = /\.(\d+)$/.exec(digits)?.[1]?.length ?? 0;
  const value = Number(digits.replace('−', '-')) * factor;
  const exact = value === 0 || (places === 0 && unit === '');
  return { value, within: exact ? 0 : 0.5 * 10 ** -places * factor };
}

function isNumberField(field: string): field is NumberField {
  return (numberFields as readonly string[]).includes(field);
}

function isChoiceField(field: string): field is ChoiceField {
  return Object.hasOwn(choiceFields, field);
}

export function problemText({ kind, text, known, from }: FilterProblem): string {
  const at = from + 1;
  const list = known.join(', ');
  const problems: Readonly<Record<FilterProblem['kind'], string>> = {
    'unknown-field': l10n.t(
      'At character {0}: unknown field “{1}”. Use one of {2}, or put text with a colon in quotes.',
      at,
      text,
      list,
    ),
    'no-number': l10n.t('At character {0}: “{1}” is not a valid number for this field.', at, text),
    'unknown-value': l10n.t(
      'At character {0}: “{1}” is not a valid value of this field. Use one of {2}.',
      at,
      text,
      list,
    ),
    'not-a-number-field': l10n.t(
      'At character {0}: “{1}” is not a numeric field, so it cannot be compared. Use {1}:value.',
      at,
      text,
    ),
    'no-value': l10n.t('At character {0}: a value is missing after “{1}”.', at, text),
    'open-quote': l10n.t('At character {0}: the quote is not closed.', at),
    'open-parenthesis': l10n.t('At character {0}: the parenthesis is not closed.', at),
    'unopened-parenthesis': l10n.t('At character {0}: there is no open parenthesis to close.', at),
  };
  return problems[kind];
}
