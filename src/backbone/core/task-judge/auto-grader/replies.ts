/** Readers for a model's response to the grader, which may have several forms. */
import { isRecord } from '../../../../base/core/isRecord.ts';
import { readReply } from '../../task-reader/readReply.ts';

const number = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`;

/**
 * Returns the score in a response: the field `score` of JSON anywhere in it, else the last `<score>`, else the last number.
 * The score of `7/10` and of `7 out of 10` is 7. The content of `<think>` does not count. Returns undefined if there is no
 * score.
 */
export function scoreIn(reply: string): number | undefined {
  const text = spoken(reply);
  const field = fieldIn(text, 'score');
  const isNumber = typeof field === 'number' || (typeof field === 'string' && field.trim() !== '');
  const found =
    (isNumber && Number.isFinite(Number(field)) ? field : undefined) ??
    last(text, new RegExp(String.raw`<score>\s*(${number})\s*(?:/[^<]*)?</score>`, 'gi')) ??
    last(text, new RegExp(String.raw`["']?score["']?\s*:\s*["']?(${number})`, 'gi')) ??
    last(text, new RegExp(String.raw`(?<![\w.])(${number})(?:\s*(?:/|out of)\s*${number})?`, 'gi'));
  const score = Number(found ?? NaN);
  return Number.isFinite(score) ? score : undefined;
}

/** Returns the list `rank` of JSON, or the last list of numbers, if it has `count` from 1 (the best) to `count`. */
export function ranksIn(reply: string, count: number): readonly number[] | undefined {
  const text = spoken(reply);
  const field = fieldIn(text, 'rank');
  const listed = Array.isArray(field) ? field.map(Number) : undefined;
  const lists = [...text.matchAll(/\d+(?:\s*[,\s]\s*\d+)+/g)].map(([list]) =>
    list.split(/[,\s]+/).map(Number),
  );
  const fits = (ranks: readonly number[]): boolean =>
    ranks.length === count && ranks.every((rank) => Number.isInteger(rank) && rank >= 1 && rank <= count);
  return listed !== undefined && fits(listed) ? listed : lists.findLast(fits);
}

/** The rubrics in a reply: the list `rubrics` of JSON, or JSON that is a list. Empty: there are none. */
export function rubricsIn(reply: string): readonly string[] {
  const value = readReply(spoken(reply));
  const list = Array.isArray(value) ? value : fieldOf(value, 'rubrics');
  if (!Array.isArray(list)) return [];
  const texts = list.map((item: unknown) => (typeof item === 'string' ? item.trim() : themed(item)));
  return texts.filter((text) => text !== '');
}

/** Returns the text of a rubric that is a theme with tips. */
function themed(item: unknown): string {
  const theme = fieldOf(item, 'theme');
  const tips = fieldOf(item, 'tips');
  if (typeof theme !== 'string') return '';
  const lines = Array.isArray(tips) ? tips.filter((tip): tip is string => typeof tip === 'string') : [];
  return [theme.trim(), ...lines.map((tip) => `- ${tip.trim()}`)].join('\n');
}

function spoken(reply: string): string {
  return reply.replace(/<think>[^]*?<\/think>/g, '');
}

/** Returns a field of the JSON object that the text is or contains. */
function fieldIn(text: string, name: string): unknown {
  const start = text.indexOf('{');
  return start === -1 ? undefined : fieldOf(readReply(text.slice(start, text.lastIndexOf('}') + 1)), name);
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function last(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(pattern)].at(-1)?.[1];
}
