import type { Location } from '../../../base/core/errors.ts';
import type { Composition } from '../compose.ts';
import { convert } from '../convert/convert.ts';
import type { LaunchTarget } from '../convert/launch.ts';
import type { Config } from '../effectiveConfig.ts';
import type { Origin, Value } from '../value.ts';
import { locationsOf } from './origins.ts';

export interface KeySource {
  /** Path in the backbone's configuration. */
  readonly path: string;
  readonly value: Value;
  /** The keys of the config that the value is made of; empty where none is set. */
  readonly keys: readonly string[];
  readonly places: readonly Location[];
}

/**
 * Returns the sources of a key that Trinity or verl names in an error. Such errors often name only the end of a path, so
 * every path that ends with the key counts, the shortest first.
 */
export function keySources(
  source: Composition | Config,
  target: LaunchTarget,
  key: string,
): readonly KeySource[] {
  const found: KeySource[] = [];
  const { root } = convert(source, target);
  visit(root, '', (path, value) => {
    if (path !== key && !path.endsWith(`.${key}`)) return;
    found.push({ path, value, keys: keysOf(value.origin, path, target), places: locationsOf(value.origin) });
  });
  return found.sort((a, b) => a.path.length - b.path.length);
}

function visit(value: Value, path: string, report: (path: string, value: Value) => void): void {
  if (path !== '') report(path, value);
  const children =
    value.kind === 'mapping' ? value.entries : value.kind === 'sequence' ? value.items.entries() : [];
  for (const [step, child] of children) visit(child, path === '' ? String(step) : `${path}.${step}`, report);
}

function keysOf(origin: Origin, path: string, target: LaunchTarget): readonly string[] {
  switch (origin.kind) {
    case 'file':
      return [target === 'trinity' ? `trinity.${path}` : path];
    case 'bundled':
      return [];
    case 'rule':
      return [
        ...new Set(
          origin.inputs.flatMap(({ path: input, value }) =>
            value.origin.kind === 'rule' ? keysOf(value.origin, input, target) : [input],
          ),
        ),
      ];
  }
}
