import type { Span } from '../text.ts';
import type { Origin, Value } from '../value.ts';
import type { Element } from './grammar.ts';

/** Looks up an environment variable; `blocked` where the workspace is not trusted with it. */
export type Environment = ((name: string) => string | undefined) | 'blocked';

/** The value that is being resolved. */
export interface InterpolationSite {
  readonly path: readonly string[];
  readonly origin: Origin;
  /** Span of the interpolation in the value's text. */
  readonly inside?: Span;
}

/** A value with unresolved interpolations. `path` is its place in the config; a resolver's result has none. */
export interface ResolvedValue {
  readonly value: Value;
  readonly path: readonly string[] | undefined;
}

/** Thrown after a problem has been reported: nothing that needs the value can be resolved. */
export class Unresolved extends Error {}

/** The only instance: capturing a stack takes longer than resolving a value. */
export const unresolved = new Unresolved();

export interface ResolverHost {
  readonly environment: Environment;
  select(path: string, site: InterpolationSite, soft?: boolean): ResolvedValue | undefined;
  element(element: Element, site: InterpolationSite): ResolvedValue;
  deep(value: Value, path: readonly string[]): Value;
  fail(site: InterpolationSite, code: string, message: string, hint?: string): never;
}
