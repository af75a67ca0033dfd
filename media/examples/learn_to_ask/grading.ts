import type { InitMessage, JudgeHelper } from 'agentjet';

export interface Grade {
  /** 1: asks for one of the facts; 0.1: fits any complaint; 0: leads nowhere. */
  readonly content: number;
  /** 1: one question; 0.5: two; 0: more. */
  readonly format: number;
}

const instructions = [
  'You grade how a doctor asks. You get a conversation; grade nothing but its last line, which is the doctor’s.',
  '',
  'format_score counts the questions in that line: 1.0 for one, 0.5 for two, 0.0 for three or more.',
  '',
  'content_score is about what they ask for:',
  '1.0 - one of the facts below, which the doctor does not know yet;',
  '0.1 - something that could be asked of anyone with any complaint;',
  '0.0 - something that none of the facts answers, or that the patient cannot tell the meaning of.',
  '',
  'Answer with these three tags and nothing around them, each on one line:',
  '<think>your reasons</think>',
  '<format_score>a number</format_score>',
  '<content_score>a number</content_score>',
].join('\n');

/** Only so many questions are at the grader at a time. */
const atMost = limiter(16);

/** Asks the helper LLM. A score that its answer leaves out is 0; one that is no number throws. */
export async function gradeQuestion(
  grader: JudgeHelper,
  dialogue: readonly InitMessage[],
  question: string,
  facts: string,
): Promise<Grade> {
  const answer = await atMost(() =>
    grader.ask([
      { role: 'system', content: `${instructions}\n\nFacts: ${facts}` },
      { role: 'user', content: transcript([...dialogue, { role: 'assistant', content: question }]) },
    ]),
  );
  const scores = tagsOf(answer);
  return { content: score(scores, 'content_score'), format: score(scores, 'format_score') };
}

function transcript(dialogue: readonly InitMessage[]): string {
  const speakers: Readonly<Record<string, string>> = { user: 'patient', assistant: 'doctor' };
  return dialogue
    .filter(({ role }) => Object.hasOwn(speakers, role))
    .map(({ role, content }) => `${String(speakers[role])}: ${content}\n`)
    .join('');
}

/** What stands in `<name>…</name>` on one line, by name; of two with one name the later. */
function tagsOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/<(\w+)>([^\n]*?)<\/\1>/g)].map(([, name = '', value = '']): [string, string] => [
      name,
      value,
    ]),
  );
}

function score(scores: ReadonlyMap<string, string>, name: string): number {
  const text = scores.get(name) ?? '0';
  const value = text.trim() === '' ? NaN : Number(text);
  if (!Number.isFinite(value)) throw new Error(`The grader's ${name} is "${text}", which is no number.`);
  return value;
}

/** Lets only so many tasks run at a time; the others wait for their turn. */
function limiter(most: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running < most) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      // A turn is handed on, so that nobody who comes just now takes it.
      if (next === undefined) running--;
      else next();
    }
  };
}
