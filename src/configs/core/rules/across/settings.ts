import type { ConfigContext } from '../../context.ts';
import type { KeyInfo } from '../../key-tables/keyTable.ts';
import { entryOf, stepsOf, type Node, type NodePath } from '../../node.ts';
import { isBroken } from '../../parse.ts';
import { resolvePlain, type ScalarValue } from '../../scalar.ts';
import { isNull, type Value } from '../../value.ts';

/** The effective values of a config, section or stage, and the places in the file that set them. */
export interface Source {
  /** Undefined: no layer sets it. */
  value(path: NodePath): Value | 'unknown' | undefined;
  /** Paths of the file whose values make the one at `path`, those to point at first coming first. */
  places(path: NodePath): readonly NodePath[];
  /** Returns the key's entry in the key table. */
  info(path: NodePath): KeyInfo | undefined;
}

/** The value of a path; undefined if it is unknown. */
type KnownValue =
  { readonly value: Value } | { readonly absent: true; readonly default: unknown } | undefined;

/**
 * Effective values for rules, by paths such as `rollout.max_model_len` or `tasksets.0.path`. A value that no layer
 * sets is the default of the key table. A value is undefined if it is unknown, such as an unresolved interpolation, a
 * placeholder, or a value of another type. Rules must not draw conclusions from it.
 */
export class Settings {
  readonly context: ConfigContext;
  readonly #source: Source;
  /** Many rules ask for the same few paths. */
  readonly #cache = new Map<string, KnownValue | 'unknown'>();
  /** True if the text has unknown values. */
  readonly #hides: boolean;
  /** A file of `defaults` that was not found may set whatever no other layer sets. */
  readonly #lacksLayer: boolean;

  constructor(context: ConfigContext, source: Source) {
    this.context = context;
    this.#source = source;
    this.#hides = isBroken(context.document) || context.document.text.includes('{{');
    this.#lacksLayer = context.composition.problems.some(
      ({ code, severity }) => severity === 'error' && code.startsWith('config/defaults'),
    );
  }

  /** Returns a scalar; null also for a key that is not set and has no default. */
  scalar(path: string): ScalarValue | undefined {
    const known = this.#known(path);
    if (known === undefined) return undefined;
    if ('absent' in known) return isScalar(known.default) ? known.default : undefined;
    return known.value.kind === 'scalar' ? known.value.value : undefined;
  }

  /**
   * A number, or a text that reads as one: both backbones turn such texts into numbers. None that cannot be reckoned
   * with exactly.
   */
  number(path: string): number | undefined {
    const value = this.scalar(path);
    const read = typeof value === 'string' ? resolvePlain(value).value : value;
    return typeof read === 'number' && Math.abs(read) <= Number.MAX_SAFE_INTEGER ? read : undefined;
  }

  text(path: string): string | undefined {
    const value = this.scalar(path);
    return typeof value === 'string' ? value : undefined;
  }

  flag(path: string): boolean | undefined {
    const value = this.scalar(path);
    return typeof value === 'boolean' ? value : undefined;
  }

  /** Surely null, or surely not there and without a default. */
  isNull(path: string): boolean {
    return this.scalar(path) === null;
  }

  /** Null, the empty text or not there. */
  isEmpty(path: string): boolean {
    const value = this.scalar(path);
    return value === null || value === '';
  }

  /** Surely something: neither null nor empty. */
  isSet(path: string): boolean {
    const known = this.#known(path);
    if (known === undefined) return false;
    if ('absent' in known)
      return known.default !== null && known.default !== undefined && known.default !== '';
    return known.value.kind !== 'scalar' || (known.value.value !== null && known.value.value !== '');
  }

  /** Returns the number of items of a list; 0 for null. */
  count(path: string): number | undefined {
    const known = this.#known(path);
    if (known === undefined) return undefined;
    const value = 'absent' in known ? known.default : known.value;
    if (value === null || value === undefined) return 0;
    if (Array.isArray(value)) return value.length;
    if (!isValue(value)) return undefined;
    if (value.kind === 'sequence') return value.items.length;
    return isNull(value) ? 0 : undefined;
  }

  /** Names of the keys of a section, none for null; undefined if it is not a section. */
  names(path: string): readonly string[] | undefined {
    const known = this.#known(path);
    if (known === undefined) return undefined;
    if ('absent' in known || isNull(known.value)) return [];
    return known.value.kind === 'mapping' ? [...known.value.entries.keys()] : undefined;
  }

  /** The texts of a list; undefined where it is not one of texts alone. */
  texts(path: string): readonly string[] | undefined {
    const count = this.count(path);
    if (count === undefined) return undefined;
    const items = Array.from({ length: count }, (_, index) => this.text(`${path}.${index}`));
    const known = items.filter((item) => item !== undefined);
    return known.length === count ? known : undefined;
  }

  info(path: string): KeyInfo | undefined {
    return this.#source.info(stepsOf(path));
  }

  /** Returns the path in this file that sets the value; undefined if the file does not set it. */
  typed(path: string): NodePath | undefined {
    return this.#source.places(stepsOf(path)).find((place) => walk(this.context, place) !== undefined);
  }

  /** The node this file writes for it. */
  node(path: string): Node | undefined {
    const place = this.typed(path);
    return place && walk(this.context, place);
  }

  #known(path: string): KnownValue {
    const asked = this.#cache.get(path);
    if (asked !== undefined) return asked === 'unknown' ? undefined : asked;
    const known = this.#look(path);
    this.#cache.set(path, known ?? 'unknown');
    return known;
  }

  #look(path: string): KnownValue {
    const place = stepsOf(path);
    if (this.#hides && this.#source.places(place).some((one) => isHidden(this.context, one))) {
      return undefined;
    }
    const value = this.#source.value(place);
    if (value === undefined) {
      const info = this.#lacksLayer ? undefined : this.#source.info(place);
      return info && { absent: true, default: info.default };
    }
    return value === 'unknown' || isUnresolved(value) ? undefined : { value };
  }
}

/** The value at a path below another one; a scalar that may stand for a whole section is given back itself. */
export function valueAt(root: Value | undefined, path: NodePath): Value | undefined {
  let value = root;
  for (const step of path) {
    if (value === undefined || isUnresolved(value)) return value;
    if (value.kind === 'mapping') value = value.entries.get(String(step));
    else value = value.kind === 'sequence' && typeof step === 'number' ? value.items[step] : undefined;
  }
  return value;
}

function walk({ document }: ConfigContext, path: NodePath): Node | undefined {
  let node = document.root;
  for (const step of path) node = stepInto(node, step);
  return node;
}

/** Returns true if a placeholder or unreadable text is at the path or around it. */
function isHidden({ document }: ConfigContext, path: NodePath): boolean {
  let node = document.root;
  for (const step of path) {
    if (node?.kind === 'opaque') return true;
    node = stepInto(node, step);
  }
  return node?.kind === 'opaque';
}

function stepInto(node: Node | undefined, step: string | number): Node | undefined {
  if (typeof step === 'number') return node?.kind === 'sequence' ? node.items[step] : undefined;
  return entryOf(node, step)?.value;
}

function isUnresolved(value: Value): boolean {
  return value.kind === 'scalar' && typeof value.value === 'string' && /\$\{|^\?\?\?$/.test(value.value);
}

function isScalar(value: unknown): value is ScalarValue {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function isValue(value: unknown): value is Value {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
