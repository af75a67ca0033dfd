import * as z from 'zod/mini';
import type { CallSource } from '../../../tracking/core/records/trace.ts';
import type { HttpRequest } from './apis/api.ts';

/**
 * The header with the line of code that made a request, as JSON with non-ASCII characters escaped. The gateway does not
 * pass it on to models.
 */
export const sourceHeader = 'x-agentjet-source';

/** Longer than any path with a line and a name. */
const longest = 8_192;

const sourceSchema: z.ZodMiniType<CallSource> = z.object({
  file: z.string(),
  line: z.int().check(z.gte(1)),
  column: z.nullable(z.int().check(z.gte(1))),
  function: z.nullable(z.string()),
});

export function sourceText(source: CallSource): string {
  const { file, line, column, function: name } = source;
  const json = JSON.stringify({ file, line, column, function: name });
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns undefined if the source is unknown. */
export function sourceOf({
  source,
  headers,
}: Pick<HttpRequest, 'source' | 'headers'>): CallSource | undefined {
  const text = headers[sourceHeader];
  if (source !== undefined || text === undefined || text.length > longest) return source;
  const known = read.get(text);
  if (known !== undefined) return known;
  try {
    const parsed = sourceSchema.safeParse(JSON.parse(text));
    if (!parsed.success) return undefined;
    if (read.size >= mostRead) read.clear();
    read.set(text, parsed.data);
    return parsed.data;
  } catch {
    return undefined; // written by another program
  }
}

/** A workflow has few lines that make calls. */
const read = new Map<string, CallSource>();
const mostRead = 1_000;
