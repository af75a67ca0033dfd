/**
 * Answers in place of a model, so that the example runs without one: it finds a way to the target by trying all of them,
 * and by seed it makes the mistakes that models make.
 */
import { Random } from './random.ts';

interface Request {
  readonly messages: readonly { readonly content?: unknown }[];
}

/** A number, and the expression that it comes from. */
interface Term {
  readonly value: number;
  readonly text: string;
}

/** How an answer is written, with its share of the answers. */
const habits: readonly { readonly share: number; write(solution: string, puzzle: Puzzle): string }[] = [
  { share: 0.55, write: (solution) => `It works like this.\n\\boxed{${solution}}` },
  // The whole equation: the judge wants the expression alone.
  { share: 0.15, write: (solution, { target }) => `So we have\n\\boxed{${solution} = ${target}}` },
  { share: 0.1, write: (solution, { target }) => `The answer is ${solution}, which is ${target}.` },
  { share: 0.1, write: (_, { numbers }) => `Add them all up.\n\\boxed{${numbers.join(' + ')}}` },
  // Signs beyond ASCII, many of them: AgentJet's check for degenerate replies takes offence.
  {
    share: 0.1,
    write: (solution) =>
      `√ ${solution.replaceAll('*', '×').replaceAll('/', '÷')} ≤ ∞ √\n\\boxed{${solution}}`,
  },
];

interface Puzzle {
  readonly target: number;
  readonly numbers: readonly number[];
}

/** `seed` differs from run to run, episode to episode and call to call, and is the same when these are. */
export default function respond(request: Request, { seed }: { readonly seed: number }): string {
  const question = request.messages.at(-1)?.content;
  const puzzle = readPuzzle(typeof question === 'string' ? question : '');
  const terms = puzzle.numbers.map((value) => ({ value, text: String(value) }));
  const solution = reach(puzzle.target, terms) ?? puzzle.numbers.join(' + ');
  let chance = new Random(seed).next();
  const habit = habits.find(({ share }) => (chance -= share) < 0) ?? habits[0];
  return habit?.write(solution, puzzle) ?? solution;
}

function readPuzzle(question: string): Puzzle {
  const target = Number(/Target: (-?\d+)/.exec(question)?.[1]);
  const numbers = /Numbers: ([-\d, ]+)/.exec(question)?.[1]?.split(',').map(Number) ?? [];
  return { target, numbers };
}

/** An expression of all terms that comes to the target: two of them are made one, in every way, until one is left. */
function reach(target: number, terms: readonly Term[]): string | undefined {
  const [first, second] = terms;
  if (first === undefined) return undefined;
  if (second === undefined) return Math.abs(first.value - target) < 1e-9 ? bare(first.text) : undefined;
  for (const left of terms) {
    for (const right of terms) {
      if (left === right) continue;
      const others = terms.filter((term) => term !== left && term !== right);
      for (const joined of join(left, right)) {
        const found = reach(target, [joined, ...others]);
        if (found !== undefined) return found;
      }
    }
  }
  return undefined;
}

function join(left: Term, right: Term): Term[] {
  const text = (sign: string): string => `(${left.text} ${sign} ${right.text})`;
  return [
    { value: left.value + right.value, text: text('+') },
    { value: left.value - right.value, text: text('-') },
    { value: left.value * right.value, text: text('*') },
    ...(right.value === 0 ? [] : [{ value: left.value / right.value, text: text('/') }]),
  ];
}

/** Without the parentheses around all of it. */
function bare(text: string): string {
  return text.startsWith('(') ? text.slice(1, -1) : text;
}
