import { fix, finding, type Finding, type Fix } from './finding.ts';
import { ajetKeys, type KeyTable } from './keyTable.ts';
import type { ConfigDocument, ParseProblem } from './parse.ts';
import { lifecycle, unknownKey } from './rules/keys.ts';
import { missingKeys } from './rules/missingKeys.ts';
import { brokenLocator, outOfRange, unknownValue, wrongType } from './rules/values.ts';
import { visitAll, type Rule } from './rules/visit.ts';

const rules: readonly Rule[] = [unknownKey, lifecycle, wrongType, unknownValue, outOfRange, brokenLocator];

/** What a text alone gets wrong, in the order of the text. */
export function diagnose(document: ConfigDocument, table: KeyTable = ajetKeys()): Finding[] {
  return [...diagnoseStepwise(document, table)]
    .flat()
    .sort((a, b) => a.range.start.offset - b.range.start.offset);
}

/** The same in small steps, for whoever has to do something else in between. Unsorted. */
export function* diagnoseStepwise(
  document: ConfigDocument,
  table: KeyTable = ajetKeys(),
): Generator<Finding[]> {
  yield syntaxFindings(document);
  // The same value is visited once per alias that brings it in.
  const seen = new Set<string>();
  for (const visit of visitAll(document, table)) {
    const findings = rules.flatMap((rule) => rule(visit));
    yield findings.filter(({ rule, range, message }) => {
      const id = `${rule} ${range.start.offset} ${message}`;
      return !seen.has(id) && seen.add(id);
    });
  }
  yield missingKeys(document, table);
}

/** One problem of a line is told: the others are mostly its echoes. */
function syntaxFindings(document: ConfigDocument): Finding[] {
  const lines = new Set<string>();
  return document.problems.flatMap((problem) => {
    const line = `${problem.rule} ${document.lines.position(problem.span.start).line}`;
    if (problem.rule === 'yaml-syntax' && lines.has(line)) return [];
    lines.add(line);
    const { rule, severity, message, span } = problem;
    return [
      finding(document, visible(document, span), {
        rule,
        severity,
        message,
        fixes: syntaxFixes(document, problem),
      }),
    ];
  });
}

/** At least one character, where there is one, and not beyond the line the problem starts on. */
function visible(document: ConfigDocument, span: ParseProblem['span']): ParseProblem['span'] {
  const line = document.lines.line(document.lines.position(span.start).line);
  const end = Math.min(Math.max(span.end, span.start + 1), line.end);
  if (end > span.start) return { start: span.start, end };
  return { start: Math.max(line.start, end - 1), end };
}

function syntaxFixes({ text, lines }: ConfigDocument, { span }: ParseProblem): Fix[] {
  const line = lines.line(lines.position(span.start).line);
  const [indent] = /^[ \t]*/.exec(text.slice(line.start, line.end)) ?? [''];
  if (!indent.includes('\t')) return [];
  const edit = {
    span: { start: line.start, end: line.start + indent.length },
    newText: indent.replaceAll('\t', '  '),
  };
  return fix('Indent with spaces', edit);
}
