import * as z from 'zod/mini';
import type { CallSource } from '../../../tracking/core/records/trace.ts';
import { parseJson } from '../../../base/core/parseJson.ts';
import { escapeNonAscii } from './apiKey.ts';
import type { HttpRequest } from './apis/api.ts';

/** The line of code that made a request, as JSON with non-ASCII characters escaped. Models do not get it. */
export const sourceHeader = 'x-agentjet-source';

/** Longer than any path with a line and a name. */
const longest = 8_192;

const sourceSchema: z.ZodMiniType<CallSource> = z.object({
  file: z.string(),
  line: z.int().check(z.gte(1)),
  column: z.nullable(z.int().check(z.gte(1))),
  function: z.nullable(z.string()),
});

export function sourceText({ file, line, column, function: name }: CallSource): string {
  return escapeNonAscii(JSON.stringify({ file, line, column, function: name }));
}

export function sourceOf({
  source,
  headers,
}: Pick<HttpRequest, 'source' | 'headers'>): CallSource | undefined {
  const text = headers[sourceHeader];
  if (source !== undefined || text === undefined || text.length > longest) return source;
  return sourceSchema.safeParse(parseJson(text)).data;
}
