import type { Location } from '../../base/errors.ts';
import type { Composition } from '../compose.ts';
import { convert } from '../convert/convert.ts';
import type { LaunchTarget } from '../convert/launch.ts';
import type { Config } from '../effectiveConfig.ts';
import type { Origin, Value } from '../value.ts';
import { placesOf } from './origins.ts';

/** Where a value of a backbone's configuration comes from. */
export interface Reached {
  /** In the backbone's configuration. */
  readonly path: string;
  readonly value: Value;
  /** The config's own keys that it is made of; itself where it is handed on as it is; none where nobody set it. */
  readonly keys: readonly string[];
  /** Where those were written. */
  readonly places: readonly Location[];
}

/**
 * What a key that Trinity or verl names in an error comes from. Messages often name the last part of a key only, so
 * everything that ends with it is given, the exact path first, then the shorter paths.
 */
export function whatReaches(
  source: Composition | Config,
  target: LaunchTarget,
  key: string,
): readonly Reached[] {
  const found: Reached[] = [];
  const { root } = convert(source, target);
  visit(root, '', (path, value) => {
    if (path !== key && !path.endsWith(`.${key}`)) return;
    found.push({ path, value, keys: keysOf(value.origin, path, target), places: placesOf(value.origin) });
  });
  return found.sort((a, b) => a.path.length - b.path.length);
}

function visit(value: Value, path: string, tell: (path: string, value: Value) => void): void {
  if (path !== '') tell(path, value);
  const children =
    value.kind === 'mapping' ? value.entries : value.kind === 'sequence' ? value.items.entries() : [];
  for (const [step, child] of children) visit(child, path === '' ? String(step) : `${path}.${step}`, tell);
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
