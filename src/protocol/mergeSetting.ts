import * as z from 'zod/mini';

/** What of the config decides about timelines. */
export const mergeSetting = z.object({
  compareLevel: z.enum(['text', 'token']),
  ignoreTools: z.boolean(),
  fixesDrift: z.boolean(),
});
export type MergeSetting = z.infer<typeof mergeSetting>;

/** Of requests about timelines: those that this setting would have given; absent: the run's own. */
export const bySetting = { setting: z.optional(mergeSetting) };
