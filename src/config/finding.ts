import type { Location } from '../base/errors.ts';
import type { ConfigDocument } from './parse.ts';
import type { RuleId } from './rules/catalog.ts';
import type { Severity } from './rules/ruleEntry.ts';
import type { Span, TextEdit, TextRange } from './text.ts';

export interface Fix {
  readonly title: string;
  readonly edits: readonly TextEdit[];
  /** Other files that the fix writes to, such as the class that a locator names. */
  readonly writes?: readonly FileWrite[];
}

export interface FileWrite {
  /** Absolute; made, with its folders, where it is not there. */
  readonly file: string;
  /** Added at the end of what the file has. */
  readonly text: string;
}

/** Something a text gets wrong. Fixes come best first. */
export interface Finding {
  readonly rule: RuleId;
  readonly severity: Severity;
  readonly range: TextRange;
  readonly message: string;
  /** Worked out when first asked for: most findings are shown without anybody looking at their fixes. */
  readonly fixes: readonly Fix[];
  /** How an editor may show the text: greyed out, or struck through. */
  readonly tag?: 'unnecessary' | 'deprecated' | undefined;
  /** Other places that take part, in this file or another. */
  readonly related?: readonly RelatedPlace[] | undefined;
}

export interface RelatedPlace {
  readonly location: Location;
  readonly message: string;
}

export interface FindingParts extends Omit<Finding, 'range' | 'fixes'> {
  readonly fixes?: readonly Fix[] | (() => readonly Fix[]) | undefined;
}

export function finding(document: ConfigDocument, span: Span, what: FindingParts): Finding {
  return lazily(what, document.lines.range(span));
}

/** The same finding taken more or less seriously. */
export function withSeverity(found: Finding, severity: Severity): Finding {
  if (found.severity === severity) return found;
  const { rule, message, tag, related, range } = found;
  return lazily({ rule, severity, message, tag, related, fixes: () => found.fixes }, range);
}

function lazily({ fixes, tag, related, ...told }: FindingParts, range: TextRange): Finding {
  let known = typeof fixes === 'function' ? undefined : (fixes ?? []);
  return {
    ...told,
    ...(tag && { tag }),
    ...(related && { related }),
    range,
    get fixes() {
      return (known ??= typeof fixes === 'function' ? fixes() : []);
    },
  };
}

/** A fix of one edit; none where there is no edit. */
export function fix(title: string, ...edits: (TextEdit | undefined)[]): Fix[] {
  const present = edits.filter((edit) => edit !== undefined);
  return present.length === edits.length ? [{ title, edits: present }] : [];
}
