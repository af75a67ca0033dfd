import { attempt } from './attempt.ts';

/** Parses JSON. Returns undefined for text that is not valid JSON. */
export function parseJson(text: string): unknown {
  return attempt<unknown>(() => JSON.parse(text));
}
