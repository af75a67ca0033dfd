import type { LocatorTarget } from './code/classes.ts';
import type { Composition } from './compose.ts';
import { isCompositionKey } from './compose/compositionKeys.ts';
import type { ConfigContext } from './context.ts';
import { conversionRules, rulesThatSet, type Backbone } from './convert/conversionRules.ts';
import { evaluateRule } from './convert/evaluateRule.ts';
import { describeKey, paragraphs } from './key-tables/describe.ts';
import { codeSpan, locationText, originMarkdown, valueText } from './effective/origins.ts';
import { secretDefaults, withoutSecrets } from './effective/secrets.ts';
import { interpolationsOf } from './interpolation/references.ts';
import type { KeyNode, KeyTable } from './key-tables/keyTable.ts';
import type { NodePath } from './node.ts';
import type { ConfigDocument } from './parse.ts';
import { isResolver, resolverDocs } from './interpolation/resolverDocs.ts';
import { nodeAtOffset, type NodeAtOffset } from './navigate/nodeAtOffset.ts';
import type { Span, TextRange } from './text.ts';
import type { Value } from './value.ts';

export interface Hover {
  readonly range: TextRange;
  readonly markdown: string;
}

/**
 * Returns the hover at an offset. For a key and its value it shows the description, the effective value, its origin
 * and its conversion. It also shows the result of a `${…}`, and the file of a locator, a path or a `defaults` entry.
 */
export function hoverIn(context: ConfigContext, offset: number, relativeTo?: string): Hover | undefined {
  const { document, dialect } = context;
  const found = nodeAtOffset(document, offset);
  // A caret right behind a key or a value is still in it; a pointer there is not.
  if (found === undefined || offset >= Math.max(found.span.end, found.span.start + 1)) return undefined;
  const shown: HoverContext = { ...context, relativeTo };
  const reference = interpolationHover(shown, found, offset);
  if (reference !== undefined) return reference;
  const key = keyOf(found, dialect.keys());
  const described = key?.info === undefined ? '' : describeKey(key, becomesOf(context, key));
  const markdown = paragraphs([
    ...targetTexts(shown, found, key),
    described,
    effectiveText(shown, found),
    overwrittenText(context, found),
  ]);
  return markdown === '' ? undefined : hoverOver(document, found.span, markdown);
}

interface HoverContext extends ConfigContext {
  readonly relativeTo: string | undefined;
}

function hoverOver({ lines }: ConfigDocument, span: Span, markdown: string): Hover {
  return { range: lines.range(span), markdown };
}

/** An item of a list is explained by the list. */
function keyOf({ path }: NodeAtOffset, table: KeyTable): KeyNode | undefined {
  const key = table.find(path);
  return key ?? (typeof path.at(-1) === 'number' ? table.find(path.slice(0, -1)) : undefined);
}

function interpolationHover(context: HoverContext, found: NodeAtOffset, offset: number): Hover | undefined {
  const { document, composition } = context;
  if (found.node.kind !== 'scalar' || found.part === 'key') return undefined;
  const references = interpolationsOf(document, found.node, found.path.map(String));
  // Those nested in another come after it.
  const reference = references.findLast(({ span }) => span.start <= offset && offset < span.end);
  if (reference === undefined) return undefined;
  const { path, resolver, written } = reference;
  const called = resolver !== undefined && isResolver(resolver) ? resolverDocs[resolver].text : undefined;
  const value = path === undefined ? undefined : visibleValue(composition, path);
  const whole = visibleValue(composition, found.path);
  const lines = [
    [`\${${written}}`, ...(path === undefined ? [] : [path.join('.')])].map(codeSpan).join(' · '),
    called ?? '',
    value === undefined ? '' : `Value: ${valueText(value)}, ${originMarkdown(value.origin, context)}`,
    path !== undefined && value === undefined ? 'No value has this path.' : '',
    // What is computed is known as a whole only.
    value === undefined && whole !== undefined ? `The whole value: ${valueText(whole)}` : '',
  ];
  return hoverOver(document, reference.span, paragraphs(lines));
}

