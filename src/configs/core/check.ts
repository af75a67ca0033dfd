import type { ConfigContext, ResolvedReferences } from './context.ts';
import type { Dialect } from './dialect.ts';
import { removeEntry } from './edits.ts';
import { fix, finding, withSeverity, type Finding, type Fix, type RuleId } from './finding.ts';
import { ajetKeys, type KeyTable, astunerKeys } from './key-tables/keyTable.ts';
import { entryOf, nodeAt, nodesIn } from './node.ts';
import { type ConfigDocument, type ParseProblem, isBroken } from './parse.ts';
import { compositionProblems, selfBeforeDefaults } from './rules/composition.ts';
import { lifecycle, unknownKey } from './rules/keys.ts';
import { locatorTargets } from './rules/locators.ts';
import { missingKeys } from './rules/missingKeys.ts';
import { overwrittenValues } from './rules/overwritten.ts';
import { missingPaths } from './rules/paths.ts';
import type { Severity } from './rules/ruleEntry.ts';
import { brokenLocator, outOfRange, unknownValue, wrongType } from './rules/values.ts';
import { visitAll, type Rule } from './rules/visit.ts';
import { suppress } from './rules/suppress.ts';
import { ajetRules } from './rules/across/ajet/index.ts';
import { trinityRules } from './rules/across/trinity/index.ts';
import { isSetBy } from './configScript.ts';
import { migrateToAjet } from './migrate/migrateToAjet.ts';

/** A config that AgentJet does not read any more, but that can be rewritten for it. */
function oldDialect({ document, dialect }: ConfigContext): Finding[] {
  const { section, supersededBy } = dialect;
  if (section === undefined || supersededBy === undefined) return [];
  const root = entryOf(document.root, section);
  if (root === undefined) return [];
  const changed = changedDefaults()
    .filter(({ path }) => nodeAt(document.root, path.split('.')) === undefined)
    .map(({ path, before, after }) => `\`${path.split('.').at(-1) ?? ''}\` ${before} → ${after}`);
  const changes =
    changed.length === 0
      ? ''
      : ` Changed defaults of keys that this file does not set: ${changed.join(', ')}.`;
  const message = `\`${section}\` is the section of AgentJet's predecessor. AgentJet reads \`${supersededBy}\`, in which some keys have other names.${changes}`;
  const fixes = (): Fix[] => {
    const edits = migrateToAjet(document);
    return edits.length === 0 ? [] : [{ title: 'Rewrite the file for AgentJet', edits }];
  };
  return [
    finding(document, root.keySpan, {
      rule: 'legacy-astuner-config',
      severity: 'information',
      message,
      fixes,
    }),
  ];
}

type ChangedDefault = Readonly<Record<'path' | 'before' | 'after', string>>;
let changed: readonly ChangedDefault[] | undefined;

/** Keys of both dialects whose defaults differ; the names of programs and folders apart, which are rewritten. */
function changedDefaults(): readonly ChangedDefault[] {
  return (changed ??= astunerKeys().keys.flatMap(({ path, info }) => {
    const now = ajetKeys().get(path.replace(/^astuner\./, 'ajet.'))?.info;
    if (info?.hasDefault !== true || now?.hasDefault !== true || !path.startsWith('astuner.')) return [];
    const [before, after] = [JSON.stringify(info.default), JSON.stringify(now.default)];
    return before.replaceAll('astuner', 'ajet') === after ? [] : [{ path, before, after }];
  }));
}

export type ContextRule = (context: ConfigContext) => readonly Finding[];

/** Every rule across keys. While a text is broken, sections may seem to be missing, so nothing is concluded from it. */
export const crossKeyRules: readonly ContextRule[] = [whole(ajetRules), whole(trinityRules)];

function whole(rule: ContextRule): ContextRule {
  return (context) => (isBroken(context.document) ? [] : rule(context));
}

export interface CheckSettings {
  /** Severities that replace those of the rules. */
  readonly rules?: Readonly<Partial<Record<RuleId, Severity | 'off'>>> | undefined;
}

/** Rules that need more than the text: what the config is composed of, what it refers to, and what training makes of it. */
const contextRules: readonly ContextRule[] = [
  compositionProblems,
  selfBeforeDefaults,
  locatorTargets,
  overwrittenValues,
  oldDialect,
  ...crossKeyRules,
];

/** Returns all findings of a config, in the order of the text. */
export function check(context: ConfigContext, settings: CheckSettings = {}): Finding[] {
  const { document, dialect, references } = context;
  const { rules: severities = {} } = settings;
  const findings = [
    ...diagnose(document, dialect.keys(), { dialect, references }),
    ...contextRules.flatMap((rule) => rule(context)),
  ];
  return suppress(document, dedupeFindings(findings), (rule) => severities[rule] !== 'off')
    .flatMap((found) => {
      const severity = severities[found.rule] ?? found.severity;
      return severity === 'off' ? [] : [withSeverity(found, severity)];
    })
    .sort(byOffset);
}

/** Compares by position. The sort is stable: of findings at one position, those of the value itself come first. */
function byOffset(a: Finding, b: Finding): number {
  return a.range.start.offset - b.range.start.offset;
}

/** Pairs of rules that report the same problem: on one line, the second makes the first redundant. */
const redundant: readonly (readonly [rule: RuleId, because: RuleId])[] = [
  ['wrong-type', 'null-not-convertible'],
  ['deprecated-key', 'trinity-trainer'],
];

