import type { Environment } from './interpolation/host.ts';
import { Resolver, type ResolverRules } from './interpolation/resolver.ts';
import { runtimeResolvers } from './interpolation/resolverNames.ts';
import type { LocatedProblem } from './finding.ts';
import type { MappingValue } from './value.ts';

export type { Environment } from './interpolation/host.ts';

/**
 * Replaces every `${…}` as OmegaConf does: `${a.b}` from the top, `${.a}` beside the value, one section further up per
 * further dot, `[0]` and `.0` into lists; nested, alone (keeps the type, sections included) or inside a text; and its
 * resolvers `oc.…`. What cannot be resolved is reported and stays as written: an error within the section that training
 * reads, a warning in others, where only a training backbone would ask for it. Texts that are no whole interpolations
 * are left alone here: `readLayer` reports them, as loading a file does.
 */
export function resolveInterpolations(
  root: MappingValue,
  environment: Environment,
  rules: ResolverRules = { section: 'ajet', atRunTime: runtimeResolvers },
): { root: MappingValue; problems: readonly LocatedProblem[] } {
  const resolver = new Resolver(root, environment, rules);
  return { root: resolver.everything(), problems: resolver.problems };
}
