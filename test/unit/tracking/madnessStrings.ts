/** Seeded replies, well-formed and degenerate ones; test/tools/vectors/madness.py makes the same. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Random, seededString } from './tokenizer/strings.ts';

interface Cases {
  readonly words: readonly string[];
  readonly blanks: readonly string[];
  readonly marks: readonly string[];
  readonly parts: readonly string[];
  readonly checklists: readonly (readonly string[])[];
  readonly arguments: readonly unknown[];
  readonly toolCalls: readonly (readonly unknown[])[];
  readonly contents: readonly string[];
}

const file = path.join(import.meta.dirname, '../../tools/vectors/madness.json');
export const madnessCases = JSON.parse(readFileSync(file, 'utf8')) as Cases;
const { words, blanks, marks, parts } = madnessCases;

export function madnessString(number: number): string {
  const random = new Random(number);
  return random.choose([prose, wordsAgain, charactersAgain, formatted, formatted])(random);
}

function blank(random: Random): string {
  return random.below(40) === 0 ? random.choose(blanks) : ' ';
}

function joined(random: Random, item: () => string, count: number): string {
  let text = '';
  for (let left = count; left > 0; left--) text += item() + blank(random);
  return text;
}

function prose(random: Random): string {
  const text = joined(random, () => random.choose(words), random.below(12));
  const kind = random.below(6);
  if (kind === 0) return text + random.choose(marks);
  return kind === 1 ? text + seededString(random.below(1_000_000)) : text;
}

function wordsAgain(random: Random): string {
  const few = 1 + random.below(7);
  const text = joined(random, () => words[random.below(few)] ?? '', 5 + random.below(20));
  return random.below(2) === 0 ? prose(random) + text : text;
}

function charactersAgain(random: Random): string {
  const few = 1 + random.below(5);
  let text = '';
  for (let left = 190 + random.below(30); left > 0; left--) text += words[random.below(few)]?.charAt(0) ?? '';
  return random.below(3) === 0 ? text + random.choose(words) : text;
}

function formatted(random: Random): string {
  const made = ['<think>', prose(random), '</think>', '\n', '```python', '\nprint(1)\n', '```'];
  for (let left = random.below(3); left > 0; left--) {
    const at = random.below(made.length);
    const kind = random.below(3);
    if (kind === 0) made[at] = '';
    else if (kind === 1) made[at] = random.choose(parts);
    else made[at] = (made[at] ?? '') + random.choose(parts);
  }
  return blank(random) + made.join('') + blank(random);
}
