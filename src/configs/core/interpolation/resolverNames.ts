/** Resolvers that every config may call; OmegaConf brings them. */
export const omegaconfResolvers = [
  'oc.env',
  'oc.decode',
  'oc.select',
  'oc.create',
  'oc.dict.keys',
  'oc.dict.values',
  'oc.deprecated',
] as const;

/** Those whose first argument is a path of the config. */
export const pathResolvers: ReadonlySet<string> = new Set([
  'oc.select',
  'oc.dict.keys',
  'oc.dict.values',
  'oc.deprecated',
]);

/** Hydra's own; what they give is known only when training runs. `hydra` gives nothing to a config that is composed. */
export const runtimeResolvers = ['now', 'python_version'] as const;
