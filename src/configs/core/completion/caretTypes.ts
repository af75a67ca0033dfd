import type { Span } from '../text.ts';

/** The path from the top; 0 is any item of a list. */
export type CaretPath = readonly (string | 0)[];

/** A key may be begun or chosen here. */
export interface KeyCaret {
  readonly kind: 'key';
  /** The path of the section. */
  readonly path: CaretPath;
  /** The span that a choice replaces. */
  readonly span: Span;
  /** Keys that the section has already. */
  readonly present: ReadonlySet<string>;
  /** The column of the key on its line; undefined in braces. */
  readonly column: number | undefined;
  /** True if a `:` follows. */
  readonly isComplete: boolean;
}

/** A value may stand here: of a key, or an item of a list. */
export interface ValueCaret {
  readonly kind: 'value';
  readonly path: CaretPath;
  readonly span: Span;
  /** The text to insert before the value. */
  readonly lead: string;
  readonly present: ReadonlySet<string>;
  readonly inFlow: boolean;
}

/** Within `${…}`. */
export interface ReferenceCaret {
  readonly kind: 'reference';
  /** The path of the value that has the interpolation. */
  readonly path: CaretPath;
  /** The span that a choice replaces: the path as far as it is written, or the name of the resolver. */
  readonly span: Span;
  readonly written: string;
  /** The resolver, if the caret is in one of its arguments. */
  readonly resolver: string | undefined;
  /** True if a `}` follows. */
  readonly isClosed: boolean;
}

export type Caret = KeyCaret | ValueCaret | ReferenceCaret;
