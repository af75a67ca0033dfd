import type { Attempt } from './attempt.ts';
import { formatNumber, printExpression, writeSteps } from './expression.ts';

/** A piece of an answer; what the model is not sure of gets a low probability. */
export interface Segment {
  readonly text: string;
  readonly unsure: boolean;
}

export function sure(text: string): Segment {
  return { text, unsure: false };
}

const openings = [
  "Let's work through it step by step.",
  'I will solve this one step at a time.',
  'First I collect what is given, then I calculate.',
  'Going through the problem in order:',
  "Let's see what is known and what is asked.",
  'Step by step:',
  'I start with the numbers in the problem.',
  'Here is how I get there.',
  'Working it out:',
  'Let me reason about this carefully.',
  'I read the problem once more and calculate.',
] as const;

const closings = [
  'The answer is',
  'So the answer is',
  'Therefore the answer is',
  'Hence, the answer is',
] as const;

const ordinals = ['First', 'Next', 'Then', 'After that'] as const;

/** Wordings differ with `variant`: neighbouring numbers never give the same text. */
export function writeSolution(attempt: Attempt, variant: number, wantsBox: boolean): Segment[] {
  const steps = writeSteps(attempt.expression, attempt.wrong);
  const lines = steps.flatMap((step, index): Segment[] => {
    const lead = index === 0 ? 'First' : index === steps.length - 1 ? 'Finally' : cyclic(ordinals, index);
    const unit = step.unit === undefined ? '' : ` ${step.unit}`;
    const unsure = attempt.slipped && (attempt.wrong === undefined || attempt.wrong.index === index);
    return [sure(`\n${lead}, `), { text: step.text, unsure }, sure(`${unit}.`)];
  });
  const result = steps.at(-1)?.value ?? onlyNumber(attempt);
  return [sure(cyclic(openings, variant)), ...lines, ...writeResult(result, attempt.unit, variant, wantsBox)];
}

function onlyNumber({ expression }: Attempt): number {
  return expression.kind === 'number' ? expression.value : Number.NaN;
}

function writeResult(value: number, unit: string | undefined, variant: number, wantsBox: boolean): Segment[] {
  const shown = wantsBox ? `\\boxed{${formatNumber(value)}}` : formatNumber(value);
  const tail = unit === undefined || wantsBox ? '.' : ` ${unit}.`;
  return [sure(`\n${cyclic(closings, variant)} ${shown}${tail}`)];
}

/** What is said beside a tool call. */
export function writePlan(attempt: Attempt, variant: number): Segment[] {
  const shown = printExpression(attempt.expression);
  return [
    sure(`${cyclic(openings, variant)} I need to work out `),
    { text: shown, unsure: attempt.slipped },
    sure('.'),
  ];
}

/** The answer that takes over what a tool worked out. */
export function writeToolResult(
  value: number,
  unit: string | undefined,
  variant: number,
  wantsBox: boolean,
): Segment[] {
  const leads = [
    'The tool returned',
    'According to the tool, the result is',
    'The calculation gives',
  ] as const;
  return [
    sure(`${cyclic(leads, variant)} ${formatNumber(value)}.`),
    ...writeResult(value, unit, variant, wantsBox),
  ];
}

/** The answer when a tool failed: says so and reasons by itself. */
export function writeAfterFailure(
  failure: string,
  attempt: Attempt,
  variant: number,
  wantsBox: boolean,
): Segment[] {
  const reason = failure === '' ? 'nothing' : `"${shorten(failure, 120)}"`;
  return [
    sure(`The tool did not give a number but ${reason}, so I calculate it myself.\n`),
    ...writeSolution(attempt, variant, wantsBox),
  ];
}

/** The answer to what is no word problem, with whatever tools returned. */
export function writeReply(question: string, toolTexts: readonly string[], variant: number): Segment[] {
  const about = shorten(question.trim().replace(/\s+/g, ' '), 160);
  const results = toolTexts.map((text) => text.trim()).filter((text) => text !== '');
  if (results.length > 0) {
    const leads = [
      'Here is what I found',
      'This is what the tool returned',
      'The tool gave me this',
    ] as const;
    const topic = about === '' ? '' : ` for "${about}"`;
    return [
      sure(`${cyclic(leads, variant)}${topic}: ${results.map((text) => shorten(text, 600)).join('\n')}`),
    ];
  }
  if (about === '') return [sure(`${cyclic(greetings, variant)} What would you like me to work out?`)];
  return [
    sure(
      `${cyclic(greetings, variant)} You wrote: "${about}". I am a small built-in model that works out arithmetic ` +
        `word problems; about this I can tell you nothing reliable.`,
    ),
  ];
}

const greetings = [
  'Thanks for the message.',
  'I have read your message.',
  'All right.',
  'Understood.',
  'Noted.',
] as const;

export function shorten(text: string, longest: number): string {
  const characters = Array.from(text);
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`;
}

function cyclic<T>(list: readonly [T, ...T[]], index: number): T {
  return list[index % list.length] ?? list[0];
}
