/** What the GPUs of a run did while it went on. */
import * as z from 'zod/mini';

export const gpuSample = z.object({
  /** Milliseconds since the Unix epoch, by the host's clock. */
  at: z.number(),
  /** How many looks at the GPUs it is the mean of. */
  looks: z.int().check(z.positive()),
  /** Of the run alone: load in per cent, memory in MiB; null: the driver does not tell. */
  gpus: z.array(
    z.object({
      index: z.int(),
      load: z.nullable(z.number()),
      used: z.nullable(z.number()),
      memory: z.nullable(z.number()),
    }),
  ),
});
export type GpuSample = z.infer<typeof gpuSample>;
