/** A request of an `AgentJetJob` in a Python script. It has the whole config, and the reply has the changed one. */
import * as z from 'zod/mini';

const config = z.looseObject({ ajet: z.record(z.string(), z.unknown()) });

const place = {
  job: z.number(),
  /** The line of the script that led to it. */
  file: z.nullable(z.string()),
  line: z.nullable(z.number()),
};

const workflow = z.nullable(z.union([z.string(), z.object({ file: z.string(), name: z.string() })]));

/** The arguments of the class by their names. */
const jobArguments = z.catchall(
  z.object({ base_yaml_config: z.optional(z.string()), ensure_new_experiment: z.optional(z.boolean()) }),
  z.unknown(),
);
export type JobArguments = z.infer<typeof jobArguments>;

export const jobCall = z.discriminatedUnion('op', [
  z.object({
    ...place,
    op: z.literal('config'),
    given: jobArguments,
  }),
  /** Checks that a config may have a key that this one does not have. */
  z.object({ ...place, op: z.literal('check'), key: z.array(z.string()) }),
  z.object({
    ...place,
    op: z.literal('set-data'),
    config,
    type: z.string(),
    path: z.nullable(z.string()),
    splits: z.object({
      trainingSplit: z.optional(z.string()),
      validationSplit: z.optional(z.string()),
      validationPath: z.optional(z.string()),
    }),
  }),
  z.object({ ...place, op: z.literal('load'), path: z.string() }),
  z.object({ ...place, op: z.literal('dump'), config, workflow, path: z.string() }),
  z.object({ ...place, op: z.literal('tune'), config, workflow }),
]);
export type PythonJobCall = z.infer<typeof jobCall>;
