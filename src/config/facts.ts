import type { Composition } from './compose.ts';
import type { ConfigSurroundings, WorkspaceFacts } from './context.ts';
import type { Dialect } from './dialect.ts';
import { hasInterpolation, nodeAt } from './node.ts';
import { parseLocator } from './locator.ts';
import type { ConfigDocument } from './parse.ts';
import type { LocatorTarget } from './classes.ts';

export interface FactRequest {
  readonly document: ConfigDocument;
  readonly dialect: Dialect;
  readonly composition: Composition;
  readonly surroundings: ConfigSurroundings;
}

/** Looks up what the rules will ask about the workspace: the paths and the locators that the config names. */
export async function collectFacts({
  document,
  dialect,
  surroundings,
}: FactRequest): Promise<WorkspaceFacts> {
  const targets = new Map<string, LocatorTarget>();
  for (const key of dialect.locatorKeys) {
    const node = nodeAt(document.root, key.split('.'));
    if (node?.kind !== 'scalar' || typeof node.value !== 'string' || hasInterpolation(node)) continue;
    const parsed = parseLocator(node.value);
    if (!parsed.ok) continue;
    targets.set(node.value, await surroundings.classes.find(parsed.locator, surroundings.cwd));
  }
  return { exists: () => undefined, locator: (text) => targets.get(text) };
}
