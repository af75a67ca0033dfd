import type { ConfigDocument } from './parse.ts';
import type { RuleId } from './rules/catalog.ts';
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
