import type { ConfigContext } from '../context.ts';
import { convert } from '../convert/convert.ts';
import { backboneSections } from '../convert/conversionRules.ts';
import { originText } from '../effective/origins.ts';
import { yamlScalar } from '../effective/yamlScalar.ts';
import { hasInterpolation, nodeAt, nodesIn, stepsOf, type ScalarNode } from '../node.ts';
import { isWholeExperiment } from '../rules/missingKeys.ts';
import { valueAt, type ScalarPart, type Value } from '../value.ts';
import type { Hint } from './totals.ts';

const longest = 40;

/** Behind `${…}` what it comes to, and behind a value that another layer wins over, that. */
export function effectiveValues(context: ConfigContext): Hint[] {
  const hints: Hint[] = [];
  const { root } = context.composition.config;
  for (const { node, path } of nodesIn(context.document.root)) {
    // A key with a dot in it is on no dotted path.
    if (node.kind !== 'scalar' || path.some((step) => String(step).includes('.'))) continue;
    const value = valueAt(root, path.join('.'));
    if (value?.kind !== 'scalar') continue;
    const hint = hasInterpolation(node) ? interpolated(node, value) : overridden(node, value, context);
    if (hint !== undefined) hints.push({ path, ...hint });
  }
  return hints;
}

type Said = Omit<Hint, 'path'>;

function interpolated(node: ScalarNode, value: ScalarPart): Said | undefined {
  // What the environment holds may be secret.
  if (typeof node.value !== 'string' || node.value.includes('oc.env')) return undefined;
  if (typeof value.value === 'string' && value.value.includes('${')) return undefined;
  return { text: `= ${shown(value)}`, tooltip: `\`${node.value}\` is ${shown(value)} here.` };
}

/** `_self_` before another entry of `defaults`, which then wins. */
function overridden(node: ScalarNode, value: ScalarPart, { file }: ConfigContext): Said | undefined {
  const { origin } = value;
  if (origin.kind === 'rule' || (origin.kind === 'file' && origin.location.file === file)) return undefined;
  if (value.value === node.value) return undefined;
  const by = origin.kind === 'bundled' ? 'the defaults' : `\`${originText(origin, folderOf(file))}\``;
  return {
    text: `overridden: ${shown(value)}`,
    tooltip: `${by} comes after this file in \`defaults\`, so its value counts. To use the value of this file, put \`_self_\` last.`,
  };
}

/** Behind a backbone's own key what conversion replaces it by. */
export function replacedValues(context: ConfigContext): Hint[] {
  // Files that others are based on give every key of a backbone a default.
  if (!isWholeExperiment(context.document, context.dialect)) return [];
  return backboneSections.flatMap(({ backbone, label, above }) =>
    convert(context.composition, backbone).replaced.flatMap(({ rule, was, becomes }): Hint[] => {
      const path = [...above, ...stepsOf(rule.target)];
      if (was.origin.kind !== 'file' || was.origin.location.file !== context.file) return [];
      if (nodeAt(context.document.root, path) === undefined || isSame(was, becomes)) return [];
      const tooltip = `The launcher sets \`${rule.target}\` of ${label} from \`${rule.expression}\`${arithmetic(becomes)}. Your value is not used.`;
      const text = becomes.kind === 'scalar' ? `overwritten: ${shown(becomes)}` : 'overwritten';
      return [{ path, text, tooltip }];
    }),
  );
}

function arithmetic({ origin }: Value): string {
  return origin.kind === 'rule' && origin.text !== undefined ? ` (${origin.text})` : '';
}

function isSame(a: Value, b: Value): boolean {
  return a.kind === 'scalar' && b.kind === 'scalar' && a.value === b.value;
}

function shown(value: ScalarPart): string {
  const text = yamlScalar(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

function folderOf(file: string): string {
  return file.replace(/[\\/][^\\/]*$/, '');
}
