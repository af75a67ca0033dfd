import type { Span } from '../text.ts';
import type { Origin, Value } from '../value.ts';
import type { Element } from './grammar.ts';

/** Looks up an environment variable; `blocked` where the workspace is not trusted with it. */
export type Environment = ((name: string) => string | undefined) | 'blocked';

export interface Place {
  readonly path: readonly string[];
  readonly origin: Origin;
  /** Of the interpolation, in the value's text. */
  readonly inside?: Span;
}

/** A value as the config has it, interpolations within it unresolved; `path` is where. No path: made by a resolver. */
export interface Found {
  readonly value: Value;
  readonly path: readonly string[] | undefined;
  /** What it is inside a text, where that is not what the value would be. */
  readonly shown?: string;
}

/** Thrown once a problem has been reported: nothing that needs the value can be resolved either. */
export class Unresolved extends Error {}

/** There is only one: to make an error is to write down the stack, which takes longer than to resolve a value. */
export const unresolved = new Unresolved();

/** What resolvers ask of the config that they are called in. */
export interface ResolverHost {
  readonly environment: Environment;
  select(path: string, place: Place, soft?: boolean): Found | undefined;
  element(element: Element, place: Place): Found;
  deep(value: Value, path: readonly string[]): Value;
  settled(found: Found): Value;
  fail(place: Place, code: string, message: string, hint?: string): never;
}
