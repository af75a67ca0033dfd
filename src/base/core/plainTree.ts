import { isRecord } from './isRecord.ts';

export type PlainTree = Record<string, unknown>;

/** Returns the value at a dotted path. */
export function valueAtPath(tree: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, step) => (isRecord(value) ? value[step] : undefined), tree);
}

/** Sets the value at a dotted path. Replaces parents that are missing or not objects. */
export function setAtPath(tree: PlainTree, path: string, value: unknown): void {
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  let section = tree;
  for (const step of steps) {
    if (!isRecord(section[step])) section[step] = {};
    section = section[step] as PlainTree;
  }
  section[last] = value;
}
