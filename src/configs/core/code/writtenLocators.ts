import { builtInJudge } from '../builtInJudges.ts';
import type { ClassFinder, LocatorTarget } from './classes.ts';
import type { Dialect } from '../dialect.ts';
import { parseLocator, type Locator } from '../locator.ts';
import { hasInterpolation, nodeAt, type Node, type ScalarNode } from '../node.ts';
import type { ConfigDocument } from '../parse.ts';
import { namingKeys, takesClass } from './namingKeys.ts';

/** A value that names a class of the user's: by where it is, or by the name under which Trinity has it registered. */
export interface WrittenName {
  readonly node: ScalarNode;
  readonly text: string;
  /** Undefined for a registered name. */
  readonly locator: Locator | undefined;
}

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

/** Looks up the class that a written name refers to. `cwd` and `beside` are those of `ClassFinder.find`. */
export async function targetOf(
  { text, locator }: Pick<WrittenName, 'text' | 'locator'>,
  classes: ClassFinder,
  cwd: string,
  beside: string,
): Promise<LocatorTarget> {
  if (locator !== undefined) return classOf(locator, classes, cwd, beside);
  const site = (await classes.all()).find(({ registered }) => registered === text);
  return site === undefined ? { status: 'elsewhere' } : { status: 'found', site };
}

/** Returns the class in the workspace, if there is one; built-in replacements have no file. */
async function classOf(
  locator: Locator,
  classes: ClassFinder,
  cwd: string,
  beside: string,
): Promise<LocatorTarget> {
  const found = await classes.find(locator, cwd, beside);
  const judge = builtInJudge(locator);
  const isHere = found.status === 'found' || found.status === 'no-name';
  return isHere || judge === undefined ? found : { status: 'built-in', judge };
}

function registryNames(document: ConfigDocument, dialect: Dialect): WrittenName[] {
  const found: WrittenName[] = [];
  for (const { node, key, value } of namingKeys(document, dialect.keys())) {
    if (key === undefined || !takesClass(key)) continue;
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
