/**
 * Answers as the grader LLM would, without a network: `--helper script --helper-script grader.ts`. It reads the facts
 * and the conversation from the request and compares words. A real one is better: `--helper-base-url URL --helper-model
 * NAME`, or the key of DashScope in `DASHSCOPE_API_KEY`.
 */
import type { InitMessage } from 'agentjet';

interface Request {
  readonly messages: readonly InitMessage[];
}

export default function grade({ messages }: Request): string {
  const facts = /^Facts: (.*)$/m.exec(contentOf(messages, 'system'))?.[1] ?? '';
  const conversation = contentOf(messages, 'user');
  const at = conversation.lastIndexOf('doctor: ');
  const question = conversation.slice(at);
  const content = contentScore(question, facts, conversation.slice(0, at));
  const format = formatScores[question.split('?').length - 1] ?? 0;
  return [
    `<think>${reasons[content] ?? ''}</think>`,
    `<format_score>${format.toFixed(1)}</format_score>`,
    `<content_score>${content.toFixed(1)}</content_score>`,
  ].join('\n');
}

/** By the number of questions; any other number of them scores 0. */
const formatScores: Readonly<Record<number, number>> = { 1: 1, 2: 0.5 };

const reasons: Readonly<Record<number, string>> = {
  1: 'It asks for one of the facts.',
  0.1: 'It could be asked of anyone.',
  0: 'It leads to none of the facts.',
};

const fitsAnyone = /\bhow (long|bad)\b|\bsince when\b|\bmild\b|\bworse\b/i;

/** A word of the facts that the conversation has not had before is what the question must come to. */
function contentScore(question: string, facts: string, before: string): number {
  const known = stems(before);
  const unknown = [...stems(facts)].filter((stem) => !known.has(stem));
  const asked = stems(question);
  if (unknown.some((stem) => asked.has(stem))) return 1;
  return fitsAnyone.test(question) ? 0.1 : 0;
}

/** Words of five letters and more, cut to five, so that `swell` and `swelling` are one. */
function stems(text: string): ReadonlySet<string> {
  return new Set((text.toLowerCase().match(/[a-z]{5,}/g) ?? []).map((word) => word.slice(0, 5)));
}

function contentOf(messages: readonly InitMessage[], role: string): string {
  return messages.find((message) => message.role === role)?.content ?? '';
}
