import type { Location } from '../base/errors.ts';
import { asResolverCall, parseTemplate, type Interpolation, type Template } from './interpolationSyntax.ts';
import type { ConfigProblem } from './problem.ts';
import { pythonText, resolvePlain } from './scalar.ts';
import type { MappingValue, Origin, ScalarPart, Value } from './value.ts';

/** Looks up an environment variable; `blocked` where the workspace is not trusted with it. */
export type Environment = ((name: string) => string | undefined) | 'blocked';

/** Longest chain of interpolations, longest text and most values that interpolations may make, all told. */
const limits = { depth: 100, text: 1_000_000, values: 100_000 };

type Path = readonly string[];

interface Place {
  readonly path: Path;
  readonly origin: Origin;
}

/**
 * Replaces every `${…}` as OmegaConf does: `${a.b}` from the top, `${.a}` beside the value, one section further up per
 * further dot; nested, alone (keeps the type, sections included) or inside a text; `${oc.env:NAME,default}` and
 * `${oc.decode:…}`. What cannot be resolved is reported and stays as written: an error within `ajet`, a warning in
 * other sections, where only a training backbone would ask for it.
 */
export function resolveInterpolations(
  root: MappingValue,
  environment: Environment,
): { root: MappingValue; problems: ConfigProblem[] } {
  const resolver = new Resolver(root, environment);
  return { root: resolver.everything(), problems: resolver.problems };
}

/** Thrown once a problem has been reported: nothing that needs the value can be resolved either. */
class Unresolved extends Error {}

class Resolver {
  readonly problems: ConfigProblem[] = [];
  readonly #root: MappingValue;
  readonly #environment: Environment;
  readonly #done = new Map<string, Value>();
  readonly #underWay = new Set<string>();
  readonly #sizes = new WeakMap<Value, number>();
  #values = 0;

  constructor(root: MappingValue, environment: Environment) {
    this.#root = root;
    this.#environment = environment;
  }

