import type { Dialect } from '../dialect.ts';
import { parseLocator, type Locator } from '../locator.ts';
import { hasInterpolation, nodeAt, type Node, type ScalarNode } from '../node.ts';
import type { ConfigDocument } from '../parse.ts';
import { visitAll } from '../rules/visit.ts';

/** A value that names a class of the user's: by where it is, or by the name under which Trinity has it registered. */
export interface WrittenName {
  readonly node: ScalarNode;
  readonly text: string;
  /** Undefined for a registered name. */
  readonly locator: Locator | undefined;
}

/** Keys of Trinity's that take the name of a registered class, or a dotted path to one. */
const registryKey =
  /(?:^|\.)(?:default_workflow_type|default_eval_workflow_type|workflow_type|default_reward_fn_type)$/;

/** Every value of a text that names a class of the user's; what a program comes with is left out. */
export function writtenNames(document: ConfigDocument, dialect: Dialect): WrittenName[] {
  const found = dialect.locatorKeys.flatMap((key): WrittenName[] => {
    const written = textNode(nodeAt(document.root, key.split('.')));
    if (written === undefined) return [];
    const parsed = parseLocator(written.text);
    return parsed.ok ? [{ ...written, locator: parsed.locator }] : [];
  });
  return [...found, ...registryNames(document, dialect)];
}

function registryNames(document: ConfigDocument, dialect: Dialect): WrittenName[] {
  const found: WrittenName[] = [];
  for (const { node, key, value } of visitAll(document, dialect.keys())) {
    if (key === undefined || !registryKey.test(key.path)) continue;
    const written = textNode(node);
    if (written === undefined || value?.allowed?.includes(written.text) === true) continue;
    const [, where, name] = /^([\w.]+)\.(\w+)$/.exec(written.text) ?? [];
    const dotted =
      where !== undefined && name !== undefined ? ({ kind: 'module', where, name } as const) : undefined;
    found.push({ ...written, locator: dotted });
  }
  return found;
}

function textNode(node: Node | undefined): { readonly node: ScalarNode; readonly text: string } | undefined {
  if (node?.kind !== 'scalar' || typeof node.value !== 'string' || hasInterpolation(node)) return undefined;
  return { node, text: node.value };
}
