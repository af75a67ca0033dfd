import { isNull, type Value } from '../value.ts';
import { isFailure, parseElement } from './grammar.ts';
import { unresolved, type ResolvedValue, type InterpolationSite, type ResolverHost } from './host.ts';
import { isResolver, type ResolverName } from './resolverDocs.ts';
import { textOfValue } from './pythonText.ts';

type Call = (host: ResolverHost, given: readonly ResolvedValue[], site: InterpolationSite) => ResolvedValue;

/** Calls a resolver of OmegaConf. Reports an unknown name and a wrong number of arguments. */
export function callResolver(
  host: ResolverHost,
  name: string,
  given: () => ResolvedValue[],
  site: InterpolationSite,
): ResolvedValue {
  if (!isResolver(name)) {
    return host.fail(
      site,
      'config/interpolation-resolver',
      `The resolver \`${name}\` is unknown.`,
      'Use `${section.key}`, `${oc.env:NAME,default}` or a plain value.',
    );
  }
  const { takes, call } = resolvers[name];
  const values = given();
  const [fewest, most] = takes;
  if (values.length < fewest || values.length > most) {
    const count = fewest === most ? `${fewest} argument` : `${fewest} to ${most} arguments`;
    return host.fail(site, 'config/interpolation', `\`${name}\` takes ${count}, not ${values.length}.`);
  }
  return call(host, values, site);
}

const environmentVariable: Call = (host, given, site) => {
  const name = textArgument(host, 'oc.env', given, site);
  if (host.environment === 'blocked') {
    return host.fail(
      site,
      'config/environment-blocked',
      `\`${name}\` comes from the environment, which an untrusted workspace cannot read.`,
      'Trust the workspace, or write the value into the config.',
    );
  }
  const value = host.environment(name);
  if (value !== undefined) return textFound(value, site);
  const [, otherwise] = given;
  if (otherwise === undefined) {
    return host.fail(
      site,
      'config/environment-missing',
      `The environment variable \`${name}\` is not set.`,
      `Set it, or give a default: \`\${oc.env:${name},default}\`.`,
    );
  }
  // As in OmegaConf: what the environment has is text, and so is a default, unless it is null.
  return isNull(otherwise.value) ? nullFound(site) : textFound(textOfValue(otherwise.value), site);
};

const decode: Call = (host, given, site) => {
  if (given[0] !== undefined && isNull(given[0].value)) return nullFound(site);
  const text = textArgument(host, 'oc.decode', given, site);
  const element = parseElement(text);
  if (!isFailure(element)) return host.element(element, site);
  const message = `\`oc.decode\` cannot read ${JSON.stringify(text)} as a value.`;
  return host.fail(site, 'config/interpolation', message, 'Put a string in quotes.');
};

const select: Call = (host, given, site) => {
  const path = textArgument(host, 'oc.select', given, site);
  return host.select(path, site, true) ?? given[1] ?? nullFound(site);
};

/** A text, which is YAML to OmegaConf, is not evaluated. */
const create: Call = (host, [given], site) => {
  if (given?.value.kind !== 'scalar') return given ?? nullFound(site);
  const { value } = given.value;
  if (value === null) return nullFound(site);
  if (typeof value === 'string') throw unresolved;
  return host.fail(site, 'config/interpolation', '`oc.create` takes a section, a list or a YAML string.');
};

const keysOf: Call = (host, given, site) => {
  const { entries } = section(host, 'oc.dict.keys', given, site);
  const items = [...entries.keys()].map((key) => textFound(key, site).value);
  return { value: { kind: 'sequence', items, origin: site.origin }, path: undefined };
};

const valuesOf: Call = (host, given, site) => {
  const { entries, path } = section(host, 'oc.dict.values', given, site);
  const items = [...entries].map(([key, value]) => {
    if (value.kind === 'scalar' && value.value === '???') {
      return host.fail(site, 'config/interpolation-missing', `\`${key}\` is \`???\`, so you must set it.`);
    }
    return path === undefined ? value : host.deep(value, [...path, key]);
  });
  return { value: { kind: 'sequence', items, origin: site.origin }, path: undefined };
};

const deprecated: Call = (host, given, site) => {
  const path = textArgument(host, 'oc.deprecated', given, site);
  const message = given[1]?.value;
  if (message !== undefined && (message.kind !== 'scalar' || typeof message.value !== 'string')) {
    return host.fail(
      site,
      'config/interpolation',
      'The second argument of `oc.deprecated` must be a string.',
    );
  }
  return host.select(path, site) ?? notThere(host, path, site);
};

/** `takes`: fewest and most arguments. */
const resolvers: Readonly<Record<ResolverName, { takes: readonly [number, number]; call: Call }>> = {
  'oc.env': { takes: [1, 2], call: environmentVariable },
  'oc.decode': { takes: [1, 1], call: decode },
  'oc.select': { takes: [1, 2], call: select },
  'oc.create': { takes: [1, 1], call: create },
  'oc.dict.keys': { takes: [1, 1], call: keysOf },
  'oc.dict.values': { takes: [1, 1], call: valuesOf },
  'oc.deprecated': { takes: [1, 2], call: deprecated },
};

function section(
  host: ResolverHost,
  name: string,
  given: readonly ResolvedValue[],
  site: InterpolationSite,
): { entries: ReadonlyMap<string, Value>; path: readonly string[] | undefined } {
  const written = textArgument(host, name, given, site);
  const { value, path } = host.select(written, site) ?? notThere(host, written, site);
  if (value.kind === 'mapping') return { entries: value.entries, path };
  const message = `\`${name}\` takes the path of a section, but \`${written}\` is not a section.`;
  return host.fail(site, 'config/interpolation', message, 'Use the path of a section.');
}

function notThere(host: ResolverHost, path: string, site: InterpolationSite): never {
  const message = `\`${path}\` is not in the config.`;
  return host.fail(site, 'config/interpolation-missing', message, 'Correct the path.');
}

function textArgument(
  host: ResolverHost,
  name: string,
  [first]: readonly ResolvedValue[],
  site: InterpolationSite,
): string {
  const value = first?.value;
  if (value?.kind === 'scalar' && typeof value.value === 'string') return value.value;
  const message = `The first argument of \`${name}\` must be a string.`;
  return host.fail(site, 'config/interpolation', message, 'Quote it.');
}

function textFound(value: string, { origin }: InterpolationSite): ResolvedValue {
  return { value: { kind: 'scalar', type: 'string', value, origin }, path: undefined };
}

function nullFound({ origin }: InterpolationSite): ResolvedValue {
  return { value: { kind: 'scalar', type: 'null', value: null, origin }, path: undefined };
}
