import type { ChatCompletion } from '../model.ts';

/** Shorter ones are too likely to be a part of something else. */
const shortestReplaced = 6;

/**
 * A recorded answer with the ids and hosts of the request that it now answers: what stood at the same place in the
 * recorded request is replaced. A choice that this changes loses its log probabilities and token ids, which were those
 * of another text.
 *
 * @param recorded of the recorded request, `current` of the one to answer: both in order of their placeholders
 */
export function adaptReply(
  completion: ChatCompletion,
  recorded: readonly string[],
  current: readonly string[],
): ChatCompletion {
  const replacements = new Map(
    recorded
      .map((value, at): [string, string] => [value, current[at] ?? value])
      .filter(([from, to]) => from !== to && from.length >= shortestReplaced),
  );
  if (replacements.size === 0) return completion;
  const replace = replacer(replacements);
  const choices = completion.choices.map((choice) => {
    const message = mapTexts(choice.message, replace) as typeof choice.message;
    if (JSON.stringify(message) === JSON.stringify(choice.message)) return choice;
    const rest = Object.entries(choice).filter(([name]) => name !== 'token_ids');
    return { ...(Object.fromEntries(rest) as typeof choice), message, logprobs: null };
  });
  return { ...completion, choices };
}

/** One pass, the longest first, so that nothing is replaced twice. */
function replacer(replacements: ReadonlyMap<string, string>): (text: string) => string {
  const longestFirst = [...replacements.keys()].sort((a, b) => b.length - a.length);
  const any = new RegExp(
    longestFirst.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'),
    'g',
  );
  return (text) => text.replace(any, (found) => replacements.get(found) ?? found);
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, mapTexts(field, change)]));
}
