import { evaluate, type Expression } from '../expression.ts';
import { difference, minus, plus, sum } from './algebra.ts';
import type { Amount } from './amounts.ts';
import type { Question } from './question.ts';
import { narrowed } from './selection.ts';
import type { Candidate, Strategy } from './strategies.ts';

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
  const price = add('cost', 'stock', 'loss');
  const dearer = price !== undefined && surcharge !== undefined ? plus(price, surcharge, 'dollars') : price;
  return {
    funds: add('fund'),
    income: add('gain'),
    costs: dearer !== undefined && discount !== undefined ? minus(dearer, discount, 'dollars') : dearer,
    goal: add('goal'),
    discount,
  };
}

type Proposal = Pick<Candidate, 'weight'> & { readonly expression: Expression | undefined };

function kindsOfQuestion(
  question: Question,
  amounts: readonly Amount[],
  { funds, income, costs, goal, discount }: Books,
): Proposal[] {
  const { has } = question;
  const available = funds && income ? plus(funds, income, 'dollars') : (funds ?? income);
  const price = costs ?? goal;
  const proposals: Proposal[] = [];
  const propose = (expression: Expression | undefined, weight: number): void =>
    void proposals.push({ expression, weight });
  const net = available && price && minus(available, price, 'dollars');
  if (
    has(
      'left',
      'change',
      'remain',
      'remaining',
      'still have',
      'now',
      'left over',
      'get back',
      'receive',
      'have',
    )
  )
    propose(net, 3.5);
  if (has('profit', 'gain', 'loss')) propose(income && costs && difference(income, costs, 'dollars'), 4);
  if (has('save', 'saved', 'saves', 'saving', 'discount')) {
    propose(discount, 2);
    propose(net, 2);
  }
  if (has('need', 'needs', 'short', 'more money', 'needed'))
    propose(available && price && minus(price, available, 'dollars'), 3.5);
  if (
    has(
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
    )
  )
    propose(costs ?? available, 3);
  if (
    has(
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
    )
  )
    propose(income, 3);
  propose(net, 1);
  if (available === undefined && has('left', 'change', 'remain', 'remaining', 'left over'))
    propose(largestMinusRest(amounts), 2.5);
  return proposals;
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
