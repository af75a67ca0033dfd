import { distance } from 'fastest-levenshtein';
import { dialects } from '../dialect.ts';
import { removeEntry, replaceScalar } from '../edits.ts';
import { finding, fix, type Finding, type Fix } from '../finding.ts';
import type { KeyNode, ValueType } from '../key-tables/keyTable.ts';
import { parseLocator } from '../locator.ts';
import { hasInterpolation, type Node, type ScalarNode, type SequenceNode } from '../node.ts';
import { isBroken, type ConfigDocument } from '../parse.ts';
import { pythonText, resolvePlain, type ScalarType } from '../scalar.ts';
import type { Severity } from './ruleEntry.ts';
import { nameOf, type Rule, type Visit } from './visit.ts';

const typeNames: Record<ValueType, string> = {
  object: 'a section',
  array: 'a list',
  string: 'a text',
  integer: 'an integer',
  number: 'a number',
  boolean: '`true` or `false`',
  null: '`null`',
};

export const wrongType: Rule = (visit) => {
  const { document, node, value } = visit;
  if (value === undefined || !isKnown(node) || fits(node, value.types)) return [];
  const wanted = value.types.map((type) => typeNames[type]).join(' or ');
  const rule = 'wrong-type';
  if (node.kind === 'scalar' && node.type === 'null') {
    if (isBroken(document)) return [];
    const message = `${nameOf(visit)} must be ${wanted}. An empty value is null and replaces the default.`;
    const { written } = visit;
    const fixes = (): Fix[] =>
      fix('Remove it to use the default', written && removeEntry(document, written.entry, written.parent));
    return [finding(document, nullSpan(visit), { rule, severity: 'warning', message, fixes })];
  }
  const taken = isConverted(visit) ? ' Trinity-RFT converts it.' : '';
  const message = `${nameOf(visit)} must be ${wanted}, but is ${describe(document, node)}.${taken}`;
  const severity = typeSeverity(visit, value.types);
  return [
    finding(document, node.span, { rule, severity, message, fixes: () => typeFixes(visit, value.types) }),
  ];
};

function typeSeverity(visit: Visit, types: readonly ValueType[]): Severity {
  if (isConverted(visit)) return 'information';
  // Python takes a number for a text in most places, and looks into a text as into a list: this need not fail.
  const { node, key } = visit;
  if (node.kind !== 'scalar' || isOfDataClass(key)) return 'error';
  const takesText = types.includes('array') && typeof node.value === 'string';
  return takesText || types.includes('string') ? 'warning' : 'error';
}

function isOfDataClass(key: KeyNode | undefined): boolean {
  const section = key?.parent;
  return section?.strict === true && section.unlisted === 'closed';
}

/** Returns true if the loader converts a text to the number or boolean of a data class. */
function isConverted({ node, value, key }: Visit): boolean {
  if (!isOfDataClass(key)) return false;
  if (node.kind !== 'scalar' || value === undefined) return false;
  if (value.types.includes('string')) return true;
  if (typeof node.value === 'number') return value.types.includes('integer') && Number.isInteger(node.value);
  return meantBy(node, value.types) !== undefined;
}

export const unknownValue: Rule = (visit) => {
  const { document, node, value } = visit;
  if (value?.allowed === undefined || value.allowsOthers || !isKnown(node)) return [];
  const { allowed } = value;
  if (node.kind !== 'scalar' || typeof node.value !== 'string') return [];
  const written = node.value;
  const same = value.caseInsensitive === true ? written.toLowerCase() : undefined;
  if (allowed.some((one) => one === written || one.toLowerCase() === same)) return [];
  const list = allowed.map((one) => `\`${one}\``).join(', ');
  const message = `${nameOf(visit)} cannot be \`${written}\`. Use ${list}.`;
  const fixes = (): Fix[] => {
    const nearestFirst = [...allowed].sort((a, b) => distance(a, written) - distance(b, written));
    return nearestFirst
      .slice(0, 3)
      .flatMap((one) => fix(`Change to \`${one}\``, replaceScalar(document, node, one, true)));
  };
  return [finding(document, node.span, { rule: 'unknown-value', severity: 'error', message, fixes })];
};

