/**
 * Stands for the helper LLM, so that the example needs none. A run asks it three things: questions about a chunk of a
 * document, one new query after the model of another, and (in `judge.ts`) what an answer is worth. Give a real one instead
 * with `--helper endpoint --helper-base-url …`.
 */
import { factOf, sentencesOf, type Fact } from './facts.ts';

interface Request {
  readonly messages: readonly { readonly content?: unknown }[];
}

export default function respond({ messages }: Request): string {
  const content = messages.at(-1)?.content;
  const prompt = typeof content === 'string' ? content : '';
  const answer = part(prompt, 'answer');
  if (answer !== undefined) return grade(part(prompt, 'question') ?? '', answer);

  const facts = sentencesOf(part(prompt, 'document') ?? '').flatMap((sentence) => factOf(sentence) ?? []);
  const model = part(prompt, 'query');
  if (model === undefined) {
    const questions = facts.map((fact, at) => ({
      query: queryOf(fact, facts, at),
      related_doc: fact.sentence,
    }));
    return JSON.stringify(questions);
  }
  // Another fact for another model, the same for the same.
  const at = model.length % Math.max(facts.length, 1);
  const fact = facts[at];
  return JSON.stringify({ query: fact === undefined ? model : queryOf(fact, facts, at) });
}

/** A task that is generated for training has nothing but its query: the query must hold what is needed to answer it. */
function queryOf(fact: Fact, facts: readonly Fact[], at: number): string {
  const beside = facts[at + 1] ?? facts[at - 1];
  const passage = [fact, ...(beside === undefined ? [] : [beside])].map(({ sentence }) => sentence);
  if (at % 2 === 1) passage.reverse();
  return `The passage: "${passage.join(' ')}" ${fact.question}`;
}

/** 1 for the right number alone, less where the answer holds others as well, 0 where it lacks the right one. */
function grade(query: string, answer: string): string {
  const facts = sentencesOf(/"(.*)"/.exec(query)?.[1] ?? '').flatMap((sentence) => factOf(sentence) ?? []);
  const right = facts.find(({ question }) => query.endsWith(question))?.answer;
  const given = new Set(answer.match(/\d+/g) ?? []);
  const score = right !== undefined && given.has(right) ? 1 / given.size : 0;
  return `<score>${score}</score>`;
}

function part(prompt: string, tag: string): string | undefined {
  return new RegExp(`<${tag}>\\n(.*?)\\n</${tag}>`, 's').exec(prompt)?.[1];
}
