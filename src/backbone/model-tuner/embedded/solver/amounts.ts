import { number, operation, type Expression } from '../expression.ts';
import type { Clause } from './clauses.ts';
import { readMentions, type Comparison, type Mention } from './mentions.ts';
import { subjectName } from './nounPhrases.ts';
import { isMeasure, isTime, singular } from './nouns.ts';
import { roleOf, type Role } from './roles.ts';
import type { NumberKind } from './text.ts';
import { mayBeNoun, personalPronouns } from './verbs.ts';

/** A quantity of the story. */
export interface Amount {
  readonly expression: Expression;
  readonly kind: NumberKind;
  readonly noun: string;
  readonly adjectives: readonly string[];
  readonly content: string | undefined;
  readonly per: string | undefined;
  readonly softPer: string | undefined;
  readonly alsoPer: string | undefined;
  readonly owner: string | undefined;
  readonly recipient: string | undefined;
  readonly role: Role;
  readonly verb: string;
  readonly tags: readonly string[];
  readonly isPart: boolean;
  readonly isMore: boolean;
  readonly comparison: Comparison | undefined;
  /** Order in the text. */
  readonly position: number;
  readonly sentence: number;
  readonly clause: Clause;
  readonly isAsked: boolean;
  readonly after: readonly string[];
  readonly before: readonly string[];
  /** The amount that "each" refers to. */
  readonly target: number | undefined;
  /** Stands for "a week" and the like: counts only where no number does. */
  readonly isImplicit: boolean;
}

/** All amounts of the clauses, in the order of the text, with what the text leaves out filled in. */
export function readAmounts(clauses: readonly Clause[]): Amount[] {
  const reader = new AmountReader(
    clauses.some(({ tokens }) => tokens.some(({ text }) => /^(?:old|older|younger|ages?|aged)$/.test(text))),
  );
  for (const clause of clauses) reader.read(clause);
  return reader.amounts;
}

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

class AmountReader {
  readonly amounts: Amount[] = [];
  readonly #isAboutAge: boolean;
  #entity: string | undefined;
  #earlier: string | undefined;
  #position = 0;

  constructor(isAboutAge: boolean) {
    this.#isAboutAge = isAboutAge;
  }

  read(clause: Clause): void {
    const owner = this.#resolveSubject(clause);
    const first = this.amounts.length;
    for (const mention of spreadPer(readMentions(clause))) this.#add(mention, owner, first);
    if (clause.verbClass === 'divide' && (clause.subject?.others.length ?? 0) > 0)
      this.#addSharers(clause, owner);
    this.#addImplicit(clause, owner);
    this.#addWeekdays(clause, owner);
  }

