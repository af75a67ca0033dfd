import type { MappingValue, Value } from '../value.ts';

const sections: readonly unknown[] = ['hydra', 'defaults'];

/** Whether a section at the top of a config says how Hydra puts it together, which is no value of it. */
export function steers(section: string | number | undefined): boolean {
  return sections.includes(section);
}

export function withoutSteering(root: MappingValue): MappingValue {
  return { ...root, entries: new Map([...root.entries].filter(([key]) => !steers(key))) };
}

export function steeringSections(root: MappingValue): [string, Value][] {
  return [...root.entries].filter(([key]) => steers(key));
}
