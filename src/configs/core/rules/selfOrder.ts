import { bundledNames } from '../compose/bundledDefaults.ts';
import type { ConfigContext } from '../context.ts';
import { finding, type Finding, type Fix } from '../finding.ts';
import { entryOf, type Node, type ScalarNode } from '../node.ts';
import type { ConfigDocument } from '../parse.ts';

/** `_self_` before a file of defaults that sets everything: what the config itself says is overwritten by it. */
export function selfBeforeDefaults({ document, dialect }: ConfigContext): Finding[] {
  if (dialect.composition !== 'hydra') return [];
  const list = entryOf(document.root, 'defaults')?.value;
  if (list?.kind !== 'sequence') return [];
  const self = list.items.findIndex(isNamed('_self_'));
  const later = list.items.slice(self + 1).filter((item) => bundledNames.has(nameOf(item) ?? ''));
  if (self === -1 || later.length === 0) return [];
  const names = later.map((item) => `\`${nameOf(item) ?? ''}\``).join(', ');
  const message = `\`_self_\` comes before ${names}, so their values overwrite the values of this file. Put \`_self_\` at the end.`;
  const span = list.items[self]?.span ?? list.span;
  const fixes = (): Fix[] => lastFix(document, list.items.slice(self));
  return [finding(document, span, { rule: 'defaults', severity: 'warning', message, fixes })];
}

function isNamed(name: string): (item: Node) => boolean {
  return (item) => nameOf(item) === name;
}

function nameOf(item: Node): string | undefined {
  return item.kind === 'scalar' && typeof item.value === 'string' ? item.value : undefined;
}

/** Each name moves up by one place; everything around them stays. */
function lastFix({ text }: ConfigDocument, items: readonly Node[]): Fix[] {
  const scalars = items.filter(
    (item): item is ScalarNode => item.kind === 'scalar' && item.style !== 'block',
  );
  if (scalars.length < items.length) return [];
  const edits = scalars.map(({ span }, index) => {
    const next = scalars[(index + 1) % scalars.length]?.span ?? span;
    return { span, newText: text.slice(next.start, next.end) };
  });
  return [{ title: 'Put `_self_` at the end', edits }];
}