  #resolveSubject(clause: Clause): string | undefined {
    const { subject } = clause;
    if (subject === undefined) return clause.isQuestion ? undefined : this.#entity;
    if (['they', 'we', 'there'].includes(subject.head)) return undefined;
    if (personalPronouns.has(subject.head) || subject.head === 'who') return this.#entity;
    const name = subjectName(subject);
    const isEntity =
      subject.isName ||
      (!subject.isPlural &&
        !clause.isQuestion &&
        !['each', 'every'].includes(subject.determiner) &&
        !isMeasure(subject.head) &&
        !isTime(subject.head));
    if (isEntity && name !== this.#entity && !clause.isQuestion) {
      this.#earlier = this.#entity;
      this.#entity = subject.isName ? subject.head : name;
    }
    return subject.isName ? subject.head : name;
  }

  #add(mention: Mention, owner: string | undefined, first: number): void {
    const inClause = this.amounts.slice(first);
    const noun = this.#nounOf(mention, inClause);
    const target = mention.per === 'each' ? this.#targetOfEach(inClause, noun) : undefined;
    const object = mention.per === 'each' && target === undefined ? objectBefore(mention) : undefined;
    const per =
      mention.per !== 'each'
        ? mention.per
        : (target?.noun ?? object ?? subjectOf(mention.clause) ?? this.#lastCounted(noun));
    const { clause } = mention;
    const countsSubject =
      mention.at < clause.verbAt &&
      !mention.isPart &&
      mention.per === undefined &&
      !mention.before.some((word) => ['by', 'in', 'after'].includes(word));
    this.amounts.push({
      expression: mention.value,
      kind: mention.kind,
      noun,
      adjectives: mention.adjectives,
      content: mention.content,
      per: per === noun ? undefined : per,
      softPer: mention.softPer === noun ? undefined : mention.softPer,
      alsoPer: mention.alsoPer,
      owner: countsSubject ? undefined : owner,
      recipient: this.#recipientOf(mention, owner),
      role: roleOf(mention, noun),
      verb: clause.verb,
      tags: mention.tags,
      isPart: mention.isPart,
      isMore: mention.isMore,
      comparison: mention.comparison,
      position: this.#position++,
      sentence: clause.sentence,
      clause,
      isAsked: clause.isQuestion,
      after: mention.after,
      before: mention.before,
      target: target?.position,
      isImplicit: false,
    });
  }

  #nounOf(mention: Mention, inClause: readonly Amount[]): string {
    if (
      mention.noun === undefined &&
      /^(?:family|group|party|team|crowd|couple|class|crew) of$/.test(mention.before.slice(-2).join(' '))
    )
      return 'person';
    if (
      mention.noun !== undefined &&
      !['rest', 'remainder', 'total', 'cost', 'price', 'discount', 'off', 'one', 'ones'].includes(
        mention.noun,
      )
    )
      return /^(?:morning|evening|night|afternoon)$/.test(mention.noun) ? 'day' : mention.noun;
    if (['percent', 'fraction'].includes(mention.kind)) return mention.noun === undefined ? '' : '';
    const { verbClass, verb } = mention.clause;
    const spoken = this.amounts.findLast(
      (amount) => !amount.isImplicit && amount.noun !== '' && amount.per !== amount.noun,
    );
    if (this.#isAboutAge && verb === 'be' && inClause.every((amount) => amount.noun === 'year'))
      return 'year';
    if (inClause.length === 0 && (verbClass === 'cost' || verbClass === 'pay' || verb === 'earn'))
      return 'dollar';
    const counted =
      inClause.findLast((amount) => !isTime(amount.noun) && amount.noun !== '') ??
      (mention.isMore || mention.isPart
        ? this.amounts.findLast(
            (amount) => !isMeasure(amount.noun) && amount.noun !== '' && !amount.isImplicit,
          )
        : undefined);
    const named = mention.isPart
      ? this.amounts.findLast(({ softPer }) => softPer !== undefined)?.softPer
      : undefined;
    return counted?.noun ?? named?.split(' ').at(-1) ?? spoken?.noun ?? '';
  }

  /** "two books for $12 each": the last thing counted before; else the last thing spoken of. */
  #targetOfEach(inClause: readonly Amount[], noun: string): Amount | undefined {
    const isTarget = (amount: Amount): boolean =>
      amount.noun !== noun && !isMeasure(amount.noun) && amount.noun !== '' && amount.per === undefined;
    return inClause.findLast(isTarget);
  }

  #lastCounted(noun: string): string | undefined {
    const isTarget = (amount: Amount): boolean =>
      amount.noun !== noun && !isMeasure(amount.noun) && amount.noun !== '';
    return this.amounts.findLast(isTarget)?.noun;
  }

  #recipientOf(mention: Mention, owner: string | undefined): string | undefined {
    const { tokens, verbAt, verbClass, isPassive } = mention.clause;
    if (isPassive || !['give', 'pay', 'buy'].includes(verbClass) || verbAt < 0) return undefined;
    const next = tokens[verbAt + 1];
    const direct =
      next !== undefined &&
      (next.capital || personalPronouns.has(next.text) || /^(?:him|her|them)$/.test(next.text))
        ? next
        : undefined;
    const to = tokens.findIndex(({ text }, at) => at > verbAt && text === 'to');
    const named =
      direct ??
      (to < 0
        ? undefined
        : tokens.slice(to + 1).find(({ text, capital }) => capital || /^(?:him|her)$/.test(text)));
    if (named !== undefined) {
      if (!/^(?:him|her|them|his)$/.test(named.text)) return named.text;
      return owner === this.#entity ? this.#earlier : this.#entity;
    }
    return undefined;
  }

  /** "from Monday to Friday": five days. */
  #addWeekdays(clause: Clause, owner: string | undefined): void {
    const words = clause.tokens.map(({ text }) => text);
    const at = words.findIndex(
      (word, index) => weekdays.includes(word) && /^(?:to|through|until)$/.test(words[index + 1] ?? ''),
    );
    const from = weekdays.indexOf(words[at] ?? '');
    const to = weekdays.indexOf(words[at + 2] ?? '');
    if (at < 0 || to < from) return;
    this.amounts.push({
      ...implicitAmount(clause, 'day', owner, this.#position++),
      expression: number(to - from + 1),
    });
  }

  /** "Anna, Bella and Clara share": three people. */
  #addSharers(clause: Clause, owner: string | undefined): void {
    const count = (clause.subject?.others.length ?? 0) + 1;
    this.amounts.push({
      ...implicitAmount(clause, 'person', owner, this.#position++),
      expression: number(count),
    });
  }

  /** "in a week", "for a year": one of them, should nothing else be counted. */
  #addImplicit(clause: Clause, owner: string | undefined): void {
    const { tokens } = clause;
    tokens.forEach((token, at) => {
      if (
        !isTime(singular(token.text)) ||
        /^(?:morning|afternoon|evening|night)/.test(token.text) ||
        tokens[at - 1]?.number !== undefined
      )
        return;
      const lead = tokens
        .slice(Math.max(0, at - 3), at)
        .map(({ text }) => text)
        .join(' ');
      if (
        !/(?:^|\b)(?:in|for|during|over|of|per|each|after)? ?(?:a|an|one|the|this|that|last|next|each|every|per|full|whole|entire|single)$/.test(
          lead,
        )
      )
        return;
      if (
        !clause.isQuestion &&
        !/(?:in|for|during|over) (?:a|an|one|the|that|this|full|whole|entire)/.test(lead)
      )
        return;
      this.amounts.push(implicitAmount(clause, singular(token.text), owner, this.#position++));
    });
  }
}