function dedupeFindings(findings: readonly Finding[]): Finding[] {
  const reported = new Set(findings.map(lineAndRule));
  return findings.filter(({ rule, range }) =>
    redundant.every(([one, because]) => rule !== one || !reported.has(lineAndRule({ rule: because, range }))),
  );
}

function lineAndRule({ rule, range }: Pick<Finding, 'rule' | 'range'>): string {
  return `${range.start.line} ${rule}`;
}

const valueRules: readonly Rule[] = [
  unknownKey,
  lifecycle,
  wrongType,
  unknownValue,
  outOfRange,
  brokenLocator,
];

export interface TextContext {
  /** The dialect of the loader; AgentJet's launcher by default. */
  readonly dialect?: Pick<Dialect, 'composition' | 'bundled'> | undefined;
  readonly references?: ResolvedReferences | undefined;
}

/** Returns the findings that follow from the text alone, in the order of the text. */
export function diagnose(
  document: ConfigDocument,
  table: KeyTable = ajetKeys(),
  { dialect, references }: TextContext = {},
): Finding[] {
  const found = syntaxFindings(document, dialect?.composition === 'omegaconf');
  // A value is visited once per alias that brings it in.
  const seen = new Set<string>();
  const all = [
    ...visitAll(document, table).flatMap((visit) => valueRules.flatMap((rule) => rule(visit))),
    ...(references ? missingPaths(document, table, references) : []),
  ];
  for (const one of all) {
    const id = `${one.rule} ${one.range.start.offset} ${one.message}`;
    if (!seen.has(id)) found.push(one);
    seen.add(id);
  }
  found.push(...missingKeys(document, table, dialect, (path) => isSetBy(references?.script, path)));
  return found.sort(byOffset);
}

/**
 * Reports one syntax problem per line: the others mostly follow from it. From a tab in the indentation, those of all
 * later lines follow too.
 */
function syntaxFindings(document: ConfigDocument, refusesDuplicates: boolean): Finding[] {
  const lines = new Set<string>();
  const tab = document.problems.find(
    (problem) => problem.rule === 'yaml-syntax' && isAtTab(document, problem),
  );
  return document.problems.flatMap((problem) => {
    const line = `${problem.rule} ${document.lines.position(problem.span.start).line}`;
    if (problem.rule === 'yaml-syntax' && lines.has(line)) return [];
    const follows = tab !== undefined && problem !== tab && problem.span.start >= tab.span.start;
    if (problem.rule === 'yaml-syntax' && follows) return [];
    lines.add(line);
    const { rule, span } = problem;
    const { severity, message } =
      rule === 'duplicate-key' && refusesDuplicates ? refused(document, problem) : problem;
    const fixes = (): Fix[] => syntaxFixes(document, problem);
    return [finding(document, visible(document, span), { rule, severity, message, fixes })];
  });
}

/** OmegaConf's own loader rejects duplicate keys; AgentJet's launcher reads them. */
function refused(
  { text }: ConfigDocument,
  { span }: ParseProblem,
): Pick<ParseProblem, 'severity' | 'message'> {
  const key = text.slice(span.start, span.end);
  return { severity: 'error', message: `\`${key}\` is in this mapping twice, so the file is rejected.` };
}

/** Returns a span of at least one character, if there is one, that ends on the line where the problem starts. */
function visible(document: ConfigDocument, span: ParseProblem['span']): ParseProblem['span'] {
  const line = document.lines.line(document.lines.position(span.start).line);
  const end = Math.min(Math.max(span.end, span.start + 1), line.end);
  if (end > span.start) return { start: span.start, end };
  return { start: Math.max(line.start, end - 1), end };
}

function syntaxFixes(document: ConfigDocument, problem: ParseProblem): Fix[] {
  if (problem.rule === 'duplicate-key') return duplicateFixes(document, problem);
  const { text } = document;
  if (!isAtTab(document, problem)) return [];
  const edits = [...text.matchAll(/^ *\t[ \t]*/gm)].map(({ 0: indent, index: start }) => ({
    span: { start, end: start + indent.length },
    newText: indent.replaceAll('\t', '  '),
  }));
  const [first, ...rest] = edits;
  return fix('Indent with spaces', first, ...rest);
}

/** Returns true if the indentation of the problem's line has a tab. */
function isAtTab({ text, lines }: ConfigDocument, { span }: ParseProblem): boolean {
  const { start, end } = lines.line(lines.position(span.start).line);
  return /^ *\t/.test(text.slice(start, end));
}

function duplicateFixes(document: ConfigDocument, { span }: ParseProblem): Fix[] {
  const found = [...nodesIn(document.root)].find(({ entry }) => entry?.keySpan.start === span.start);
  if (found?.entry === undefined || found.parent?.kind !== 'mapping') return [];
  const { entry, parent } = found;
  const before = parent.entries.slice(0, parent.entries.indexOf(entry));
  const earlier = before.findLast(({ key }) => key === entry.key);
  return [
    ...fix(`Remove this \`${entry.key}\``, removeEntry(document, entry, parent)),
    ...(earlier === undefined
      ? []
      : fix(`Remove the first \`${entry.key}\``, removeEntry(document, earlier, parent))),
  ];
}
