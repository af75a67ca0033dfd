/** The classes and functions in one Python, TypeScript or JavaScript text that a locator can name. */
export interface ModuleScan {
  /** Declared at the top of the module, in the order they stand in. */
  readonly declarations: readonly Declaration[];
  /**
   * The exported names: a declaration, or an import. If a name is bound more than once, the last binding counts, but a
   * declaration wins over a placeholder such as `None`.
   */
  readonly names: ReadonlyMap<string, Binding>;
  /** Names that only the module itself can use; TypeScript's that are not exported. */
  readonly hidden: ReadonlyMap<string, Binding>;
  /** Modules of which everything is passed on (`from x import *`, `export * from 'x'`). */
  readonly stars: readonly string[];
  /** True if the module may export names that its text does not show, for example through `__getattr__`. */
  readonly hasMore: boolean;
}

export interface Declaration {
  readonly name: string;
  readonly kind: 'class' | 'function' | 'value';
  /** The offset of the name, or of the keyword if there is no name. */
  readonly offset: number;
  /** The base classes as written, without type arguments. */
  readonly bases: readonly string[];
  readonly parameters: readonly string[];
  readonly isAbstract?: boolean;
  readonly registered?: string;
}

export type Binding =
  | { readonly kind: 'declared'; readonly declaration: Declaration }
  /** `name` undefined: the module as a whole. */
  | { readonly kind: 'imported'; readonly module: string; readonly name: string | undefined }
  /** Another name of this module, perhaps with attributes of it: `other`, `package.module.X`. */
  | { readonly kind: 'alias'; readonly target: string };

/** A value that only keeps a name's place until, or unless, an import gives it another. */
export function isPlaceholder(value: string): boolean {
  return /^(?:None|undefined|null)$/.test(value);
}
