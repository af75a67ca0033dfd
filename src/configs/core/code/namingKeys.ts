import type { KeyNode, KeyTable } from '../key-tables/keyTable.ts';
import type { ConfigDocument } from '../parse.ts';
import { visitAll, type Visit } from '../rules/visit.ts';

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

export function namingKeys(document: ConfigDocument, table: KeyTable): Visit[] {
  return visitAll(document, table).filter(
    ({ key }) => key !== undefined && (takesPath(key) || takesClass(key)),
  );
}
