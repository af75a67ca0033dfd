import * as z from 'zod/mini';

export const location = z.object({
  file: z.string(),
  line: z.optional(z.number()),
  column: z.optional(z.number()),
});

export const errorReport = z.object({
  code: z.string(),
  message: z.string(),
  location: z.optional(location),
  hint: z.optional(z.string()),
  userStack: z.optional(z.string()),
  stack: z.optional(z.string()),
});
