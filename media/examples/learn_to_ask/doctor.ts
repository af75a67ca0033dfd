/**
 * Stands in for the model that is trained: `--model script --script doctor.ts`. It knows a few complaints and what to
 * ask about each, and makes a young doctor's mistakes, by the call's seed: two questions at once, one that fits anyone,
 * and stopping too early or not at all. At temperature 0 it makes none.
 */
import type { InitMessage } from 'agentjet';

interface Request {
  readonly messages: readonly InitMessage[];
  readonly temperature?: number | null;
}

interface Complaint {
  readonly about: RegExp;
  readonly questions: readonly string[];
}

const complaints: readonly Complaint[] = [
  {
    about: /\bankle\b/,
    questions: [
      'Can you put your weight on the foot, only a little of it, or none?',
      'Is it swollen, bruised, or neither?',
      'Have you been cooling it, wearing a bandage, or nothing so far?',
    ],
  },
  {
    about: /\bsneez/,
    questions: [
      'Do your eyes itch or water, or are they fine?',
      'Does it come outdoors, indoors, or both?',
      'Does anyone in your family have allergies, or do you not know of any?',
    ],
  },
  {
    about: /\bhead\b|headache/,
    questions: [
      'Is the pain on both sides, on one side, or at the back?',
      'Do you drink less than a litre of water a day, or more?',
      'Do you sleep fewer than six hours, about seven, or more?',
    ],
  },
  {
    about: /\bheartburn\b/,
    questions: [
      'Does it come after large meals, at night, or at any time?',
      'Do you drink coffee in the evening, alcohol, or neither?',
      'Have you taken a remedy such as an antacid, or none yet?',
    ],
  },
];

/** What fits anyone. */
const platitudes = ['How long has it been like that, days or weeks?', 'Is it mild, moderate or severe?'];

const stop = '<stop />';

export default function answer({ messages, temperature }: Request, { seed }: { seed: number }): string {
  const random = randomOf(seed);
  const open = openQuestions(messages);
  const [first = stop, second = platitudes[0]] = open.length > 0 ? shuffled(open, random) : [];
  const platitude = pick(platitudes, random) ?? stop;
  const options =
    open.length > 0
      ? [first, first, `${first} ${second ?? ''}`, platitude, stop]
      : [stop, stop, stop, `${stop} Get well soon.`, platitude];
  return temperature === 0 ? (open[0] ?? stop) : (pick(options, random) ?? stop);
}

/** What to ask about the complaint and has not been asked. */
function openQuestions(messages: readonly InitMessage[]): readonly string[] {
  const said = (role: string): string =>
    messages
      .filter((message) => message.role === role)
      .map(({ content }) => content)
      .join('\n');
  const complaint = complaints.find(({ about }) => about.test(said('user').toLowerCase()));
  const asked = said('assistant');
  return (complaint?.questions ?? []).filter((question) => !asked.includes(question));
}

function shuffled(texts: readonly string[], random: () => number): readonly string[] {
  return texts
    .map((text) => ({ text, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text);
}

function pick<T>(from: readonly T[], random: () => number): T | undefined {
  return from[Math.floor(random() * from.length)];
}

/** Numbers from 0 up to 1, the same ones for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
