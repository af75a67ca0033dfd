import { formatLocation } from '../../../base/core/errors.ts';
import { findingSpan, type ConfigContext } from '../context.ts';
import { finding, type ConfigProblem, type Finding, type Fix, type RuleId } from '../finding.ts';
import type { ConfigDocument } from '../parse.ts';
import type { Span } from '../text.ts';
import { isWholeExperiment } from './missingKeys.ts';
import { bundledNames } from '../compose/bundledDefaults.ts';
import { entryOf, type Node, type ScalarNode } from '../node.ts';

/** Problems of composing by the start of their code; what other rules tell already is not among them. */
const rules: readonly (readonly [prefix: string, rule: RuleId])[] = [
  ['config/interpolation', 'interpolation'],
  ['config/environment', 'interpolation'],
  ['config/defaults', 'defaults'],
  ['config/search-path', 'search-path'],
  ['config/missing-value', 'missing-value'],
  ['config/merge', 'composition'],
  ['config/key', 'composition'],
  ['config/not-a-mapping', 'composition'],
];

/**
 * Reports the problems of composing at the key that causes them. A missing environment variable or search folder may
 * exist on the training machine, so these are warnings.
 */
export function compositionProblems(context: ConfigContext): Finding[] {
  const { composition, document, file } = context;
  const whole = isWholeExperiment(document, context.dialect);
  const elsewhere: ConfigProblem[] = [];
  const here = composition.problems.flatMap((problem): Finding[] => {
    if (problem.location !== undefined && problem.location.file !== file) {
      if (problem.severity === 'error') elsewhere.push(problem);
      return [];
    }
    const rule = rules.find(([prefix]) => problem.code.startsWith(prefix))?.[1];
    if (rule === undefined || problem.location === undefined) return [];
    const { hint = '' } = problem;
    const severity = problem.code.startsWith('config/environment')
      ? 'information'
      : problem.code === 'config/defaults-elsewhere' || (rule === 'interpolation' && !whole)
        ? 'warning'
        : problem.severity;
    const message = `${problem.message} ${hint}`.trimEnd();
    return [finding(document, spanOf(document, problem), { rule, severity, message })];
  });
  return [...here, ...inOtherFiles(document, elsewhere)];
}

/** One finding per file, at `defaults`, which brings it in. */
function inOtherFiles(document: ConfigDocument, problems: readonly ConfigProblem[]): Finding[] {
  const files = new Set(problems.map(({ location }) => location?.file));
  return [...files].flatMap((file) => {
    const [first, ...more] = problems.filter(({ location }) => location?.file === file);
    if (first?.location === undefined) return [];
    const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
    const message = `${formatLocation(first.location)}: ${first.message}${others}`;
    const related = [first, ...more].flatMap(({ location, message: text }) =>
      location === undefined ? [] : [{ location, message: text }],
    );
    const span = findingSpan(document, ['defaults']);
    return [finding(document, span, { rule: 'composition', severity: 'warning', message, related })];
  });
}

function spanOf(document: ConfigDocument, problem: ConfigProblem): Span {
  if (problem.span !== undefined) return problem.span;
  const { lines, text } = document;
  const line = lines.line((problem.location?.line ?? 1) - 1);
  const start = Math.min(line.start + (problem.location?.column ?? 1) - 1, line.end);
  const [word] = /^\S+/.exec(text.slice(start, line.end)) ?? [''];
  return { start, end: start + word.length };
}

/** `_self_` before a file of defaults that sets everything: what the config itself says is overwritten by it. */
export function selfBeforeDefaults({ document, dialect }: ConfigContext): Finding[] {
  if (dialect.composition !== 'hydra') return [];
  const list = entryOf(document.root, 'defaults')?.value;
  if (list?.kind !== 'sequence') return [];
  const self = list.items.findIndex((item) => nameOf(item) === '_self_');
  const later = list.items.slice(self + 1).filter((item) => bundledNames.has(nameOf(item) ?? ''));
  if (self === -1 || later.length === 0) return [];
  const names = later.map((item) => `\`${nameOf(item) ?? ''}\``).join(', ');
  const message = `\`_self_\` comes before ${names}, so their values overwrite the values of this file. Put \`_self_\` at the end.`;
  const span = list.items[self]?.span ?? list.span;
  const fixes = (): Fix[] => lastFix(document, list.items.slice(self));
  return [finding(document, span, { rule: 'defaults', severity: 'warning', message, fixes })];
}

function nameOf(item: Node): string | undefined {
  return item.kind === 'scalar' && typeof item.value === 'string' ? item.value : undefined;
}

/** Each name moves up by one place; everything around them stays. */
function lastFix({ text }: ConfigDocument, items: readonly Node[]): Fix[] {
  const scalars = items.filter(
    (item): item is ScalarNode => item.kind === 'scalar' && item.style !== 'block',
  );
  if (scalars.length < items.length) return [];
  const edits = scalars.map(({ span }, index) => {
    const next = scalars[(index + 1) % scalars.length]?.span ?? span;
    return { span, newText: text.slice(next.start, next.end) };
  });
  return [{ title: 'Put `_self_` at the end', edits }];
}
