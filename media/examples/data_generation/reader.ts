/**
 * Stands for the model that is tuned, so that the example needs none. It repeats the sentence of the passage that answers
 * the question; now and then it takes another one, or all of them.
 */
import { factOf, sentencesOf } from './facts.ts';

interface Request {
  readonly messages: readonly { readonly content?: unknown }[];
}

/** @param seed another for every run, episode and call; the same when these are */
export default function respond({ messages }: Request, { seed }: { readonly seed: number }): string {
  const content = messages.at(-1)?.content;
  const query = typeof content === 'string' ? content : '';
  const sentences = sentencesOf(/"(.*)"/.exec(query)?.[1] ?? '');
  const right = sentences.find((sentence) => query.endsWith(factOf(sentence)?.question ?? '\0'));
  const luck = seed % 10;
  if (luck < 2) return sentences.join(' ');
  if (luck < 4) return sentences.find((sentence) => sentence !== right) ?? 'I do not know.';
  return right ?? 'The passage does not say.';
}
