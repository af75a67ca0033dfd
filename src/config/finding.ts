import type { ConfigDocument } from './parse.ts';
import type { Span, TextEdit, TextRange } from './text.ts';

export type RuleId =
  | 'yaml-syntax'
  | 'yaml-tag'
  | 'alias'
  | 'duplicate-key'
  | 'unknown-key'
  | 'wrong-type'
  | 'unknown-value'
  | 'out-of-range'
  | 'missing-key'
  | 'deprecated-key'
  | 'unused-key'
  | 'locator';

export interface Fix {
  readonly title: string;
  readonly edits: readonly TextEdit[];
}

/** Something a text gets wrong. Fixes come best first. */
export interface Finding {
  readonly rule: RuleId;
  readonly severity: 'error' | 'warning' | 'information' | 'hint';
  readonly range: TextRange;
  readonly message: string;
  readonly fixes: readonly Fix[];
}

export function finding(
  document: ConfigDocument,
  span: Span,
  what: Omit<Finding, 'range' | 'fixes'> & { readonly fixes?: readonly Fix[] },
): Finding {
  return { fixes: [], ...what, range: document.lines.range(span) };
}

/** A fix of one edit; none where there is no edit. */
export function fix(title: string, ...edits: (TextEdit | undefined)[]): Fix[] {
  const present = edits.filter((edit) => edit !== undefined);
  return present.length === edits.length ? [{ title, edits: present }] : [];
}
