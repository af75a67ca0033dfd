import { distance } from 'fastest-levenshtein';
import { removeEntry, replaceScalar } from '../edits.ts';
import { finding, fix, type Finding, type Fix } from '../finding.ts';
import { locatorKeys } from '../findLocators.ts';
import type { ValueType } from '../keyTable.ts';
import { parseLocator } from '../locator.ts';
import { hasInterpolation, type Node, type ScalarNode } from '../node.ts';
import { isBroken } from '../parse.ts';
import { pythonText, resolvePlain, type ScalarType } from '../scalar.ts';
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

/** A value of a type that the key does not take. */
export const wrongType: Rule = (visit) => {
  const { document, node, value } = visit;
  if (value === undefined || !isKnown(node) || fits(node, value.types)) return [];
  const wanted = value.types.map((type) => typeNames[type]).join(' or ');
  const rule = 'wrong-type';
  if (node.kind === 'scalar' && node.type === 'null') {
    if (isBroken(document)) return [];
    const message = `${nameOf(visit)} has to be ${wanted}; left empty, null takes the place of its default.`;
    const { written } = visit;
    const removal = written && removeEntry(document, written.entry, written.parent);
    const fixes = fix('Remove it, for the default', removal);
    return [finding(document, nullSpan(visit), { rule, severity: 'warning', message, fixes })];
  }
  // Python takes a number for a text in most places, so this need not fail.
  const severity = node.kind === 'scalar' && value.types.includes('string') ? 'warning' : 'error';
  const message = `${nameOf(visit)} has to be ${wanted}, but is ${describe(node)}.`;
  return [finding(document, node.span, { rule, severity, message, fixes: typeFixes(visit, value.types) })];
};

/** A text that is none of those the key takes. */
export const unknownValue: Rule = (visit) => {
  const { document, node, value } = visit;
  if (value?.allowed === undefined || value.allowsOthers || !isKnown(node)) return [];
  if (node.kind !== 'scalar' || typeof node.value !== 'string' || value.allowed.includes(node.value)) {
    return [];
  }
  const written = node.value;
  const nearestFirst = [...value.allowed].sort((a, b) => distance(a, written) - distance(b, written));
  const fixes = nearestFirst.slice(0, 3).flatMap((allowed) => {
    return fix(`Change to \`${allowed}\``, replaceScalar(document, node, allowed, true));
  });
  const list = value.allowed.map((allowed) => `\`${allowed}\``).join(', ');
  const message = `${nameOf(visit)} cannot be \`${written}\`; it takes ${list}.`;
  return [finding(document, node.span, { rule: 'unknown-value', severity: 'error', message, fixes })];
};

/** A number that is too small or too large. */
export const outOfRange: Rule = (visit) => {
  const { document, node, value } = visit;
  if (value === undefined || node.kind !== 'scalar' || typeof node.value !== 'number') return [];
  const { min, max, exclusiveMin } = value;
  const report = (limit: string, nearest: number | undefined): Finding[] => {
    const title = nearest === undefined ? '' : `Change to ${nearest}`;
    const fixes =
      nearest === undefined ? [] : fix(title, replaceScalar(document, node, String(nearest), false));
    const message = `${nameOf(visit)} has to be ${limit}, but is ${String(node.value)}.`;
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

/** A text that should name a class and cannot. */
export const brokenLocator: Rule = ({ document, node, key }) => {
  if (key === undefined || !Object.values<string>(locatorKeys).includes(key.path) || !isKnown(node)) {
    return [];
  }
  if (node.kind !== 'scalar' || typeof node.value !== 'string') return [];
  const result = parseLocator(node.value);
  if (result.ok) return [];
  const message = `${result.problem.message} ${result.problem.hint}`;
  return [finding(document, node.span, { rule: 'locator', severity: 'error', message })];
};

/** Not a placeholder, and nothing that only composing could tell. */
function isKnown(node: Node): node is Exclude<Node, { kind: 'opaque' }> {
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

function describe(node: Node): string {
  if (node.kind !== 'scalar') return node.kind === 'mapping' ? 'a section' : 'a list';
  return node.type === 'string' ? `the text ${JSON.stringify(node.value)}` : `\`${pythonText(node)}\``;
}

/** An empty value has no text of its own: its key stands for it. */
function nullSpan({ node, written }: Visit): Visit['node']['span'] {
  return node.span.end > node.span.start ? node.span : (written?.entry.keySpan ?? node.span);
}

function typeFixes({ document, node }: Visit, types: readonly ValueType[]): Fix[] {
  if (node.kind !== 'scalar') return [];
  const source = document.text.slice(node.span.start, node.span.end);
  const meant = meantBy(node, types);
  if (meant !== undefined) return fix(`Change to ${meant}`, replaceScalar(document, node, meant, false));
  if (types.includes('string')) {
    return fix('Put in quotes', { span: node.span, newText: JSON.stringify(source) });
  }
  if (types.includes('array') && node.style !== 'block') {
    return fix('Make it a list', { span: node.span, newText: `[${source}]` });
  }
  return [];
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
