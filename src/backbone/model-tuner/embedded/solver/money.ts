import { evaluate, type Expression } from '../expression.ts';
import { difference, minus, plus, sum } from './algebra.ts';
import type { Amount } from './amounts.ts';
import type { Question } from './question.ts';
import { narrowed } from './selection.ts';
import type { Candidate, Strategy } from './strategy.ts';

/** Questions about money: what is spent, what is earned, what is left. */
export const money: Strategy = (question, world) => {
  if (question.noun !== 'dollar') return [];
  const all = world.amounts.filter(
    ({ noun, kind, comparison }) =>
      noun === 'dollar' && kind !== 'percent' && kind !== 'fraction' && comparison === undefined,
  );
  const amounts = narrowed(question, all);
  const books = keepBooks(amounts);
  return [...kindsOfQuestion(question, amounts, books), ...fallback(question, amounts)].flatMap(
    ({ expression, weight }) => (expression === undefined ? [] : [{ expression, unit: 'dollars', weight }]),
  );
};

interface Books {
  readonly funds: Expression | undefined;
  readonly income: Expression | undefined;
  readonly costs: Expression | undefined;
  readonly goal: Expression | undefined;
  readonly discount: Expression | undefined;
}

function keepBooks(amounts: readonly Amount[]): Books {
  const add = (...roles: readonly string[]): Expression | undefined =>
    sum(
      amounts.filter(({ role }) => roles.includes(role)).map(({ expression }) => expression),
      'dollars',
    );
  const discount = add('discount', 'part');
  const surcharge = add('surcharge');
  const spent = add('cost', 'stock', 'loss');
  // A price that is only changed, not paid, stands beside no other money.
  const isPriced = spent !== undefined || (discount === undefined && surcharge === undefined);
  const price = isPriced ? spent : add('gain', 'fund');
  const dearer = price !== undefined && surcharge !== undefined ? plus(price, surcharge, 'dollars') : price;
  return {
    funds: isPriced ? add('fund') : undefined,
    income: isPriced ? add('gain') : undefined,
    costs: dearer !== undefined && discount !== undefined ? minus(dearer, discount, 'dollars') : dearer,
    goal: add('goal'),
    discount,
  };
}

type Proposal = Pick<Candidate, 'weight'> & { readonly expression: Expression | undefined };

const keepWords = [
  'home',
  'left',
  'change',
  'remain',
  'remaining',
  'still have',
  'now',
  'left over',
  'home',
  'get back',
  'receive',
  'have',
];
const payWords = [
  'cost',
  'costs',
  'spend',
  'spent',
  'spends',
  'pay',
  'paid',
  'pays',
  'price',
  'bill',
  'charge',
  'worth',
  'charged',
  'expense',
];
const earnWords = [
  'earn',
  'earned',
  'earns',
  'make',
  'made',
  'makes',
  'raise',
  'raised',
  'collect',
  'collected',
  'revenue',
  'paid',
  'receive',
  'income',
  'salary',
  'earnings',
  'save',
  'saved',
  'get',
];
const needWords = ['need', 'needs', 'short', 'more money', 'needed'];
const saveWords = ['save', 'saved', 'saves', 'saving', 'discount'];

function kindsOfQuestion({ has }: Question, amounts: readonly Amount[], books: Books): Proposal[] {
  const { funds, income, costs, goal, discount } = books;
  const available = funds && income ? plus(funds, income, 'dollars') : (funds ?? income);
  const price = costs ?? goal;
  const net = available && price && minus(available, price, 'dollars');
  const lacking = available && price && minus(price, available, 'dollars');
  const when = (words: readonly string[], expression: Expression | undefined, weight: number): Proposal[] =>
    has(...words) ? [{ expression, weight }] : [];
  return [
    ...when(keepWords, net, 3.5),
    ...when(['profit', 'gain', 'loss'], income && costs && difference(income, costs, 'dollars'), 4),
    ...when(saveWords, discount, 2),
    ...when(saveWords, net, 2),
    ...when(needWords, lacking, 3.5),
    ...when(payWords, costs ?? available, 3),
    ...when(earnWords, income ?? costs, 3),
    { expression: net, weight: 1 },
    // Nothing but spending is told: what there was at first is the largest amount.
    ...(available === undefined ? when(keepWords.slice(0, 4), largestMinusRest(amounts), 2.5) : []),
  ];
}

function largestMinusRest(amounts: readonly Amount[]): Expression | undefined {
  const [largest, ...rest] = [...amounts].sort((a, b) => evaluate(b.expression) - evaluate(a.expression));
  return (
    largest && rest.reduce((left, amount) => minus(left, amount.expression, 'dollars'), largest.expression)
  );
}

function fallback(question: Question, amounts: readonly Amount[]): Proposal[] {
  const stated = amounts.filter(({ isAsked }) => !isAsked);
  const all = sum(
    stated.map(({ expression }) => expression),
    'dollars',
  );
  const last = stated.at(-1)?.expression;
  return [
    { expression: all, weight: question.has('total', 'altogether', 'in all', 'together') ? 2 : 0.8 },
    { expression: last, weight: stated.length === 1 ? 1.5 : 0.2 },
  ];
}
