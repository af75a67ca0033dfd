import type { Location } from '../../../base/core/errors.ts';
import { splitKeys } from '../interpolation/path.ts';
import { locationOf, type MappingValue, type Value } from '../value.ts';
import type { Choice } from './defaultsTree.ts';
import { hydraKeys } from './hydraGroups.ts';

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
  const value = hydra === undefined ? placed : withoutHydra(placed);
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

function withoutHydra(layer: MappingValue): MappingValue {
  const entries = new Map(layer.entries);
  entries.delete('hydra');
  return { ...layer, entries };
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
