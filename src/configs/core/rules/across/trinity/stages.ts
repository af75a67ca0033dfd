import type { ConfigContext } from '../../../context.ts';
import type { Finding } from '../../../finding.ts';
import { entryOf, nodeAt, type MappingNode } from '../../../node.ts';
import { quotedList } from '../report.ts';
import type { TrinityView } from './view.ts';

/** Names in one message; the rest is counted. */
const mostNamed = 6;

/** A section of a stage takes the place of the whole section above, of which nothing is left. */
export function lostInStages(view: TrinityView): Finding[] {
  const { root } = view.context.document;
  const stages = nodeAt(root, ['stages']);
  if (root?.kind !== 'mapping' || stages?.kind !== 'sequence') return [];
  return stages.items.flatMap((stage, index) => {
    if (stage.kind !== 'mapping') return [];
    return stage.entries.flatMap(({ key, value }) => {
      const above = entryOf(root, key)?.value;
      if (above?.kind !== 'mapping' || value.kind !== 'mapping') return [];
      const lost = missingFrom(above, value, key);
      if (lost.length === 0) return [];
      const more = lost.length > mostNamed ? ` and ${lost.length - mostNamed} more` : '';
      return view.report('trinity-stage-section', {
        at: [`stages.${index}.${key}`],
        message: `\`${key}\` of a stage replaces the whole \`${key}\` above, so ${quotedList(lost.slice(0, mostNamed))}${more} ${lost.length === 1 ? 'gets its default' : 'get their defaults'} here. Repeat the values that this stage needs.`,
      });
    });
  });
}

/** Paths of the values that `above` has and `below` has not. */
function missingFrom(above: MappingNode, below: MappingNode, path: string): string[] {
  return above.entries.flatMap(({ key, value }) => {
    const there = entryOf(below, key)?.value;
    const name = `${path}.${key}`;
    if (there === undefined) return [name];
    return value.kind === 'mapping' && there.kind === 'mapping' ? missingFrom(value, there, name) : [];
  });
}

export function stageCount({ document }: ConfigContext): number {
  const stages = nodeAt(document.root, ['stages']);
  return stages?.kind === 'sequence' ? stages.items.length : 0;
}
