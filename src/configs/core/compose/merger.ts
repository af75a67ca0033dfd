import { Unresolved, type Environment } from '../interpolation/host.ts';
import { isInterpolation, Resolver, type ResolverRules } from '../interpolation/resolver.ts';
import { type MappingValue, type Value, locationOf, withoutKey } from '../value.ts';
import type { Location } from '../../../base/core/errors.ts';
import { splitKeys } from '../interpolation/path.ts';
import type { Choice } from './defaultsTree.ts';
import { hydraKeys } from './hydraGroups.ts';

export type ConflictReport = (value: Value, below: Value, path: readonly string[]) => void;

type Growing = MappingValue & { readonly entries: Map<string, Value> };

/**
 * Merges layers as OmegaConf does. Mappings are merged key by key. Lists and scalars, including null, are replaced.
 * `???` keeps the value of the layer below. A section never becomes a list, and a list never becomes a section. An
 * interpolation of a section in a lower layer is replaced by the section, as far as it is known at that point.
 */
export class Merger {
  readonly #root: Growing;
  readonly #environment: Environment;
  readonly #rules: ResolverRules;
  readonly #conflict: ConflictReport;

  constructor(
    origin: MappingValue['origin'],
    environment: Environment,
    rules: ResolverRules,
    conflict: ConflictReport,
  ) {
    this.#root = { kind: 'mapping', entries: new Map(), origin };
    this.#environment = environment;
    this.#rules = rules;
    this.#conflict = conflict;
  }

  get root(): MappingValue {
    return this.#root;
  }

  add(layer: MappingValue): void {
    this.#join(this.#root, layer, []);
  }

  #join(below: Growing, layer: MappingValue, path: readonly string[]): void {
    for (const [key, value] of layer.entries) {
      const present = below.entries.get(key);
      if (present === undefined) {
        below.entries.set(key, value);
        continue;
      }
      const here = [...path, key];
      if (value.kind === 'scalar' && value.value === '???') continue;
      const lower = value.kind === 'scalar' ? present : this.#settled(present, here);
      if (lower.kind === 'mapping' && value.kind === 'mapping') {
        const joined = growing(lower, value);
        below.entries.set(key, joined);
        this.#join(joined, value, here);
      } else {
        const joinable = lower.kind === 'scalar' || value.kind === 'scalar';
        if (!joinable && lower.kind !== value.kind) this.#conflict(value, lower, here);
        below.entries.set(key, value);
      }
    }
  }

  /** The section or list that an interpolation stands for, as far as it is known. */
  #settled(value: Value, path: readonly string[]): Value {
    if (value.kind !== 'scalar' || !isInterpolation(value)) return value;
    try {
      const target = new Resolver(this.#root, this.#environment, this.#rules).follow(value, path).value;
      return target.kind === 'scalar' ? value : copied(target);
    } catch (error) {
      if (!(error instanceof Unresolved)) throw error;
      return value;
    }
  }
}

/** A copy of the lower mapping, with the place of the upper one. */
function growing({ entries, otherKeys = new Set() }: MappingValue, upper: MappingValue): Growing {
  const others = new Set([...otherKeys, ...(upper.otherKeys ?? [])]);
  const { origin } = upper;
  return {
    kind: 'mapping',
    entries: new Map(entries),
    origin,
    ...(others.size > 0 && { otherKeys: others }),
  };
}

/** Copies the sections, so that changes of the copy do not change the original. */
function copied(value: Value): Value {
  if (value.kind !== 'mapping') return value;
  const entries = [...value.entries].map(([key, child]) => [key, copied(child)] as const);
  return { ...value, entries: new Map(entries) };
}

/** The values that one file, or its substitute, adds to a config. */
export interface Layer {
  /** Absolute; undefined for defaults that come with this program. */
  readonly file: string | undefined;
  /** The name in `defaults`, from the top of the search path; `_self_` for the config itself. */
  readonly name: string;
  /** The location of the name; undefined if it is implied. */
  readonly written: Location | undefined;
  readonly value: MappingValue;
}

export interface LayerProblem {
  readonly at: Value;
  readonly message: string;
  readonly hint: string;
}

/** The content of a file under its package, without Hydra's own section. */
export function layerOf({ loaded, package: target, entry }: Choice): {
  layer: Layer | undefined;
  problems: LayerProblem[];
} {
  const content = asContainer(loaded.value);
  const placed = content && under(target, content);
  if (placed?.kind !== 'mapping') {
    const message = 'A file in `defaults` must be a mapping.';
    const hint = 'Write `key: value` lines into it.';
    return { layer: undefined, problems: [{ at: loaded.value, message, hint }] };
  }
  const hydra = placed.entries.get('hydra');
  const problems = hydra === undefined ? [] : hydraProblems(hydra, entry === undefined);
  const written = entry?.origin && locationOf(entry.origin);
  const value = withoutKey(placed, 'hydra');
  return { layer: { file: loaded.file, name: entry?.path ?? '_self_', written, value }, problems };
}

/** A file that is nothing but a text has that text as its only key; other single values are refused. */
function asContainer(value: Value): Value | undefined {
  if (value.kind !== 'scalar') return value;
  const { origin } = value;
  if (value.value === null) return { kind: 'mapping', entries: new Map(), origin };
  if (typeof value.value !== 'string') return undefined;
  const nothing = { kind: 'scalar', type: 'null', value: null, origin } as const;
  return { kind: 'mapping', entries: new Map([[value.value, nothing]]), origin };
}

function under(target: string, content: Value): Value {
  if (target === '') return content;
  return splitKeys(target).reduceRight<Value>((inner, step) => {
    return { kind: 'mapping', entries: new Map([[step, inner]]), origin: content.origin };
  }, content);
}

function hydraProblems(hydra: Value, primary: boolean): LayerProblem[] {
  if (hydra.kind !== 'mapping') return [];
  const path = hydra.entries.get('searchpath');
  const problems: LayerProblem[] = [];
  if (path?.kind === 'scalar' && path.value === null) {
    problems.push({ at: path, message: '`hydra.searchpath` cannot be null.', hint: 'Write `[]`.' });
  } else if (!primary && path !== undefined) {
    const message = 'Only the main config can have `hydra.searchpath`.';
    problems.push({ at: path, message, hint: 'Move it into the main config.' });
  }
  for (const [key, value] of hydra.entries) {
    if (hydraKeys.has(key)) continue;
    problems.push({ at: value, message: `Hydra has no key \`hydra.${key}\`.`, hint: 'Remove it.' });
  }
  return problems;
}
