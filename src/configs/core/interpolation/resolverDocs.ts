/** The resolvers of OmegaConf, which every config can call. `arguments` has placeholders in snippet syntax. */
export const resolverDocs = {
  'oc.env': {
    arguments: '${1:NAME}',
    text: 'The value of an environment variable, as a string. If the variable can be unset, write `oc.env:NAME,default`. Without a default, an unset variable is an error.',
  },
  'oc.decode': {
    arguments: '${1:text}',
    text: 'Parses a string as a YAML value: `${oc.decode:${oc.env:GPUS}}` is a number.',
  },
  'oc.select': {
    arguments: '${1:path}',
    text: 'The value at a path of this config. If the value can be missing, write `oc.select:path,default`.',
  },
  'oc.create': {
    arguments: '${1:value}',
    text: 'Creates a section or a list from the value of another resolver, so that paths can refer to its parts.',
  },
  'oc.dict.keys': { arguments: '${1:path}', text: 'The names in a section, as a list.' },
  'oc.dict.values': { arguments: '${1:path}', text: 'The values in a section, as a list.' },
  'oc.deprecated': {
    arguments: '${1:path}',
    text: 'The value at another path, with a warning that this key is deprecated.',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<'arguments' | 'text', string>>>>;

export type ResolverName = keyof typeof resolverDocs;

export function isResolver(name: string): name is ResolverName {
  return Object.hasOwn(resolverDocs, name);
}

/** The resolvers whose first argument is a path of the config. */
export const pathResolvers: ReadonlySet<string> = new Set<ResolverName>([
  'oc.select',
  'oc.dict.keys',
  'oc.dict.values',
  'oc.deprecated',
]);

/** The resolvers of Hydra whose values are known only when training runs. A composed config cannot use `hydra`. */
export const runtimeResolvers = ['now', 'python_version'] as const;
