import { number, operation } from '../expression.ts';
import { plus, times } from './algebra.ts';
import type { Amount } from './amounts.ts';
import { plural } from './plurals.ts';
import { measures } from './question.ts';
import type { Strategy } from './strategy.ts';
import type { World } from './world.ts';

/** Rectangles and squares: area, perimeter, and what a square unit or a unit of fence costs. */
export const geometry: Strategy = (question, world) => {
  const { story } = world;
  const asksArea = /\barea\b|\bsquare (?:feet|foot|meters?|yards?|inch(?:es)?|centimeters?|miles?)\b/.test(
    story,
  );
  const asksAround = /\bperimeter\b|\bfenc(?:e|ing)\b|\baround\b/.test(story);
  if (!asksArea && !asksAround) return [];
  const [first, second] = sides(world);
  if (first === undefined) return [];
  const isSide = /\bside\b/.test(question.words.join(' ')) && /\bperimeter\b/.test(story);
  if (isSide && second === undefined) {
    return [
      {
        expression: operation('/', first.expression, number(4), plural(first.noun)),
        unit: plural(first.noun),
        weight: 4,
      },
    ];
  }
  const isSquare = second === undefined && /\bsquare\b/.test(story);
  if (second === undefined && !isSquare) return [];
  const other = second ?? first;
  const unit = plural(first.noun);
  const measure = asksArea
    ? times(first.expression, other.expression, `square ${unit ?? ''}`)
    : isSquare
      ? times(number(4), first.expression, unit)
      : operation('*', plus(first.expression, other.expression, unit), number(2), unit);
  const price = world.rates.find((rate) => rate.per === `square ${first.noun}` || rate.per === first.noun);
  if (price !== undefined) {
    return [
      {
        expression: times(measure, price.expression, plural(price.noun)),
        unit: plural(price.noun),
        weight: 4,
      },
    ];
  }
  return [{ expression: measure, unit: asksArea ? `square ${unit ?? ''}` : unit, weight: 4 }];
};

function sides(world: World): readonly [Amount | undefined, Amount | undefined] {
  const all = [...world.amounts, ...world.factors].filter(
    ({ noun, kind }) => kind === 'count' && measures('length', noun),
  );
  const unique = all.filter(
    (amount, at) => all.findIndex(({ position }) => position === amount.position) === at,
  );
  return [unique[0], unique[1]];
}
