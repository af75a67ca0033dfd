import { CodedError, type ErrorReport, type Location } from '../../base/core/errors.ts';
import type { NodePath } from './node.ts';
import type { ConfigDocument } from './parse.ts';
import type { Severity, RuleEntry } from './rules/ruleEntry.ts';
import type { Span, TextEdit, TextRange } from './text.ts';
import { acrossRules } from './rules/across/catalog.ts';
import { textRules } from './rules/textRules.ts';

export const ruleCatalog: Readonly<Record<RuleId, RuleEntry>> = { ...textRules, ...acrossRules };

export type RuleId = keyof typeof textRules | keyof typeof acrossRules;

export function isRule(id: string): id is RuleId {
  return Object.hasOwn(ruleCatalog, id);
}

export interface Fix {
  readonly title: string;
  readonly edits: readonly TextEdit[];
  /** Other files that the fix writes to, such as that of a locator's class. */
  readonly writes?: readonly FileWrite[];
}

export interface FileWrite {
  /** Absolute path; created with its folders if it does not exist. */
  readonly file: string;
  /** Appended to the file. */
  readonly text: string;
}

/** A problem of a text that is shown in the editor. The best fix comes first. */
export interface Finding {
  readonly rule: RuleId;
  readonly severity: Severity;
  readonly range: TextRange;
  readonly message: string;
  /** Computed on first access: most findings are shown without their fixes. */
  readonly fixes: readonly Fix[];
  /** The style in the editor: faded out, or struck through. */
  readonly tag?: 'unnecessary' | 'deprecated' | undefined;
  /** The value that the program uses in place of another one in the file. */
  readonly becomes?: { readonly path: NodePath; readonly value: number | string | boolean };
  readonly related?: readonly RelatedLocation[] | undefined;
}

export interface RelatedLocation {
  readonly location: Location;
  readonly message: string;
}

export interface FindingParts extends Omit<Finding, 'range' | 'fixes'> {
  readonly fixes?: readonly Fix[] | (() => readonly Fix[]) | undefined;
}

export function finding(document: ConfigDocument, span: Span, what: FindingParts): Finding {
  return lazily(what, document.lines.range(span));
}

export function withSeverity(found: Finding, severity: Severity): Finding {
  if (found.severity === severity) return found;
  const { rule, message, tag, related, range } = found;
  return lazily({ rule, severity, message, tag, related, fixes: () => found.fixes }, range);
}

function lazily({ fixes, tag, related, ...shown }: FindingParts, range: TextRange): Finding {
  let known = typeof fixes === 'function' ? undefined : (fixes ?? []);
  return {
    ...shown,
    ...(tag && { tag }),
    ...(related && { related }),
    range,
    get fixes() {
      return (known ??= typeof fixes === 'function' ? fixes() : []);
    },
  };
}

/** Returns a fix, or none where one of its edits is missing. */
export function fix(title: string, ...edits: (TextEdit | undefined)[]): Fix[] {
  const present = edits.filter((edit) => edit !== undefined);
  return present.length === edits.length ? [{ title, edits: present }] : [];
}

/** A problem of a config that was read for a run. An `error` means that training would not start either. */
export interface ConfigProblem extends Omit<ErrorReport, 'stack'> {
  readonly severity: 'error' | 'warning';
  /** Absent where the problem is in another file. */
  readonly span?: Span;
}

/** A problem with a value; `inside` is the span within the value's text. */
export interface LocatedProblem extends ConfigProblem {
  readonly inside?: Span;
}

/** Returns the first error as an exception, or undefined where there are only warnings. */
export function firstError(problems: readonly ConfigProblem[]): CodedError | undefined {
  const error = problems.find((problem) => problem.severity === 'error');
  return error && new CodedError(error);
}
