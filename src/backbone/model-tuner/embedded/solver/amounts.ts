import { number, operation, type Expression } from '../expression.ts';
import type { Clause } from './clauses.ts';
import { readMentions, type Comparison, type Mention } from './mentions.ts';
import { subjectName } from './nounPhrases.ts';
import { isMeasure, isTime, singular } from './nouns.ts';
import { roleOf, type Role } from './roles.ts';
import type { NumberKind, Token } from './text.ts';
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
    const isRelative = /^(?:that|which)$/.test(clause.tokens[0]?.text ?? '');
    const isEntity =
      subject.isName ||
      (!subject.isPlural &&
        !clause.isQuestion &&
        !['each', 'every'].includes(subject.determiner) &&
        !isMeasure(subject.head) &&
        !isTime(subject.head));
    if (isEntity && !isRelative && name !== this.#entity && !clause.isQuestion) {
      this.#earlier = this.#entity;
      this.#entity = subject.isName ? subject.head : name;
    }
    return subject.isName ? subject.head : name;
  }

  #add(mention: Mention, owner: string | undefined, first: number): void {
    const { clause } = mention;
    const inClause = this.amounts.slice(first);
    const noun = this.#nounOf(mention, inClause);
    const target = mention.per === 'each' ? inClause.findLast((amount) => isThing(amount, noun)) : undefined;
    const per = mention.per === 'each' ? (target?.noun ?? this.#eachOf(mention, noun)) : mention.per;
    this.amounts.push({
      expression: mention.value,
      kind: mention.kind,
      noun,
      adjectives: mention.adjectives,
      content: mention.content,
      per: per === noun ? undefined : per,
      softPer: mention.softPer === noun ? undefined : mention.softPer,
      alsoPer: mention.alsoPer,
      owner: countsSubject(mention) ? undefined : owner,
      recipient: this.#recipientOf(mention, owner),
      role: this.#isShareOfStock(mention, noun) ? 'part' : roleOf(mention, noun),
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

  /** What is counted; where the text leaves it out, what was counted before. "" for a share of something. */
  #nounOf(mention: Mention, inClause: readonly Amount[]): string {
    const { noun, kind, before, clause } = mention;
    const group = before.slice(-2).join(' ');
    if (noun === undefined && groupOfPeople.test(group)) return 'person';
    if (noun !== undefined && !placeholders.test(noun)) return dayParts.test(noun) ? 'day' : noun;
    if (kind === 'percent' || kind === 'fraction') return '';
    if (this.#isAboutAge && clause.verb === 'be' && inClause.every((amount) => amount.noun === 'year'))
      return 'year';
    const isPrice = ['cost', 'pay'].includes(clause.verbClass) || clause.verb === 'earn';
    return inClause.length === 0 && isPrice ? 'dollar' : this.#nounBefore(mention, inClause);
  }

  #nounBefore({ isMore, isPart }: Mention, inClause: readonly Amount[]): string {
    const isNamed = (amount: Amount): boolean => amount.noun !== '' && !amount.isImplicit;
    const beside = inClause.findLast((amount) => isNamed(amount) && !isTime(amount.noun));
    const counted = isMore || isPart ? this.amounts.findLast((amount) => isThing(amount)) : undefined;
    const priced = isPart
      ? this.amounts.findLast(({ softPer }) => softPer !== undefined)?.softPer
      : undefined;
    const spoken = this.amounts.findLast(isNamed);
    return beside?.noun ?? counted?.noun ?? priced?.split(' ').at(-1) ?? spoken?.noun ?? '';
  }

  /** "15 apples are rotten", when apples were counted before. */
  #isShareOfStock({ clause, at }: Mention, noun: string): boolean {
    const describes = clause.verb === 'be' && at < clause.verbAt && clause.verbAt - at <= 3;
    return (
      describes && !isMeasure(noun) && this.amounts.some((amount) => amount.noun === noun && !amount.isAsked)
    );
  }

  /** What "each" stands for when no number before it in the clause counts it. */
  #eachOf(mention: Mention, noun: string): string | undefined {
    const counted = this.amounts.findLast((amount) => isThing(amount) && amount.noun !== noun);
    return objectBefore(mention) ?? subjectOf(mention.clause) ?? counted?.noun;
  }

  /** Who is given something: "gives him 5", "sends 5 to Ann". */
  #recipientOf({ clause }: Mention, owner: string | undefined): string | undefined {
    const { tokens, verbAt, verbClass, isPassive } = clause;
    if (isPassive || !['give', 'pay', 'buy'].includes(verbClass) || verbAt < 0) return undefined;
    const isPerson = ({ text, capital }: Token): boolean => capital || /^(?:him|her|them)$/.test(text);
    const next = tokens[verbAt + 1];
    const to = tokens.findIndex(({ text }, at) => at > verbAt && text === 'to');
    const direct = next !== undefined && isPerson(next) ? next : undefined;
    const named = direct ?? (to < 0 ? undefined : tokens.slice(to + 1).find(isPerson));
    if (named === undefined || named.capital) return named?.text;
    return owner === this.#entity ? this.#earlier : this.#entity;
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
    clause.tokens.forEach(({ text }, at) => {
      const noun = singular(text);
      if (!isTime(noun) || dayParts.test(noun) || clause.tokens[at - 1]?.number !== undefined) return;
      const lead = clause.tokens
        .slice(Math.max(0, at - 3), at)
        .map((token) => token.text)
        .join(' ');
      const isOne = (clause.isQuestion ? oneOfTime : spanOfTime).test(lead);
      if (isOne) this.amounts.push(implicitAmount(clause, noun, owner, this.#position++));
    });
  }
}

const groupOfPeople = /^(?:family|group|party|team|crowd|couple|class|crew) of$/;
/** Nouns that only stand for another. */
const placeholders = /^(?:rest|remainder|total|cost|price|discount|off|ones?)$/;
const dayParts = /^(?:morning|evening|night|afternoon)$/;
const oneOfTime = /(?:^|\s)(?:a|an|one|the|this|that|last|next|each|every|per|full|whole|entire|single)$/;
const spanOfTime =
  /(?:^|\s)(?:in|for|during|over) (?:a|an|one|the|that|this|full|whole|entire)(?: (?:full|whole|entire|single))?$/;

/** Something counted by the piece, other than what is spoken of. */
function isThing({ noun, per, isImplicit }: Amount, other?: string): boolean {
  return (
    noun !== '' &&
    noun !== other &&
    !isMeasure(noun) &&
    !isImplicit &&
    (other === undefined || per === undefined)
  );
}

/** "13 children went home": the number belongs to the subject, so that nobody else owns it. */
function countsSubject({ at, clause, isPart, per, before }: Mention): boolean {
  const isAside = before.some((word) => ['by', 'in', 'after'].includes(word));
  return at < clause.verbAt && !isPart && per === undefined && !isAside;
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
