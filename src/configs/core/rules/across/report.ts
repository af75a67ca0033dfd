import { replaceScalar } from '../../edits.ts';
import { findingSpan } from '../../context.ts';
import { entryOf, nodeAt, type NodePath } from '../../node.ts';
import type { ConfigDocument } from '../../parse.ts';
import type { Span } from '../../text.ts';
import { finding, fix, type Finding, type Fix } from '../../finding.ts';
import type { ScalarValue } from '../../scalar.ts';
import type { Severity } from '../ruleEntry.ts';
import { acrossRules, type AcrossRuleId } from './catalog.ts';
import type { Settings } from './settings.ts';

interface FindingRequest {
  /** Keys that take part, the one to point at first coming first: the first that this file writes is taken. */
  readonly at: readonly string[];
  readonly message: string;
  /** The rule's own where it is not said. */
  readonly severity?: Severity | undefined;
  readonly fixes?: () => readonly Fix[];
}

/** Returns a finding at the first of the keys that this file sets; none if it sets none of them. */
export function keyFinding(
  settings: Settings,
  rule: AcrossRuleId,
  { at, message, severity, fixes }: FindingRequest,
): Finding[] {
  const { document } = settings.context;
  const place = at.map((path) => settings.typed(path)).find((typed) => typed !== undefined);
  if (place === undefined) return [];
  const usual: Severity = acrossRules[rule].severity;
  return [finding(document, spanOf(document, place), { rule, severity: severity ?? usual, message, fixes })];
}

/** A section is pointed at by its key: all of it would be a page of underlined text. */
function spanOf(document: ConfigDocument, place: NodePath): Span {
  const name = place.at(-1);
  const parent = nodeAt(document.root, place.slice(0, -1));
  const entry = typeof name === 'string' ? entryOf(parent, name) : undefined;
  const isSection = entry !== undefined && entry.value.kind !== 'scalar';
  return isSection ? entry.keySpan : findingSpan(document, place);
}

/** `rollout.max_model_len` as messages name it, with its value: `` `max_model_len` 18000 ``. */
export function nameAndValue(settings: Settings, path: string): string {
  return `${quotedName(path)} ${scalarText(settings.scalar(path))}`;
}

/** The last name of a path, in backticks. */
export function quotedName(path: string): string {
  return `\`${path.split('.').at(-1) ?? path}\``;
}

export function scalarText(value: ScalarValue | undefined): string {
  return value === null || value === undefined ? 'null' : String(value);
}

/** A fix that writes another value where this file has one for the key. */
export function setValueFix(
  settings: Settings,
  path: string,
  value: number | string | boolean,
  verb = 'Set',
): Fix[] {
  const node = settings.node(path);
  if (node?.kind !== 'scalar' || node.span.end === node.span.start) return [];
  const isText = typeof value === 'string';
  const edit = replaceScalar(settings.context.document, node, String(value), isText);
  return fix(`${verb} ${quotedName(path)} to ${isText ? `\`${value}\`` : String(value)}`, edit);
}

const milder: Readonly<Record<Severity, Severity>> = {
  error: 'warning',
  warning: 'information',
  information: 'hint',
  hint: 'hint',
};

/** One step down, for what holds only under a condition that the config does not settle. */
export function lowerSeverity(severity: Severity): Severity {
  return milder[severity];
}

export function quotedList(names: readonly string[], last = 'and'): string {
  const quoted = names.map((name) => `\`${name}\``);
  const end = quoted.pop() ?? '';
  return quoted.length === 0 ? end : `${quoted.join(', ')} ${last} ${end}`;
}
