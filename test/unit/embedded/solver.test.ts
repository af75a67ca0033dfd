import { describe, expect, it } from 'vitest';
import { evaluate, formatNumber } from '../../../src/backbone/model-tuner/embedded/expression.ts';
import { solve } from '../../../src/backbone/model-tuner/embedded/solver/index.ts';

function answerTo(text: string): string | undefined {
  const solution = solve(text);
  return solution && formatNumber(evaluate(solution.expression));
}

describe('wordings', () => {
  it.each([
    [
      'gain and loss',
      'Joel had 31 marbles. He won 12 in a game and gave 8 of them to Mia. How many marbles does he have now?',
      35,
    ],
    [
      'a gift counts for who receives it',
      'Uma has 9 dolls. Her aunt gives her 4 more dolls. How many dolls does Uma have?',
      13,
    ],
    [
      'nouns left out',
      'A shop sold 14 lamps in May, 9 in June and 7 more in July. How many lamps did it sell in total?',
      30,
    ],
    [
      'number words',
      'Forty-eight children share twelve dozen buns equally. How many buns does each child get?',
      3,
    ],
    ['each', 'Kit buys 4 puzzles for $12 each. How much does Kit spend?', 48],
    ['per in the subject', 'Each crate holds 18 jars. How many jars are in 7 crates?', 126],
    [
      'a rate of a rate',
      'Lou earns $9 an hour and works 4 hours a day. How much does Lou earn in 6 days?',
      216,
    ],
    ['units converted', 'A pump fills 15 liters per minute. How many liters does it fill in 2 hours?', 1800],
    ['implied time', 'A subscription costs $7 per month. How much does it cost in a year?', 84],
    [
      'division by a rate',
      'Gus walks 6 kilometers every day. How many days does he need to walk 54 kilometers?',
      9,
    ],
    ['groups', 'A clerk packs 96 cups in boxes of 8. How many boxes does he need?', 12],
    [
      'comparison forwards',
      'Ada has 3 times as many pens as Bo. Bo has 7 pens. How many pens does Ada have?',
      21,
    ],
    [
      'comparison in a chain',
      'Ada has 5 more pens than Bo. Bo has twice as many pens as Cy. Cy has 6 pens. How many pens does Ada have?',
      17,
    ],
    [
      'comparison solved backwards',
      'Ben and Cleo have 36 cards together. Ben has twice as many cards as Cleo. How many cards does Cleo have?',
      12,
    ],
    ['difference', 'Ivo is 34 years old and Jan is 19. How many years older is Ivo than Jan?', 15],
    [
      'a fraction of what is left',
      'Tess had 60 nuts. She ate 12 and gave half of the remaining nuts to Max. How many nuts does Tess have left?',
      24,
    ],
    ['percent off', 'A $60 bag is sold at a 15% discount. How much does it cost now?', 51],
    ['percent of people', 'In a choir of 50 singers, 30% are men. How many women sing in the choir?', 35],
    ['change', 'Rob buys 3 caps at $11 each and pays with a $50 bill. How much change does he get?', 17],
    [
      'profit',
      'A kiosk buys 20 papers for $2 each and sells them for $3 each. How much profit does it make?',
      20,
    ],
    [
      'an average',
      'Kim read 12, 18 and 24 pages on three days. How many pages did she read per day on average?',
      18,
    ],
    ['area', 'A yard is 14 meters long and 6 meters wide. What is its area?', 84],
    ['perimeter', 'A square field has sides of 25 meters. What is its perimeter?', 100],
    ['saving up', 'A tent costs $120. Finn has $48 and saves $9 a week. How many weeks does he need?', 8],
    [
      'what there was at first',
      'Lea had some coins. She found 7 more and then had 31. How many coins did she have at first?',
      24,
    ],
    [
      'growing day by day',
      'Sid did 10 push-ups on Monday. Every day he did 4 more than the day before. How many did he do on Friday?',
      26,
    ],
  ])('%s', (_name, text, expected) => {
    expect(answerTo(text)).toBe(String(expected));
  });
});