function visibleValue({ config, layers }: Composition, path: NodePath): Value | undefined {
  const value = config.at(pathText(path));
  return value && withoutSecrets(value, path.map(String), { hidden: secretDefaults(layers) });
}

function targetTexts(context: HoverContext, found: NodeAtOffset, key: KeyNode | undefined): string[] {
  const { references, dialect } = context;
  const text =
    found.node.kind === 'scalar' && typeof found.node.value === 'string' ? found.node.value : undefined;
  if (text === undefined || found.part === 'key') return [];
  if (dialect.composition === 'hydra' && found.path.length === 2 && found.path[0] === 'defaults') {
    return defaultsText(context, text);
  }
  const target = references.locator(text);
  if (target !== undefined) return [targetText(target, context.relativeTo)];
  const file = key?.info?.holds === undefined ? undefined : references.file?.(text);
  if (file === undefined) return [];
  const rows = references.rows?.(text);
  return [
    `${codeSpan(locationText({ file }, context.relativeTo))}${rows === undefined ? '' : ` · ${rows} rows`}`,
  ];
}

function targetText(target: LocatorTarget, relativeTo: string | undefined): string {
  switch (target.status) {
    case 'found':
      return `${target.site.kind} ${codeSpan(target.site.name)} · ${codeSpan(locationText(target.site, relativeTo))}`;
    case 'no-file':
      return `${codeSpan(locationText({ file: target.file }, relativeTo))} does not exist.`;
    case 'no-name':
      return `${codeSpan(locationText({ file: target.file }, relativeTo))} does not have this name.`;
    case 'built-in':
      return `AgentJet's judge \`${target.judge.name}\`, which is built into debug runs. ${target.judge.does}`;
    case 'elsewhere':
      return 'Not in this workspace. It may be installed where training runs.';
  }
}

function defaultsText({ composition, dialect, relativeTo }: HoverContext, entry: string): string[] {
  if (entry === '_self_') {
    return [
      'This file. It overwrites the entries before it in the list. The entries after it overwrite this file.',
    ];
  }
  const file = composition.layers.find(({ name }) => name === entry)?.file;
  if (file !== undefined) return [codeSpan(locationText({ file }, relativeTo))];
  return dialect.bundled.includes(entry)
    ? ['No folder of the search path has this file. The built-in defaults of this extension replace it.']
    : [];
}

function effectiveText(context: HoverContext, { path, node }: NodeAtOffset): string {
  if (node.kind === 'mapping' || isCompositionKey(path[0])) return '';
  const value = visibleValue(context.composition, path);
  if (value === undefined || value.kind === 'mapping') return '';
  return `Effective value: ${valueText(value)}, ${originMarkdown(value.origin, context)}`;
}

const backboneNames: Readonly<Record<Backbone, string>> = { trinity: 'Trinity', verl: 'verl' };
const backbones: readonly Backbone[] = ['trinity', 'verl'];

function becomesOf({ composition, dialect }: ConfigContext, { path }: KeyNode): string[] {
  if (dialect.id === 'trinity') return [];
  return backbones.flatMap((backbone) =>
    conversionRules(backbone, composition.installed?.tables)
      .filter((rule) => rule.sources.includes(path))
      .map((rule) => {
        const shown =
          rule.compute === undefined ? '' : ` = ${codeSpan(evaluateRule(rule, composition.config).text)}`;
        return `${backboneNames[backbone]}: \`${rule.target}\`${shown}`;
      }),
  );
}

/** A key of a backbone that conversion sets whatever is typed there. */
function overwrittenText({ composition, dialect }: ConfigContext, { path }: NodeAtOffset): string {
  if (dialect.composition !== 'hydra') return '';
  const [rule] = rulesThatSet(path, composition.installed?.tables);
  if (rule === undefined) return '';
  const { value, text } = evaluateRule(rule, composition.config);
  const made = value === undefined ? `its value (${text})` : codeSpan(text);
  return `Overwritten: \`${rule.sources.join('`, `')}\` makes it ${made}.`;
}

function pathText(path: NodePath): string {
  return path.join('.');
}
