import { isRecord } from './isRecord.ts';

/** A mapping as JSON has it, which may be changed. */
export type PlainTree = Record<string, unknown>;

/** The value at a dotted path. */
export function valueAtPath(tree: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, step) => (isRecord(value) ? value[step] : undefined), tree);
}

/** Sets it; sections on the way that are not there, or are none, are made. */
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
