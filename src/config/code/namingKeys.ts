import type { KeyNode } from '../keyTable.ts';
import { Search } from '../rules/visit.ts';

const onDisk: ReadonlySet<string | undefined> = new Set(['file', 'folder', 'path']);

/** Keys of Trinity's that take the name of a registered class, or a dotted path to one. */
const ofClasses: ReadonlySet<string> = new Set([
  'default_workflow_type',
  'default_eval_workflow_type',
  'workflow_type',
  'default_reward_fn_type',
]);

export function takesPath({ info }: KeyNode): boolean {
  return onDisk.has(info?.holds);
}

export function takesClass({ name }: KeyNode): boolean {
  return ofClasses.has(name);
}

/** The values of a text that may name something of the workspace. */
export const namingKeys = new Search((visit) => {
  const { key } = visit;
  return key !== undefined && (takesPath(key) || takesClass(key)) ? visit : undefined;
});
