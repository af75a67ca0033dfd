export interface ReasoningParts {
  readonly reasoning: string;
  /** True if the end of the reasoning is marked. */
  readonly closed: boolean;
  readonly rest: string;
}

const openings = /^\s*<(think|thinking|thought|reasoning)>/;
/** If the chat template starts a reply with the opening mark, the model only writes the closing one. */
const closing = /<\/(think|thinking|thought|reasoning)>/;

/** Returns the parts; undefined: the text has no marked reasoning. */
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
