import { CodedError, type Location } from '../../base/core/errors.ts';
import { ajetKeys } from './key-tables/keyTable.ts';
import type { ScalarType } from './scalar.ts';
import {
  isNull,
  toPlain,
  valueAt,
  type MappingValue,
  type Origin,
  type Plain,
  type ScalarPart,
  type Value,
} from './value.ts';

/**
 * A composed config. Paths are dotted, as in `ajet.rollout.num_repeat`. A number is the index in a list. The typed
 * getters throw `config/missing` for a missing or null value, and `config/wrong-type` for a value of another type.
 * Getters whose name ends in `OrNull` return null for a missing or null value.
 */
export class Config {
  /** The file the user wrote, absolute. */
  readonly file: string;
  readonly root: MappingValue;
  readonly #names: ReadonlyMap<string, string>;

  /** @param names what the config itself calls a path, where that is something else */
  constructor(file: string, root: MappingValue, names: ReadonlyMap<string, string> = new Map()) {
    this.file = file;
    this.root = root;
    this.#names = names;
  }

  nameOf(path: string): string {
    return this.#names.get(path) ?? path;
  }

  get(path: string): { readonly value: Plain; readonly origin: Origin } | undefined {
    const value = this.at(path);
    return value && { value: toPlain(value), origin: value.origin };
  }

  /** The value at a path, with its own origin and those of its parts. */
  at(path: string): Value | undefined {
    return valueAt(this.root, path);
  }

  /** Returns a copy of all values that the caller may change. */
  plain(): Record<string, Plain> {
    return Object.fromEntries([...this.root.entries].map(([key, value]) => [key, toPlain(value)]));
  }

  string(path: string): string {
    return this.#present(path, this.stringOrNull(path));
  }

  stringOrNull(path: string): string | null {
    const value = this.#scalar(path, ['string'], 'a text');
    return typeof value === 'string' ? value : null;
  }

  /** Returns an integer. `4.0` is not an integer, as in Python. */
  integer(path: string): number {
    return this.#present(path, this.integerOrNull(path));
  }

  integerOrNull(path: string): number | null {
    const value = this.#scalar(path, ['integer'], 'an integer');
    return typeof value === 'number' ? value : null;
  }

  number(path: string): number {
    return this.#present(path, this.numberOrNull(path));
  }

  numberOrNull(path: string): number | null {
    const value = this.#scalar(path, ['integer', 'float'], 'a number');
    return typeof value === 'number' ? value : null;
  }

  boolean(path: string): boolean {
    return this.#present(path, this.booleanOrNull(path));
  }

  booleanOrNull(path: string): boolean | null {
    const value = this.#scalar(path, ['boolean'], '`true` or `false`');
    return typeof value === 'boolean' ? value : null;
  }

  stringList(path: string): string[] {
    const value = this.at(path);
    if (value === undefined || isNull(value)) throw this.#missing(path);
    const items = value.kind === 'sequence' ? value.items.map(textOf) : [undefined];
    const texts = items.filter((item) => item !== undefined);
    if (texts.length !== items.length) throw this.#wrongType(path, value, 'a list of strings');
    return texts;
  }

  /** Returns the location of the value, or else of the nearest section around it. */
  locate(path: string): Location {
    const steps = path.split('.');
    for (let length = steps.length; length > 0; length--) {
      const origin = this.at(steps.slice(0, length).join('.'))?.origin;
      if (origin?.kind === 'file') return origin.location;
    }
    return { file: this.file };
  }

  #scalar(path: string, types: readonly ScalarType[], wanted: string): ScalarPart['value'] {
    const value = this.at(path);
    if (value === undefined || isNull(value)) return null;
    if (value.kind !== 'scalar' || !types.includes(value.type)) throw this.#wrongType(path, value, wanted);
    return value.value;
  }

  #present<T>(path: string, value: T | null): T {
    if (value === null) throw this.#missing(path);
    return value;
  }

  #missing(path: string): CodedError {
    return new CodedError({
      code: 'config/missing',
      message: `\`${this.nameOf(path)}\` is not set.`,
      location: this.locate(path),
      hint: `Set \`${this.nameOf(path)}\`${example(path)}.`,
    });
  }

  #wrongType(path: string, value: Value, wanted: string): CodedError {
    return new CodedError({
      code: 'config/wrong-type',
      message: `\`${this.nameOf(path)}\` must be ${wanted}, but is ${describe(value)}.`,
      location: this.locate(path),
      hint: `Set \`${this.nameOf(path)}\` to ${wanted}${example(path)}.`,
    });
  }
}

function example(path: string): string {
  const info = ajetKeys().get(path)?.info;
  return info?.hasDefault === true && info.default !== null
    ? `, for example ${JSON.stringify(info.default)}`
    : '';
}

function textOf(value: Value): string | undefined {
  return value.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined;
}

function describe(value: Value): string {
  if (value.kind === 'mapping') return 'a section';
  if (value.kind === 'sequence') return 'a list';
  return value.type === 'string' ? `the string ${JSON.stringify(value.value)}` : `\`${String(value.value)}\``;
}
