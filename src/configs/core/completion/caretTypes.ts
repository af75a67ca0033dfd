import type { Span } from '../text.ts';

/** From the top; 0 stands for an item of a list, whichever it is. */
export type CaretPath = readonly (string | 0)[];

/** A key may be begun or chosen here. */
export interface KeyCaret {
  readonly kind: 'key';
  /** Of the section. */
  readonly path: CaretPath;
  /** What a choice takes the place of. */
  readonly span: Span;
  /** Keys that the section has already. */
  readonly present: ReadonlySet<string>;
  /** Where the key begins on its line; undefined in braces. */
  readonly column: number | undefined;
  /** Whether a `:` follows already. */
  readonly isComplete: boolean;
}

/** A value may stand here: of a key, or an item of a list. */
export interface ValueCaret {
  readonly kind: 'value';
  /** Of the value itself. */
  readonly path: CaretPath;
  readonly span: Span;
  /** What has to be put before the value. */
  readonly lead: string;
  /** Items that the list has already. */
  readonly present: ReadonlySet<string>;
  readonly inFlow: boolean;
}

/** Within `${…}`. */
export interface ReferenceCaret {
  readonly kind: 'reference';
  /** Of the value that the interpolation is in. */
  readonly path: CaretPath;
  /** What a choice takes the place of: the path as far as it is written, or the resolver's name. */
  readonly span: Span;
  readonly written: string;
  /** Set where an argument of a resolver stands here. */
  readonly resolver: string | undefined;
  /** Whether a `}` follows already. */
  readonly isClosed: boolean;
}

export type Caret = KeyCaret | ValueCaret | ReferenceCaret;
