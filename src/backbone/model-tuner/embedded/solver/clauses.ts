import { lastNounPhrase, readSubject, type NounPhrase } from './nounPhrases.ts';
import type { Sentence, Token } from './text.ts';
import { findQuestionVerb, findVerb, type FoundVerb } from './verbPhrases.ts';
import { classOfVerb, type VerbClass } from './verbs.ts';

/** A stretch of a sentence with one main verb. */
export interface Clause {
  readonly tokens: readonly Token[];
  readonly sentence: number;
  readonly subject: NounPhrase | undefined;
  readonly verb: string;
  readonly verbClass: VerbClass;
  /** Position of the main verb; -1: none of its own (it goes on with the verb of the clause before). */
  readonly verbAt: number;
  readonly isPassive: boolean;
  /** Holds the question itself, from its question word on. */
  readonly isQuestion: boolean;
}

const boundaries = new Set([
  ',',
  ';',
  'and',
  'but',
  'then',
  'while',
  'so',
  'if',
  'when',
  'because',
  'who',
  'which',
  'that',
  'where',
  'after',
  'before',
  'until',
  'whereas',
  'although',
  'though',
  ':',
]);

const questionStart = /^(?:how|what|what's|find|calculate|determine|compute)$/;

/** The clauses of a text in order. Pronouns stay as they are. */
export function readClauses(sentences: readonly Sentence[]): Clause[] {
  const clauses: Clause[] = [];
  sentences.forEach((sentence, index) => {
    const [statement, question, condition] = divideQuestion(sentence);
    for (const part of [statement, condition]) {
      for (const tokens of splitClauses(part)) clauses.push(readClause(tokens, index, false, clauses.at(-1)));
    }
    if (question.length > 0) clauses.push(readClause(question, index, true, clauses.at(-1)));
  });
  return clauses.sort((a, b) => Number(a.isQuestion) - Number(b.isQuestion));
}

/** What is stated before the question, the question, and what is stated after it ("…, if each costs $2?"). */
function divideQuestion({ tokens, isQuestion }: Sentence): readonly [Token[], Token[], Token[]] {
  if (!isQuestion) return [[...tokens], [], []];
  const start = tokens.findIndex(({ text }) => questionStart.test(text));
  if (start < 0) return [[], [...tokens], []];
  const after = tokens.slice(start);
  const end = after.findIndex(({ text }, at) => at > 2 && ['if', 'when', 'given', 'assuming'].includes(text));
  const condition = end < 0 ? [] : after.slice(end + 1);
  const hasFacts = condition.some((token) => token.number !== undefined);
  return hasFacts
    ? [tokens.slice(0, start), after.slice(0, end), condition]
    : [tokens.slice(0, start), after, []];
}

function splitClauses(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [];
  let current: Token[] = [];
  tokens.forEach((token, at) => {
    if (boundaries.has(token.text) && current.length > 0 && startsClause(tokens, at, current)) {
      parts.push(current);
      current = [];
      if (token.text === ',' || token.text === 'and' || token.text === ';') return;
    }
    current.push(token);
  });
  if (current.length > 0) parts.push(current);
  return parts.filter((part) => part.some(({ text }) => /\w/.test(text)));
}

function startsClause(tokens: readonly Token[], at: number, current: readonly Token[]): boolean {
  const rest = tokens.slice(at + 1);
  const end = rest.findIndex(({ text }, offset) => offset > 0 && boundaries.has(text));
  const segment = end < 0 ? rest : rest.slice(0, end);
  const hasVerb = findVerb(segment) !== undefined;
  if (!hasVerb) return false;
  if (findVerb(current) === undefined)
    return current.some(({ text }) => ['if', 'when', 'after', 'before'].includes(text));
  return true;
}

/** "get off" and "get on" go different ways. */
function phrasalClass(
  tokens: readonly Token[],
  found: FoundVerb | undefined,
  verb: string,
): VerbClass | undefined {
  const particle = found === undefined ? '' : (tokens[found.at + 1]?.text ?? '');
  if (!['get', 'hop', 'step', 'come', 'go', 'walk', 'check'].includes(verb)) return undefined;
  if (['off', 'out', 'away'].includes(particle)) return 'depart';
  return ['on', 'in', 'into', 'onto', 'aboard'].includes(particle) && verb !== 'go' ? 'arrive' : undefined;
}

function readClause(
  tokens: readonly Token[],
  sentence: number,
  isQuestion: boolean,
  previous: Clause | undefined,
): Clause {
  const found = isQuestion ? findQuestionVerb(tokens) : findVerb(tokens);
  const read = found === undefined ? undefined : readSubject(tokens, found.at, isQuestion);
  const own = read !== undefined && /^(?:who|which|that)$/.test(read.head) ? undefined : read;
  const relative = /^(?:who|which|that)$/.test(tokens[0]?.text ?? '');
  const subject =
    own ??
    (relative ? lastNounPhrase(previous?.tokens ?? []) : undefined) ??
    (isQuestion ? undefined : previous?.subject);
  const verb = found?.verb ?? (isQuestion ? 'be' : (previous?.verb ?? 'be'));
  return {
    tokens,
    sentence,
    subject,
    verb,
    verbClass: phrasalClass(tokens, found, verb) ?? classOfVerb(verb),
    verbAt: found?.at ?? -1,
    isPassive: found?.isPassive ?? false,
    isQuestion,
  };
}
