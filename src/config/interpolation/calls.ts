import { parseConfig } from '../parse.ts';
import { fromNode, type Value } from '../value.ts';
import { isFailure, parseElement } from './grammar.ts';
import type { Found, Place, ResolverHost } from './host.ts';
import { omegaconfResolvers } from './resolverNames.ts';
import { quoted, textOfFound, textOfValue } from './pythonText.ts';

type Call = (host: ResolverHost, given: readonly Found[], place: Place) => Found;

interface KnownResolver {
  /** Fewest and most arguments. */
  readonly takes: readonly [number, number];
  readonly call: Call;
}

const resolvers: Readonly<Record<(typeof omegaconfResolvers)[number], KnownResolver>> = {
  'oc.env': { takes: [1, 2], call: environmentVariable },
  'oc.decode': { takes: [1, 1], call: decode },
  'oc.select': { takes: [1, 2], call: select },
  'oc.create': { takes: [1, 1], call: create },
  'oc.dict.keys': { takes: [1, 1], call: keysOf },
  'oc.dict.values': { takes: [1, 1], call: valuesOf },
  'oc.deprecated': { takes: [1, 2], call: deprecated },
};

/** Calls one of OmegaConf's own resolvers; reports a name that is none of them, and arguments that do not fit. */
export function callResolver(host: ResolverHost, name: string, given: () => Found[], place: Place): Found {
  const known = omegaconfResolvers.find((one) => one === name);
  if (known === undefined) {
    return host.fail(
      place,
      'config/interpolation-resolver',
      `The resolver \`${name}\` is not known here.`,
      'Use `${section.key}`, `${oc.env:NAME,default}` or a plain value.',
    );
  }
  const { takes, call } = resolvers[known];
  const values = given();
  const [fewest, most] = takes;
  if (values.length < fewest || values.length > most) {
    const count = fewest === most ? `${fewest} argument` : `${fewest} to ${most} arguments`;
    return host.fail(place, 'config/interpolation', `\`${name}\` takes ${count}, not ${values.length}.`);
  }
  return call(host, values, place);
}

function environmentVariable(host: ResolverHost, given: readonly Found[], place: Place): Found {
  const name = textArgument(host, 'oc.env', given, place);
  if (host.environment === 'blocked') {
    return host.fail(
      place,
      'config/environment-blocked',
      `\`${name}\` comes from the environment, which an untrusted workspace may not read.`,
      'Trust the workspace, or write the value into the config.',
    );
  }
  const value = host.environment(name);
  if (value !== undefined) return textFound(value, place);
  const [, otherwise] = given;
  if (otherwise === undefined) {
    return host.fail(
      place,
      'config/environment-missing',
      `The environment variable \`${name}\` is not set.`,
      `Set it, or give a default: \`\${oc.env:${name},default}\`.`,
    );
  }
  // As in OmegaConf: what the environment has is text, and so is a default, unless it is null.
  return isNull(otherwise) ? nullFound(place) : textFound(textOfFound(otherwise), place);
}

function decode(host: ResolverHost, given: readonly Found[], place: Place): Found {
  if (isNull(given[0])) return nullFound(place);
  const text = textArgument(host, 'oc.decode', given, place);
  const element = parseElement(text);
  if (!isFailure(element)) return host.element(element, place);
  const message = `\`oc.decode\` cannot read ${JSON.stringify(text)} as a value.`;
  return host.fail(place, 'config/interpolation', message, 'Quote what is meant as a text.');
}

function select(host: ResolverHost, given: readonly Found[], place: Place): Found {
  const path = textArgument(host, 'oc.select', given, place);
  return host.select(path, place, true) ?? given[1] ?? nullFound(place);
}

function create(host: ResolverHost, [given]: readonly Found[], place: Place): Found {
  if (given?.value.kind !== 'scalar') return given ?? nullFound(place);
  const { value } = given.value;
  if (value === null) return nullFound(place);
  if (typeof value === 'string') return createFromText(host, value, place);
  return host.fail(place, 'config/interpolation', '`oc.create` takes a section, a list or a YAML text.');
}

