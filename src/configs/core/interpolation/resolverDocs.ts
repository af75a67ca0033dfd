import { omegaconfResolvers } from './resolverNames.ts';

export type ResolverName = (typeof omegaconfResolvers)[number];

/** The arguments and the result of a resolver; `arguments` has placeholders in snippet syntax. */
export interface ResolverDoc {
  readonly name: ResolverName;
  readonly arguments: string;
  readonly text: string;
}

const docs: Readonly<Record<ResolverName, Omit<ResolverDoc, 'name'>>> = {
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
};

export const resolverDocs: readonly ResolverDoc[] = omegaconfResolvers.map((name) => ({
  name,
  ...docs[name],
}));

/** Undefined for one that OmegaConf does not bring. */
export function describeResolver(name: string): string | undefined {
  return resolverDocs.find((doc) => doc.name === name)?.text;
}
