import type { WorkspaceFacts } from './context.ts';
import type { Dialect } from './dialect.ts';
import { removeEntry } from './edits.ts';
import { fix, finding, type Finding, type Fix } from './finding.ts';
import { ajetKeys, type KeyTable } from './keyTable.ts';
import type { MappingNode, Node } from './node.ts';
import type { ConfigDocument, ParseProblem } from './parse.ts';
import { lifecycle, unknownKey } from './rules/keys.ts';
import { missingKeys } from './rules/missingKeys.ts';
import { missingPaths } from './rules/paths.ts';
import { brokenLocator, outOfRange, unknownValue, wrongType } from './rules/values.ts';
import { visitAll, type Rule } from './rules/visit.ts';

const rules: readonly Rule[] = [unknownKey, lifecycle, wrongType, unknownValue, outOfRange, brokenLocator];

/** What else is known beside the text. */
export interface Around {
  /** Who loads the file; AgentJet's launcher where nothing is said. */
  readonly dialect?: Pick<Dialect, 'composition' | 'bundled'> | undefined;
  readonly facts?: WorkspaceFacts | undefined;
}

/** What a text alone gets wrong, in the order of the text. */
export function diagnose(
  document: ConfigDocument,
  table: KeyTable = ajetKeys(),
  { dialect, facts }: Around = {},
): Finding[] {
  const found = syntaxFindings(document, dialect?.composition === 'omegaconf');
  // The same value is visited once per alias that brings it in.
  const seen = new Set<string>();
  const all = [
    ...visitAll(document, table).flatMap((visit) => rules.flatMap((rule) => rule(visit))),
    ...(facts ? missingPaths(document, table, facts) : []),
  ];
  for (const one of all) {
    const id = `${one.rule} ${one.range.start.offset} ${one.message}`;
    if (!seen.has(id)) found.push(one);
    seen.add(id);
  }
  found.push(...missingKeys(document, table, dialect));
  return found.sort((a, b) => a.range.start.offset - b.range.start.offset);
}

/** One problem of a line is told: the others are mostly its echoes. */
function syntaxFindings(document: ConfigDocument, refusesDuplicates: boolean): Finding[] {
  const lines = new Set<string>();
  return document.problems.flatMap((problem) => {
    const line = `${problem.rule} ${document.lines.position(problem.span.start).line}`;
    if (problem.rule === 'yaml-syntax' && lines.has(line)) return [];
    lines.add(line);
    const { rule, span } = problem;
    const { severity, message } =
      rule === 'duplicate-key' && refusesDuplicates ? refused(document, problem) : problem;
    const fixes = (): Fix[] => syntaxFixes(document, problem);
    return [finding(document, visible(document, span), { rule, severity, message, fixes })];
  });
}

/** OmegaConf's own loader takes no key twice; AgentJet's launcher reads an experiment with one that does. */
function refused(
  { text }: ConfigDocument,
  { span }: ParseProblem,
): Pick<ParseProblem, 'severity' | 'message'> {
  const key = text.slice(span.start, span.end);
  return { severity: 'error', message: `\`${key}\` stands twice in this mapping, so the file is refused.` };
}

/** At least one character, where there is one, and not beyond the line the problem starts on. */
function visible(document: ConfigDocument, span: ParseProblem['span']): ParseProblem['span'] {
  const line = document.lines.line(document.lines.position(span.start).line);
  const end = Math.min(Math.max(span.end, span.start + 1), line.end);
  if (end > span.start) return { start: span.start, end };
  return { start: Math.max(line.start, end - 1), end };
}

function syntaxFixes(document: ConfigDocument, problem: ParseProblem): Fix[] {
  if (problem.rule === 'duplicate-key') return duplicateFixes(document, problem);
  const { text, lines } = document;
  const line = lines.line(lines.position(problem.span.start).line);
  const [indent] = /^[ \t]*/.exec(text.slice(line.start, line.end)) ?? [''];
  if (!indent.includes('\t')) return [];
  const edit = {
    span: { start: line.start, end: line.start + indent.length },
    newText: indent.replaceAll('\t', '  '),
  };
  return fix('Indent with spaces', edit);
}

/** Either of the two may be the one that is meant; the last is what counts so far. */
function duplicateFixes(document: ConfigDocument, { span }: ParseProblem): Fix[] {
  const parent = mappingWith(document.root, span.start);
  const here = parent?.entries.findIndex((entry) => entry.keySpan.start === span.start) ?? -1;
  const entry = parent?.entries[here];
  if (parent === undefined || entry === undefined) return [];
  const earlier = parent.entries.slice(0, here).findLast(({ key }) => key === entry.key);
  return [
    ...fix(`Remove this \`${entry.key}\``, removeEntry(document, entry, parent)),
    ...(earlier === undefined
      ? []
      : fix(`Remove the \`${entry.key}\` before`, removeEntry(document, earlier, parent))),
  ];
}

/** The mapping that has a key at an offset. */
function mappingWith(node: Node | undefined, offset: number): MappingNode | undefined {
  if (node?.kind === 'sequence') return firstOf(node.items, offset);
  if (node?.kind !== 'mapping') return undefined;
  if (node.entries.some(({ keySpan }) => keySpan.start === offset)) return node;
  return firstOf(
    node.entries.map(({ value }) => value),
    offset,
  );
}

function firstOf(nodes: readonly Node[], offset: number): MappingNode | undefined {
  for (const node of nodes) {
    const { start, end } = node.span;
    const found = start <= offset && offset < end ? mappingWith(node, offset) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