/** In "3 parrots and 2 finches in each cage" both are for each cage. */
function spreadPer(mentions: readonly Mention[]): Mention[] {
  return mentions.reduceRight<Mention[]>((later, mention) => {
    const per = later[0]?.per;
    const isListed = mention.after.includes('and') || mention.after.includes(',');
    const isOpen = mention.per === undefined && mention.noun !== undefined && mention.noun !== 'dollar';
    const isSpread =
      per !== undefined &&
      per !== 'each' &&
      isOpen &&
      isListed &&
      mention.noun !== per &&
      later[0]?.noun !== 'dollar';
    return [isSpread ? { ...mention, per } : mention, ...later];
  }, []);
}

function implicitAmount(clause: Clause, noun: string, owner: string | undefined, position: number): Amount {
  return {
    expression: number(1),
    kind: 'count',
    noun,
    adjectives: [],
    content: undefined,
    per: undefined,
    softPer: undefined,
    alsoPer: undefined,
    owner,
    recipient: undefined,
    role: 'stock',
    verb: clause.verb,
    tags: [],
    isPart: false,
    isMore: false,
    comparison: undefined,
    position,
    sentence: clause.sentence,
    clause,
    isAsked: clause.isQuestion,
    after: [],
    before: [],
    target: undefined,
    isImplicit: true,
  };
}

/** "sells apples for $2 each": the last thing in the plural before the number. */
function objectBefore({ clause, at }: Mention): string | undefined {
  const object = clause.tokens
    .slice(clause.verbAt + 1, at)
    .findLast(({ text, number: value }) => value === undefined && mayBeNoun(text) && singular(text) !== text);
  return object === undefined ? undefined : singular(object.text);
}

function subjectOf({ subject }: Clause): string | undefined {
  return subject === undefined || subject.isName || !subject.isPlural ? undefined : subjectName(subject);
}

/** Cents become dollars where the text has both. */
export function unifyMoney(amounts: readonly Amount[]): Amount[] {
  if (!amounts.some(({ noun }) => noun === 'dollar')) return [...amounts];
  return amounts.map((amount) =>
    amount.noun === 'cent'
      ? { ...amount, noun: 'dollar', expression: operation('/', amount.expression, number(100), 'dollars') }
      : amount,
  );
}
