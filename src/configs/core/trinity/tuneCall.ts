/** The arguments of a script's call of AgentScope's `tune(…)`, as the Python worker passes them on. */
import * as z from 'zod/mini';

const record = z.record(z.string(), z.unknown());

const userFunction = z.object({
  /** Absolute. */
  file: z.string(),
  name: z.string(),
});

export const tuneCall = z.object({
  /** `tune`: as AgentScope 1.0.8 to 1.0.11 have it, of a workflow that returns its reward. */
  package: z.enum(['tuner', 'tune']),
  /** The version of the installed AgentScope, if it does not have the package. */
  agentscopeWithout: z.nullable(z.string()),
  workflow: userFunction,
  judge: z.nullable(userFunction),
  line: z.nullable(z.number()),
  file: z.nullable(z.string()),
  /** By the names of its parameters, each as its class's fields; those that are not given are missing. */
  given: z.object({
    train_dataset: z.optional(record),
    eval_dataset: z.optional(record),
    model: z.optional(record),
    auxiliary_models: z.optional(z.record(z.string(), record)),
    algorithm: z.optional(record),
    project_name: z.optional(z.string()),
    experiment_name: z.optional(z.string()),
    monitor_type: z.optional(z.string()),
    config_path: z.optional(z.string()),
  }),
});
export type TuneCall = z.infer<typeof tuneCall>;

/** Which rows of a data set a script wants to see. */
export const previewCall = z.object({
  path: z.string(),
  name: z.nullable(z.string()),
  split: z.nullable(z.string()),
  rows: z.number(),
});
export type PreviewCall = z.infer<typeof previewCall>;
