/** Seeded answers to be scored; test/tools/vectors/judges.py makes the same, and upstream's judges score them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Random, seededString } from '../tracking/tokenizer/strings.ts';

interface Pools {
  readonly words: readonly string[];
  readonly blanks: readonly string[];
  readonly gaps: readonly string[];
  readonly answers: readonly string[];
  readonly insertions: readonly string[];
  readonly powerInsertions: readonly string[];
  readonly specials: readonly (readonly [text: string, numbers: readonly number[], target: number])[];
}

const file = path.join(import.meta.dirname, '../../tools/vectors/judges.json');
const pools = JSON.parse(readFileSync(file, 'utf8')) as Pools;

export interface MathCase {
  readonly answer: string;
  readonly reference: string;
}

export interface CountdownCase {
  readonly answer: string;
  readonly target: unknown;
  readonly numbers: unknown;
}

export function mathCase(number: number): MathCase {
  const random = new Random(number);
  let answer = random.choose(pools.answers);
  if (random.below(2) === 0) answer = String(random.below(100));
  let reference = blank(random) + answer + blank(random);
  for (let left = random.below(3); left > 0; left--) reference = `${prose(random)}####${reference}`;
  const kind = random.below(6);
  if (kind === 0) answer = blank(random) + answer;
  else if (kind === 1) answer += '.0';
  else if (kind === 2) answer = random.choose(pools.answers);
  return { answer: box(random, answer), reference };
}

export function countdownCase(number: number): CountdownCase {
  const random = new Random(number);
  const kind = random.below(10);
  if (kind < 2) {
    const [special, numbers, target] = random.choose(pools.specials);
    const text = random.below(6) === 0 ? change(random, special, pools.powerInsertions) : special;
    return { answer: box(random, text), target, numbers };
  }
  const powers = kind < 4;
  const count = 2 + random.below(powers ? 2 : 3);
  const numbers = Array.from({ length: count }, () => random.below(powers ? 5 : 60));
  const operators = powers ? ['**', '**', '+', '-', '/', '//'] : ['+', '-', '*', '/', '//'];
  const [whole, value] = expression(random, numbers, operators);
  const insertions = powers ? pools.powerInsertions : pools.insertions;
  const text = random.below(4) === 0 ? change(random, whole, insertions) : whole;
  const given =
    random.below(6) === 0 ? changedNumbers(random, numbers) : [...numbers.slice(1), ...numbers.slice(0, 1)];
  return { answer: box(random, text), target: targetOf(random, value), numbers: given };
}

function prose(random: Random): string {
  let text = '';
  for (let left = random.below(5); left > 0; left--) {
    text += random.choose(pools.words) + random.choose(pools.blanks);
  }
  return random.below(8) === 0 ? text + seededString(random.below(1_000_000)) : text;
}

function box(random: Random, text: string): string {
  const boxed = boxOf(random, random.below(20), text);
  return prose(random) + boxed + prose(random);
}

function boxOf(random: Random, kind: number, text: string): string {
  const boxed = `\\boxed{${text}}`;
  switch (kind) {
    case 0:
      return text;
    case 1:
      return `\\boxed{${text}`;
    case 2:
      return `\\boxed {${text}}`;
    case 3:
      return `\\boxed{${prose(random)}}${boxed}`;
    case 4:
      return `${boxed}\\boxed{${prose(random)}}`;
    case 5:
      return `\\\\boxed{{${text}}}`;
    default:
      return boxed;
  }
}

function blank(random: Random): string {
  return random.below(3) === 0 ? random.choose(pools.blanks) : '';
}

function gap(random: Random): string {
  return random.below(6) === 0 ? random.choose(pools.gaps) : '';
}

function apply(operator: string, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '**': {
      let value = 1;
      for (let times = Math.trunc(Math.min(Math.abs(right), 20)); times > 0; times--) value *= left;
      return value;
    }
    default:
      if (right === 0) return 0;
      return operator === '/' ? left / right : Math.floor(left / right);
  }
}

function literal(random: Random, value: number): string {
  const kind = random.below(30);
  if (kind === 0) return `${value}.`;
  if (kind === 1) return `0${value}`;
  return kind === 2 ? `(${value})` : String(value);
}

function expression(
  random: Random,
  [first = 0, ...rest]: readonly number[],
  operators: readonly string[],
): [text: string, value: number] {
  let [text, value] = [literal(random, first), first];
  for (const one of rest) {
    const operator = random.choose(operators);
    let [operand, other] = [literal(random, one), one];
    if (random.below(8) === 0) [operand, other] = [`(-${operand})`, -other];
    if (random.below(3) === 0) {
      text = `${operand}${gap(random)}${operator}${gap(random)}(${text})`;
      value = apply(operator, other, value);
    } else {
      text = `(${text})${gap(random)}${operator}${gap(random)}${operand}`;
      value = apply(operator, value, other);
    }
  }
  return [text, value];
}

function change(random: Random, text: string, insertions: readonly string[]): string {
  const at = random.below(text.length + 1);
  const kind = random.below(3);
  if (kind === 0) return text.slice(0, at) + text.slice(at + 1);
  return text.slice(0, at) + random.choose(insertions) + text.slice(kind === 1 ? at : at + 1);
}

function changedNumbers(random: Random, numbers: readonly number[]): unknown {
  const [first = 0, ...rest] = numbers;
  const changes: readonly (() => unknown)[] = [
    () => rest,
    () => [...numbers, random.below(100)],
    () => [first + 1, ...rest],
    () => numbers.map(String),
    () => [],
    () => null,
    () => [null, ...rest],
    () => [first + 0.5, ...rest],
    () => numbers.join(''),
  ];
  return changes[random.below(9)]?.();
}

function targetOf(random: Random, value: number): unknown {
  if (Math.abs(value) > 1e15) return 24;
  switch (random.below(14)) {
    case 0:
      return value + 1;
    case 1:
      return value + 0.000002;
    case 2:
      return value + 0.00002;
    case 3:
      return null;
    case 4:
      return String(random.below(100));
    default:
      return value;
  }
}
