/** Plain sentences of the handbook, and the questions that they answer. */

export interface Fact {
  readonly sentence: string;
  readonly question: string;
  /** The number that answers it. */
  readonly answer: string;
}

type Ask = (...parts: string[]) => string;

/** The sentence's number is the group named `answer`; the other groups, in order, are what the question is made of. */
const patterns: readonly (readonly [pattern: RegExp, ask: Ask])[] = [
  [/^(.+) was (\w+) in (?<answer>\d{4})\.$/, (what, done) => `In which year was ${what} ${done}?`],
  [
    /^(.+) is (?<answer>\d+) (\w+) (\w+)\.$/,
    (what, unit, quality) => `How many ${unit} ${quality} is ${what}?`,
  ],
  [/^(.+) costs (?<answer>\d+) (\w+)\.$/, (what, unit) => `How many ${unit} does ${what} cost?`],
  [/^(.+) has (?<answer>\d+) (\w+)\.$/, (what, things) => `How many ${things} does ${what} have?`],
  [/^(.+) (open|start)s at (?<answer>\d+) o'clock\.$/, (what, verb) => `At what hour does ${what} ${verb}?`],
];

export function sentencesOf(text: string): readonly string[] {
  return text.match(/[A-Z][^.?!\n]*\./g) ?? [];
}

/** Undefined for a sentence that none of the patterns fits. */
export function factOf(sentence: string): Fact | undefined {
  for (const [pattern, ask] of patterns) {
    const match = pattern.exec(sentence);
    const answer = match?.groups?.['answer'];
    if (match === null || answer === undefined) continue;
    const parts = match.slice(1).filter((part) => part !== answer);
    const [what = '', ...rest] = parts;
    return { sentence, question: ask(what.replace(/^(The|A) /, lowered), ...rest), answer };
  }
  return undefined;
}

function lowered(word: string): string {
  return word.toLowerCase();
}
