/** A reply's text in parts: what the model says to itself, and what it says. */
export interface ReasoningParts {
  readonly reasoning: string;
  /** Whether its end is marked. */
  readonly closed: boolean;
  readonly rest: string;
}

const openings = /^\s*<(think|thinking|thought|reasoning)>/;
/** Templates that begin a reply with the mark leave only its end to the model. */
const closing = /<\/(think|thinking|thought|reasoning)>/;

/** Undefined: the text has no reasoning that is marked as such. */
export function splitReasoning(text: string): ReasoningParts | undefined {
  const opened = openings.exec(text);
  const start = opened?.[0].length ?? 0;
  const body = text.slice(start);
  const end = opened === null ? closing.exec(body) : new RegExp(`</${opened[1] ?? ''}>`).exec(body);
  if (end !== null) {
    const rest = body.slice(end.index + end[0].length);
    return { reasoning: body.slice(0, end.index).trim(), closed: true, rest: rest.replace(/^\s*\n/, '') };
  }
  return opened === null ? undefined : { reasoning: body.trim(), closed: false, rest: '' };
}
