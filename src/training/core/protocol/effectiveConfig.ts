/** The config that a run was started with, as its host keeps it. */
import * as z from 'zod/mini';

/** Characters; in any encoding it is one frame of the wire. */
export const mostOfEffectiveConfig = 1024 * 1024;

export const effectiveConfig = z.object({
  /** YAML: values with where they come from, secrets taken out. */
  text: z.string().check(z.maxLength(mostOfEffectiveConfig)),
});
export type EffectiveConfig = z.infer<typeof effectiveConfig>;
