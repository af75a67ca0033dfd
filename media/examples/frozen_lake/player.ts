/**
 * Answers in place of a model, so that the example runs without one: it reads the map in the last message, knows the
 * shortest way, and by seed it makes the mistakes that small models make.
 */
import { Random } from './random.ts';

interface Request {
  readonly messages: readonly { readonly content?: unknown }[];
}

/** `seed` differs from run to run, episode to episode and call to call, and is the same when these are. */
export default function respond(request: Request, { seed }: { readonly seed: number }): string {
  const random = new Random(seed);
  const prompt = request.messages.at(-1)?.content;
  const map = readMap(typeof prompt === 'string' ? prompt : '');
  const step = nextStep(map) ?? 'Up';
  const chance = random.next();
  if (chance < 0.1) return `The goal is not far from here, so I go ${step}.`; // forgets the backticks
  if (chance < 0.35) {
    const guess = names[random.below(names.length)] ?? step;
    return `I cannot quite tell where the holes are. I try this.\n\`\`\`${guess}\`\`\``;
  }
  return `The shortest way that keeps off the holes goes ${step} now.\n\`\`\`${step}\`\`\``;
}

const names = ['Left', 'Down', 'Right', 'Up'] as const;
type Name = (typeof names)[number];

const moves: readonly (readonly [name: Name, down: number, right: number])[] = [
  ['Left', 0, -1],
  ['Down', 1, 0],
  ['Right', 0, 1],
  ['Up', -1, 0],
];

/** The rows of the map: lines of ` P \t _ \t O \t`. */
function readMap(prompt: string): string[][] {
  const rows = prompt.split('\n').filter((line) => /^(?: \S \t)+$/.test(line));
  return rows.map((row) => row.split('\t').flatMap((cell) => cell.trim() || []));
}

/** The first step of a shortest way from P to G, breadth first. */
function nextStep(map: readonly (readonly string[])[]): Name | undefined {
  const row = map.findIndex((cells) => cells.includes('P'));
  const column = map[row]?.indexOf('P') ?? -1;
  const open: { row: number; column: number; first: Name | undefined }[] = [
    { row, column, first: undefined },
  ];
  const seen = new Set([`${row},${column}`]);
  for (const here of open) {
    for (const [name, down, right] of moves) {
      const next = { row: here.row + down, column: here.column + right, first: here.first ?? name };
      const cell = map[next.row]?.[next.column];
      if (cell === 'G') return next.first;
      const key = `${next.row},${next.column}`;
      if (cell !== '_' || seen.has(key)) continue;
      seen.add(key);
      open.push(next);
    }
  }
  return undefined;
}
