import * as z from 'zod/mini';

/**
 * Returns a value that has the schema. Throws an error with one short reason if it does not.
 *
 * @param name of the value in the error
 */
export function checked<T>(schema: z.ZodMiniType<T>, value: unknown, name = 'body'): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Error(`${[name, ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? 'invalid'}`);
}

/** Accepts NaN and infinity, which zod's own numbers do not. */
export const anyNumber = z.custom<number>((value) => typeof value === 'number');
