import type { LocatedProblem } from '../finding.ts';
import { isSettled, type MappingValue, type ScalarPart, type SequenceValue, type Value } from '../value.ts';
import { callResolver } from './calls.ts';
import {
  Unresolved,
  unresolved,
  type Environment,
  type ResolvedValue,
  type InterpolationSite,
  type ResolverHost,
} from './host.ts';
import { isFailure, parseText, type Element, type Interpolation, type Template } from './grammar.ts';
import { absolutePath } from './path.ts';
import { textOfValue } from './pythonText.ts';
import { runtimeResolvers } from './resolverDocs.ts';

export interface ResolverRules {
  /** The section in which a failure is an error; elsewhere it is a warning. Undefined: an error anywhere. */
  readonly section: string | undefined;
  /** Resolvers whose values are known only when training runs; they stay as written. */
  readonly atRunTime: readonly string[];
}

/** Maximum chain of interpolations, length of a text, and number of values that all interpolations make. */
const limits = { depth: 100, text: 1_000_000, values: 100_000 };

type Path = readonly string[];

/**
 * Replaces every `${…}` as OmegaConf does. `${a.b}` starts at the top, `${.a}` in the section of the value, and each
 * further dot goes one section up. `[0]` and `.0` index lists. An interpolation that is the whole value keeps its
 * type. Resolvers are OmegaConf's `oc.…`.
 *
 * Unresolved interpolations are reported and stay unchanged. They are errors in the section that training reads, and
 * warnings elsewhere. Malformed interpolations are skipped, because `readLayer` reports them.
 */
export function resolveInterpolations(
  root: MappingValue,
  environment: Environment,
  rules: ResolverRules = { section: 'ajet', atRunTime: runtimeResolvers },
): { root: MappingValue; problems: readonly LocatedProblem[] } {
  const resolver = new Resolver(root, environment, rules);
  return { root: resolver.everything(), problems: resolver.problems };
}

export class Resolver implements ResolverHost {
  readonly problems: LocatedProblem[] = [];
  readonly environment: Environment;
  readonly #root: MappingValue;
  readonly #rules: ResolverRules;
  readonly #found = new Map<string, ResolvedValue | undefined>();
  readonly #underWay = new Set<string>();
  readonly #whole = new Map<string, Value>();
  readonly #expanding = new Set<string>();
  readonly #sizes = new WeakMap<Value, number>();
  #values = 0;

  constructor(root: MappingValue, environment: Environment, rules: ResolverRules) {
    this.#root = root;
    this.environment = environment;
    this.#rules = rules;
  }

  everything(): MappingValue {
    return this.#mapping(this.#root, []);
  }

  /** The value of one place with everything in it resolved; the same object where there is nothing to resolve. */
  deep(value: Value, path: Path): Value {
    if (value.kind === 'mapping') return this.#mapping(value, path);
    if (value.kind === 'sequence') return this.#sequence(value, path);
    return isInterpolation(value) ? this.#expanded(value, path) : value;
  }