export const outOfRange: Rule = (visit) => {
  const { document, node, value } = visit;
  if (value === undefined || node.kind !== 'scalar' || typeof node.value !== 'number') return [];
  const { min, max, exclusiveMin } = value;
  const report = (limit: string, nearest: number | undefined): Finding[] => {
    const title = nearest === undefined ? '' : `Change to ${nearest}`;
    const fixes = (): Fix[] =>
      nearest === undefined ? [] : fix(title, replaceScalar(document, node, String(nearest), false));
    const message = `${nameOf(visit)} must be ${limit}, but is ${String(node.value)}.`;
    return [finding(document, node.span, { rule: 'out-of-range', severity: 'error', message, fixes })];
  };
  if (min !== undefined && node.value < min) {
    return report(min === max ? String(min) : `at least ${min}`, min);
  }
  if (max !== undefined && node.value > max) return report(min === max ? String(max) : `at most ${max}`, max);
  if (exclusiveMin !== undefined && node.value <= exclusiveMin) {
    const nearest = value.types.includes('integer') ? exclusiveMin + 1 : undefined;
    return report(`more than ${exclusiveMin}`, nearest);
  }
  return [];
};

const locatorKeys: ReadonlySet<string> = new Set(dialects.flatMap((dialect) => dialect.locatorKeys));

export const brokenLocator: Rule = ({ document, node, key }) => {
  if (key === undefined || !locatorKeys.has(key.path) || !isKnown(node)) return [];
  if (node.kind !== 'scalar' || typeof node.value !== 'string') return [];
  const result = parseLocator(node.value);
  if (result.ok) return [];
  const message = `${result.problem.message} ${result.problem.hint}`;
  return [finding(document, node.span, { rule: 'locator', severity: 'error', message })];
};

/** Not a placeholder, not still to be set, and nothing that only composing could tell. */
function isKnown(node: Node): node is Exclude<Node, { kind: 'opaque' }> {
  if (node.kind === 'scalar' && node.value === '???') return false;
  return node.kind !== 'opaque' && !hasInterpolation(node);
}

const takenBy: Record<ScalarType, readonly ValueType[]> = {
  null: ['null'],
  boolean: ['boolean'],
  integer: ['integer', 'number'],
  float: ['number'],
  string: ['string'],
};

function fits(node: Node, types: readonly ValueType[]): boolean {
  if (node.kind === 'mapping') return types.includes('object');
  if (node.kind === 'sequence') return types.includes('array');
  return node.kind === 'opaque' || takenBy[node.type].some((type) => types.includes(type));
}

function describe({ text }: ConfigDocument, node: Node): string {
  if (node.kind !== 'scalar') return node.kind === 'mapping' ? 'a section' : 'a list';
  if (node.type === 'string') return `the string ${JSON.stringify(node.value)}`;
  const [written, read] = [text.slice(node.span.start, node.span.end), pythonText(node)];
  const same = written.toLowerCase() === read.toLowerCase();
  return same ? `\`${written}\`` : `\`${written}\`, which YAML reads as \`${read}\``;
}

function nullSpan({ node, written }: Visit): Visit['node']['span'] {
  return node.span.end > node.span.start ? node.span : (written?.entry.keySpan ?? node.span);
}

function typeFixes({ document, node }: Visit, types: readonly ValueType[]): Fix[] {
  if (node.kind === 'sequence') return unwrapped(document, node, types);
  if (node.kind !== 'scalar') return [];
  const source = document.text.slice(node.span.start, node.span.end);
  const meant = meantBy(node, types);
  if (meant !== undefined) return fix(`Change to ${meant}`, replaceScalar(document, node, meant, false));
  if (node.value === 'None') {
    // Python's word for null is an ordinary text in YAML.
    const nothing = types.includes('null') ? 'null' : types.includes('array') ? '[]' : undefined;
    if (nothing !== undefined) {
      return fix(`Change to ${nothing}`, replaceScalar(document, node, nothing, false));
    }
  }
  if (types.includes('string')) {
    return fix('Put in quotes', { span: node.span, newText: JSON.stringify(source) });
  }
  if (types.includes('array') && node.style !== 'block') {
    return fix('Make it a list', { span: node.span, newText: `[${source}]` });
  }
  return [];
}

/** `[4]` where an integer is wanted. */
function unwrapped(document: ConfigDocument, node: SequenceNode, types: readonly ValueType[]): Fix[] {
  const [only] = node.items;
  if (node.items.length !== 1 || only === undefined || !isKnown(only) || !fits(only, types)) return [];
  const text = document.text.slice(only.span.start, only.span.end);
  if (text === '' || !document.text.startsWith('[', node.span.start)) return [];
  return fix(`Change to ${text}`, { span: node.span, newText: text });
}

/** `"4"` and `4.0` for an integer, `"true"` for a boolean. */
function meantBy(node: ScalarNode, types: readonly ValueType[]): string | undefined {
  const { value } = node;
  if (typeof value === 'number' && types.includes('integer') && Number.isInteger(value)) return String(value);
  if (typeof value !== 'string') return undefined;
  const bare = value.trim();
  const meant: ScalarNode = { ...node, ...resolvePlain(bare), style: 'plain' };
  return meant.type !== 'null' && fits(meant, types) ? bare : undefined;
}
