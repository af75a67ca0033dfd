import type { MappingValue, Value } from '../value.ts';

const keys: readonly unknown[] = ['hydra', 'defaults'];

/** Returns whether a top-level key says how Hydra composes the config, and so is not one of its values. */
export function isCompositionKey(key: string | number | undefined): boolean {
  return keys.includes(key);
}

export function withoutCompositionKeys(root: MappingValue): MappingValue {
  return { ...root, entries: new Map([...root.entries].filter(([key]) => !isCompositionKey(key))) };
}

export function compositionSections(root: MappingValue): [string, Value][] {
  return [...root.entries].filter(([key]) => isCompositionKey(key));
}