  #mapping(value: MappingValue, path: Path): MappingValue {
    let entries: Map<string, Value> | undefined;
    for (const [key, child] of value.entries) {
      if (isSettled(child) || (child.kind === 'scalar' && !isInterpolation(child))) continue;
      const resolved = this.deep(child, [...path, key]);
      if (resolved !== child) (entries ??= new Map(value.entries)).set(key, resolved);
    }
    return entries === undefined ? value : { ...value, entries };
  }

  #sequence(value: SequenceValue, path: Path): SequenceValue {
    const items = value.items.map((item, index) => {
      return isSettled(item) ? item : this.deep(item, [...path, String(index)]);
    });
    return items.every((item, index) => item === value.items[index]) ? value : { ...value, items };
  }

  /** An interpolation with everything that it brings in; as written where that fails. */
  #expanded(scalar: ScalarPart, path: Path): Value {
    const id = path.join('\0');
    const known = this.#whole.get(id);
    if (known !== undefined) return known;
    const site = { path, origin: scalar.origin };
    let value: Value = scalar;
    try {
      const found = this.follow(scalar, path);
      if (this.#expanding.has(id)) this.#failCycle(site, 'includes itself');
      if (this.#expanding.size >= limits.depth) this.#failDepth(site);
      this.#expanding.add(id);
      try {
        const whole = found.path === undefined ? found.value : this.deep(found.value, found.path);
        value = this.#take(whole, site);
      } finally {
        this.#expanding.delete(id);
      }
    } catch (error) {
      // The failure has been reported where it happened.
      if (!(error instanceof Unresolved)) throw error;
    }
    if (!this.#expanding.has(id)) this.#whole.set(id, value);
    return value;
  }

  /** Resolves a text with interpolations, through any number of others; returns other values unchanged. */
  follow(scalar: ScalarPart, path: Path): ResolvedValue {
    if (!isInterpolation(scalar)) return { value: scalar, path };
    const id = path.join('\0');
    if (this.#found.has(id)) return this.#found.get(id) ?? unknown();
    const site = { path, origin: scalar.origin };
    if (this.#underWay.has(id)) this.#failCycle(site, 'refers to itself');
    if (this.#underWay.size >= limits.depth) this.#failDepth(site);
    this.#underWay.add(id);
    let found: ResolvedValue | undefined;
    try {
      const template = parseText(String(scalar.value));
      found = isFailure(template) ? unknown() : this.#template(template, site);
      return found;
    } finally {
      this.#underWay.delete(id);
      this.#found.set(id, found);
    }
  }

  #template(template: Template, site: InterpolationSite): ResolvedValue {
    const [only] = template;
    if (template.length === 1 && typeof only === 'object') return this.#interpolate(only, site);
    return this.#made(this.#text(template, site), site);
  }

  #made(text: string, { origin }: InterpolationSite): ResolvedValue {
    return { value: { kind: 'scalar', type: 'string', value: text, origin }, path: undefined };
  }

  #text(template: Template, site: InterpolationSite): string {
    let text = '';
    for (const part of template) {
      text += typeof part === 'string' ? part : this.#textOf(this.#interpolate(part, site));
      if (text.length > limits.text) {
        this.fail(site, 'config/interpolation', 'Interpolations make this text too long.');
      }
    }
    return text;
  }

  /** A section or list that a resolver made is not evaluated within a text. */
  #textOf({ value, path }: ResolvedValue): string {
    return value.kind === 'scalar' || path !== undefined ? textOfValue(value) : unknown();
  }

  #interpolate(interpolation: Interpolation, around: InterpolationSite): ResolvedValue {
    const { start, end } = interpolation;
    const site = { ...around, inside: around.inside ?? { start, end } };
    if (interpolation.kind === 'call') {
      const name = this.#name(interpolation.name, site);
      if (this.#rules.atRunTime.includes(name)) return unknown();
      return callResolver(
        this,
        name,
        () => interpolation.arguments.map((one) => this.element(one, site)),
        site,
      );
    }
    const written = this.#name(interpolation.path, site);
    const found = this.select(written, site) ?? this.#failMissing(written, site);
    const { path } = found;
    const above = path !== undefined && path.length < site.path.length;
    if (above && path.every((step, index) => site.path[index] === step)) {
      this.#failCycle(site, 'includes a section that contains it');
    }
    return found;
  }

  /** Joins the parts of a path or a name; interpolations in it must be texts. */
  #name(template: Template, site: InterpolationSite): string {
    return template
      .map((part) => {
        if (typeof part === 'string') return part;
        const { value } = this.#interpolate(part, site);
        if (value.kind === 'scalar' && typeof value.value === 'string') return value.value;
        const message = 'Within a path, `${…}` must give a string, not a number, a section or a list.';
        return this.fail(site, 'config/interpolation', message, 'Put the value that it names in quotes.');
      })
      .join('');
  }

  element(element: Element, site: InterpolationSite): ResolvedValue {
    if (element.kind === 'unknown') return unknown();
    if (element.kind === 'scalar') return { value: { ...element, origin: site.origin }, path: undefined };
    // In quotes it stays a text, whatever the interpolation in it gives.
    return element.isQuoted
      ? this.#made(this.#text(element.text, site), site)
      : this.#template(element.text, site);
  }

  /**
   * Returns the value at a path of the config; undefined if there is none. With `soft`, an unset value (`???`) is
   * undefined too.
   */
  select(written: string, site: InterpolationSite, soft = false): ResolvedValue | undefined {
    const path = absolutePath(written, site.path);
    if (path === undefined) {
      const message = `\`${written}\` starts with more dots than it has parent sections.`;
      return this.fail(site, 'config/interpolation-missing', message, 'Remove some of the dots.');
    }
    let found: ResolvedValue = { value: this.#root, path: [] };
    for (const step of path) {
      const child = this.#child(found, step, site, soft);
      if (child === undefined) return undefined;
      found = child;
    }
    return found;
  }

  #child(
    { value, path }: ResolvedValue,
    step: string,
    site: InterpolationSite,
    soft: boolean,
  ): ResolvedValue | undefined {
    if (value.kind === 'scalar') return undefined;
    if (value.kind === 'sequence' && !/^\s*[-+]?\d+\s*$/.test(step)) {
      const message = `\`${step}\` is not an index of a list.`;
      return this.fail(site, 'config/interpolation-missing', message, 'Write `[0]` for the first item.');
    }
    const child = childOf(value, step);
    if (child?.kind !== 'scalar') return child && { value: child, path: path && [...path, step] };
    if (child.value === '???') return soft ? undefined : this.#failUnset(site, [...(path ?? []), step]);
    return path === undefined ? { value: child, path } : this.follow(child, [...path, step]);
  }

  /** The value as one of this place, counted against the limit. */
  #take(value: Value, site: InterpolationSite): Value {
    const before = this.#values;
    this.#values += this.#size(value);
    if (this.#values > limits.values) {
      // Reported once, not for every value that follows.
      if (before > limits.values) return unknown();
      this.fail(site, 'config/interpolation', 'Interpolations make this config too large.');
    }
    return { ...value, origin: site.origin };
  }

  #size(value: Value): number {
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    let size = 1;
    if (value.kind === 'mapping') for (const child of value.entries.values()) size += this.#size(child);
    if (value.kind === 'sequence') for (const item of value.items) size += this.#size(item);
    this.#sizes.set(value, size);
    return size;
  }

  #failMissing(written: string, site: InterpolationSite): never {
    if (site.origin.kind === 'bundled') throw unresolved;
    const path = absolutePath(written, site.path)?.join('.') ?? written;
    return this.fail(
      site,
      'config/interpolation-missing',
      `\`\${${written}}\` names \`${path}\`, which is not in the config.`,
      'Correct the path. A path starts at the top of the file, unless it starts with a dot.',
    );
  }

  #failUnset(site: InterpolationSite, path: Path): never {
    const name = path.join('.');
    const message = `\`${name}\`, which this uses, is \`???\`, so you must set it.`;
    return this.fail(site, 'config/interpolation-missing', message, `Set \`${name}\`.`);
  }

  #failCycle(site: InterpolationSite, what: string): never {
    this.fail(site, 'config/interpolation-cycle', `\`${site.path.join('.')}\` ${what}.`);
  }

  #failDepth(site: InterpolationSite): never {
    this.fail(site, 'config/interpolation', 'This interpolation refers to too many others.');
  }

  /** Reports a problem, except in built-in defaults, which the user cannot fix. */
  fail(
    site: InterpolationSite,
    code: string,
    message: string,
    hint = 'Write the value itself instead.',
  ): never {
    const { section } = this.#rules;
    const { origin, inside } = site;
    const location = origin.kind === 'file' ? origin.location : undefined;
    const severity = section === undefined || site.path[0] === section ? 'error' : 'warning';
    const where = { ...(location && { location }), ...(inside && { inside }) };
    if (origin.kind !== 'bundled') this.problems.push({ code, severity, message, hint, ...where });
    throw unresolved;
  }
}

/** Keys that are no texts cannot be named. */
function childOf(value: MappingValue | SequenceValue, step: string): Value | undefined {
  if (value.kind === 'sequence') return value.items[Number(step)];
  return value.otherKeys?.has(step) === true ? undefined : value.entries.get(step);
}

export function isInterpolation({ value }: ScalarPart): boolean {
  return typeof value === 'string' && value.includes('${');
}

function unknown(): never {
  throw unresolved;
}