  everything(): MappingValue {
    const entries = [...this.#root.entries].map(([key, value]) => [key, this.#deep(value, [key])] as const);
    return { ...this.#root, entries: new Map(entries) };
  }

  #deep(value: Value, path: Path): Value {
    if (value.kind === 'mapping') {
      const entries = [...value.entries].map(
        ([key, child]) => [key, this.#deep(child, [...path, key])] as const,
      );
      return { ...value, entries: new Map(entries) };
    }
    if (value.kind === 'sequence') {
      return {
        ...value,
        items: value.items.map((item, index) => this.#deep(item, [...path, String(index)])),
      };
    }
    return this.#scalar(value, path);
  }

  #scalar(scalar: ScalarPart, path: Path): Value {
    const { value: text, origin } = scalar;
    if (typeof text !== 'string' || !text.includes('${')) return scalar;
    const id = path.join('\0');
    const known = this.#done.get(id);
    if (known !== undefined) return known;
    const place = { path, origin };
    if (this.#underWay.has(id)) {
      this.#fail(place, 'config/interpolation-cycle', `\`${path.join('.')}\` leads back to itself.`);
    }
    if (this.#underWay.size >= limits.depth) {
      this.#fail(place, 'config/interpolation', 'This interpolation goes through too many others.');
    }
    this.#underWay.add(id);
    const value = orElse(scalar, () => this.#whole(text, place));
    this.#underWay.delete(id);
    this.#done.set(id, value);
    return value;
  }

  #whole(text: string, place: Place): Value {
    const template = parseTemplate(text);
    if (template === undefined) {
      this.#fail(
        place,
        'config/interpolation',
        `The \`\${\` in \`${text}\` is never closed.`,
        'Add the closing `}`, or write `\\${` for the characters themselves.',
      );
    }
    const [only] = template;
    if (template.length === 1 && typeof only === 'object') {
      return this.#take(this.#interpolate(only, place), place);
    }
    return { kind: 'scalar', type: 'string', value: this.#text(template, place), origin: place.origin };
  }

  /** The value as one of this place, counted against the limit. */
  #take(value: Value, place: Place): Value {
    this.#values += this.#size(value);
    if (this.#values > limits.values) {
      this.#fail(place, 'config/interpolation', 'Interpolations make this config too large.');
    }
    return { ...value, origin: place.origin };
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

  #text(template: Template, place: Place): string {
    let text = '';
    for (const part of template) {
      text += typeof part === 'string' ? part : this.#asText(this.#interpolate(part, place), place);
      if (text.length > limits.text) {
        this.#fail(place, 'config/interpolation', 'Interpolations make this text too long.');
      }
    }
    return text;
  }

  #asText(value: Value, place: Place): string {
    if (value.kind === 'scalar') return pythonText(value);
    return this.#fail(
      place,
      'config/interpolation',
      'A section or a list cannot stand inside a text.',
      'Name one value of it.',
    );
  }

  #interpolate({ inside }: Interpolation, place: Place): Value {
    const call = asResolverCall(inside);
    if (call === undefined) return this.#lookUp(this.#text(inside, place).trim(), place);
    const given = call.arguments.map((argument) => this.#text(argument, place));
    if (call.name === 'oc.env') return this.#environmentVariable(given, place);
    if (call.name === 'oc.decode') {
      return { kind: 'scalar', ...resolvePlain(given.join(',')), origin: place.origin };
    }
    return this.#fail(
      place,
      'config/interpolation-resolver',
      `The resolver \`${call.name}\` is not known here.`,
      'Use `${section.key}`, `${oc.env:NAME,default}` or a plain value.',
    );
  }

  #environmentVariable([name = '', ...rest]: readonly string[], place: Place): Value {
    if (this.#environment === 'blocked') {
      this.#fail(
        place,
        'config/environment-blocked',
        `\`${name}\` comes from the environment, which an untrusted workspace may not read.`,
        'Trust the workspace, or write the value into the config.',
      );
    }
    const found = this.#environment(name);
    // As in OmegaConf: what the environment has is text, and so is a default, unless it is null.
    if (found === undefined && rest.length === 1 && rest[0] === 'null') {
      return { kind: 'scalar', type: 'null', value: null, origin: place.origin };
    }
    const value = found ?? (rest.length > 0 ? rest.join(',') : undefined);
    if (value === undefined) {
      this.#fail(
        place,
        'config/environment-missing',
        `The environment variable \`${name}\` is not set.`,
        `Set it, or give a default: \`\${oc.env:${name},default}\`.`,
      );
    }
    return { kind: 'scalar', type: 'string', value, origin: place.origin };
  }

  #lookUp(reference: string, place: Place): Value {
    const [, dots = '', rest = ''] = /^(\.*)(.*)$/s.exec(reference) ?? [];
    const steps = rest
      .replace(/\[([^\]]*)\]/g, '.$1')
      .split('.')
      .filter((step) => step !== '');
    const base = dots === '' ? [] : place.path.slice(0, Math.max(0, place.path.length - dots.length));
    const path = [...base, ...steps];
    if (steps.length === 0 && dots === '') {
      this.#fail(
        place,
        'config/interpolation',
        'This interpolation names nothing.',
        'Write `${section.key}`.',
      );
    }
    let value: Value = this.#root;
    for (const [index, step] of path.entries()) {
      const child = childOf(value, step);
      if (child === undefined) {
        this.#fail(
          place,
          'config/interpolation-missing',
          `\`\${${reference}}\` names \`${path.join('.')}\`, which is not in the config.`,
          'Correct the path; paths start at the top of the file unless they begin with a dot.',
        );
      }
      value = child.kind === 'scalar' ? this.#resolved(child, path.slice(0, index + 1)) : child;
    }
    return value.kind === 'scalar' ? value : this.#section(value, path, place);
  }

  /** A section brought in as a whole, which must not be one that this value is in. */
  #section(value: Value, path: Path, place: Place): Value {
    if (path.every((step, index) => place.path[index] === step)) {
      this.#fail(
        place,
        'config/interpolation-cycle',
        `\`${place.path.join('.')}\` brings in a section that it is part of.`,
      );
    }
    return this.#deep(value, path);
  }

  #resolved(scalar: ScalarPart, path: Path): Value {
    const value = this.#scalar(scalar, path);
    const stayed = value === scalar && typeof scalar.value === 'string' && scalar.value.includes('${');
    if (stayed) throw new Unresolved();
    return value;
  }

  #fail(place: Place, code: string, message: string, hint = 'Write the value itself instead.'): never {
    const location: Location | undefined = place.origin.kind === 'file' ? place.origin.location : undefined;
    const severity = place.path[0] === 'ajet' ? 'error' : 'warning';
    this.problems.push({ code, severity, message, hint, ...(location && { location }) });
    throw new Unresolved();
  }
}

/** A failure has been reported where it happened; the value then stays as it was written. */
function orElse(asWritten: Value, resolve: () => Value): Value {
  try {
    return resolve();
  } catch (error) {
    if (!(error instanceof Unresolved)) throw error;
    return asWritten;
  }
}

function childOf(value: Value, step: string): Value | undefined {
  if (value.kind === 'mapping') return value.entries.get(step);
  return value.kind === 'sequence' && /^\d+$/.test(step) ? value.items[Number(step)] : undefined;
}
