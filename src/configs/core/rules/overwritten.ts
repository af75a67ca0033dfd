import type { ConfigContext } from '../context.ts';
import { backboneSections, conversionRules, type ConversionRule } from '../convert/conversionRules.ts';
import { insertKey, removeWithSection } from '../edits.ts';
import { finding, fix, type Finding, type Fix } from '../finding.ts';
import { entryOf, hasInterpolation, nodeAt, type Entry, type MappingNode, type Node } from '../node.ts';
import { isWholeExperiment } from './missingKeys.ts';

/** Values typed on a backbone's key that the launcher overwrites with those of AgentJet's own keys. */
export function overwrittenValues(context: ConfigContext): Finding[] {
  const { document, dialect, composition } = context;
  const { section } = dialect;
  // Files that others are based on give every key of a backbone a default.
  if (section === undefined || !isWholeExperiment(document, dialect)) return [];
  return backboneSections.flatMap(({ backbone, label, above }) => {
    if (above.length > 0 && nodeAt(document.root, above) === undefined) return [];
    return conversionRules(backbone, composition.installed?.tables).flatMap((rule): Finding[] => {
      const path = [...above, ...rule.target.split('.')];
      const parent = nodeAt(document.root, path.slice(0, -1));
      const entry = entryOf(parent, path.at(-1) ?? '');
      if (parent?.kind !== 'mapping' || entry === undefined) return [];
      const sources = rule.sources.map((source) => source.replace(/^ajet\./, `${section}.`));
      return overwrittenFinding(context, { rule, sources, label, path, parent, entry });
    });
  });
}

interface OverwrittenKey {
  readonly rule: ConversionRule;
  readonly sources: readonly string[];
  readonly label: string;
  readonly path: readonly string[];
  readonly parent: MappingNode;
  readonly entry: Entry;
}

function overwrittenFinding(context: ConfigContext, overwritten: OverwrittenKey): Finding[] {
  const { document, composition } = context;
  const { sources, label, path, entry, rule } = overwritten;
  // A source that reads the very key makes it count after all.
  if (sources.some((source) => readsKey(nodeAt(document.root, source.split('.')), path))) return [];
  const [twin = ''] = sources;
  const single = sources.length === 1;
  const effective = single ? composition.config.get(twin)?.value : undefined;
  const isScalar = typeof effective !== 'object' && effective !== undefined;
  const same = isScalar && entry.value.kind === 'scalar' && entry.value.value === effective;
  const by = single
    ? `\`${twin}\`${isScalar ? ` (${JSON.stringify(effective)})` : ''}`
    : `\`${rule.expression}\``;
  const loss = same
    ? 'Both values are the same, so you can remove this key.'
    : 'Your value is not used, and newer releases of AgentJet do not start.';
  const message = `\`${path.join('.')}\` is overwritten by ${by} in the conversion for ${label}. ${loss}`;
  return [
    finding(document, entry.keySpan, {
      rule: 'overwritten',
      severity: same ? 'hint' : 'warning',
      message,
      ...(same && { tag: 'unnecessary' as const }),
      fixes: () => fixesOf(context, overwritten, single && !same ? twin : undefined),
    }),
  ];
}

function readsKey(node: Node | undefined, path: readonly string[]): boolean {
  if (node?.kind !== 'scalar' || !hasInterpolation(node)) return false;
  return typeof node.value === 'string' && node.value.includes(`\${${path.join('.')}}`);
}

/** Moves the value to its twin where the file does not set that, else takes it away. */
function fixesOf(
  { document }: ConfigContext,
  { entry, parent }: OverwrittenKey,
  twin: string | undefined,
): Fix[] {
  const removal = removeWithSection(document, entry, parent);
  const remove = fix(`Remove \`${entry.key}\``, removal);
  const { value } = entry;
  const written = document.text.slice(value.span.start, value.span.end);
  const movable =
    value.kind === 'scalar' && value.style !== 'block' && !/[\r\n]/.test(written) && written !== '';
  if (twin === undefined || !movable || nodeAt(document.root, twin.split('.')) !== undefined) return remove;
  return [...fix(`Move to \`${twin}\``, removal, insertKey(document, twin.split('.'), written)), ...remove];
}
