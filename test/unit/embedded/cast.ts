/** Who and what a generated word problem is about. */

export interface Problem {
  readonly shape: string;
  readonly text: string;
  readonly answer: number;
}

/** A linear congruential generator: the tests must not lean on the code they test. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2654435761 + 12345) % 4294967296;
  }

  roll(low: number, high: number): number {
    this.#state = (this.#state * 1664525 + 1013904223) % 4294967296;
    return low + Math.floor((this.#state / 4294967296) * (high - low + 1));
  }

  of<T>(items: readonly T[]): T {
    const item = items[this.roll(0, items.length - 1)];
    if (item === undefined) throw new RangeError('nothing to choose from');
    return item;
  }
}

export interface Cast {
  readonly dice: Dice;
  readonly a: string;
  readonly b: string;
  readonly c: string;
  readonly he: string;
  readonly his: string;
  readonly thing: string;
  readonly n: (low: number, high: number) => number;
}

const girls = ['Priya', 'Ingrid', 'Chloe', 'Yara', 'Beatriz', 'Mei', 'Samira', 'Freya'];
const boys = ['Tariq', 'Anders', 'Mateo', 'Kofi', 'Dmitri', 'Hiro', 'Callum', 'Rohan'];
const others = ['Wren', 'Ezra', 'Noor', 'Sasha'];
const things = [
  'seashells',
  'postcards',
  'acorns',
  'buttons',
  'lollipops',
  'badges',
  'pebbles',
  'bookmarks',
  'pinecones',
];

export const numberWords = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

export function castOf(dice: Dice): Cast {
  const isGirl = dice.roll(0, 1) === 1;
  return {
    dice,
    a: dice.of(isGirl ? girls : boys),
    b: dice.of(isGirl ? boys : girls),
    c: dice.of(others),
    he: isGirl ? 'she' : 'he',
    his: isGirl ? 'her' : 'his',
    thing: dice.of(things),
    n: (low, high) => dice.roll(low, high),
  };
}

/** Small numbers come as words now and then. */
export function say({ dice }: Cast, value: number): string {
  return value <= 12 && dice.roll(0, 3) === 0 ? (numberWords[value] ?? String(value)) : String(value);
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export type Shape = (cast: Cast) => Omit<Problem, 'shape'>;