/** A text that is nothing more has itself as its only key. */
function createFromText(host: ResolverHost, text: string, place: Place): Found {
  const { root, lines, problems } = parseConfig(text);
  const read = root && fromNode(root, { file: '', lines }, () => undefined);
  const refused =
    problems.length > 0 || /^\s*[%@`]/.test(text) || (read?.kind === 'scalar' && read.type !== 'string');
  if (refused) {
    return host.fail(
      place,
      'config/interpolation',
      `\`oc.create\` cannot read ${JSON.stringify(text)} as YAML.`,
    );
  }
  if (read !== undefined && read.kind !== 'scalar') return { value: read, path: undefined };
  const entries = read === undefined ? [] : [[textOfValue(read), nullFound(place).value] as const];
  return { value: { kind: 'mapping', entries: new Map(entries), origin: place.origin }, path: undefined };
}

function keysOf(host: ResolverHost, given: readonly Found[], place: Place): Found {
  const { entries } = section(host, 'oc.dict.keys', given, place);
  const items = [...entries.keys()].map((key) => textFound(key, place).value);
  return { value: { kind: 'sequence', items, origin: place.origin }, path: undefined };
}

function valuesOf(host: ResolverHost, given: readonly Found[], place: Place): Found {
  const { entries, path } = section(host, 'oc.dict.values', given, place);
  const items = [...entries].map(([key, value]) => {
    if (value.kind === 'scalar' && value.value === '???') {
      return host.fail(
        place,
        'config/interpolation-missing',
        `\`${key}\` is \`???\`: it is still to be set.`,
      );
    }
    return path === undefined ? value : host.deep(value, [...path, key]);
  });
  // Each of them is an interpolation of its own, which is what stands in a text.
  const from = textArgument(host, 'oc.dict.values', given, place).replace(/^(?=\.)/, '.');
  const shown = [...entries.keys()].map((key) => quoted(`\${${from}.${key}}`)).join(', ');
  const value = { kind: 'sequence', items, origin: place.origin } as const;
  return { value, path: undefined, shown: `[${shown}]` };
}

function deprecated(host: ResolverHost, given: readonly Found[], place: Place): Found {
  const path = textArgument(host, 'oc.deprecated', given, place);
  const message = given[1]?.value;
  if (message !== undefined && (message.kind !== 'scalar' || typeof message.value !== 'string')) {
    return host.fail(
      place,
      'config/interpolation',
      'The second argument of `oc.deprecated` has to be a text.',
    );
  }
  return host.select(path, place) ?? notThere(host, path, place);
}

function section(
  host: ResolverHost,
  name: string,
  given: readonly Found[],
  place: Place,
): { entries: ReadonlyMap<string, Value>; path: readonly string[] | undefined } {
  const written = textArgument(host, name, given, place);
  const { value, path } = host.select(written, place) ?? notThere(host, written, place);
  if (value.kind === 'mapping') return { entries: value.entries, path };
  const message = `\`${name}\` takes the path of a section, which \`${written}\` is not.`;
  return host.fail(place, 'config/interpolation', message, 'Name a section.');
}

function notThere(host: ResolverHost, path: string, place: Place): never {
  const message = `\`${path}\` is not in the config.`;
  return host.fail(place, 'config/interpolation-missing', message, 'Correct the path.');
}

function textArgument(host: ResolverHost, name: string, [first]: readonly Found[], place: Place): string {
  const value = first?.value;
  if (value?.kind === 'scalar' && typeof value.value === 'string') return value.value;
  const message = `The first argument of \`${name}\` has to be a text.`;
  return host.fail(place, 'config/interpolation', message, 'Quote it.');
}

function isNull(found: Found | undefined): boolean {
  return found?.value.kind === 'scalar' && found.value.value === null;
}

function textFound(value: string, { origin }: Place): Found {
  return { value: { kind: 'scalar', type: 'string', value, origin }, path: undefined };
}

function nullFound({ origin }: Place): Found {
  return { value: { kind: 'scalar', type: 'null', value: null, origin }, path: undefined };
}
