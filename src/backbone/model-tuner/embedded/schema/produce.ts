import type { Random } from '../../../../base/random.ts';
import { accepts, itemSchema, propertySchemas } from './accepts.ts';
import {
  asSchema,
  compilePattern,
  isRecord,
  numberOf,
  resolveReference,
  schemaList,
  schemaMap,
  stringList,
  typesOf,
  type Json,
  type JsonType,
  type Schema,
} from './jsonSchema.ts';
import { merge } from './merge.ts';
import { sampleOfPattern } from './pattern.ts';
import { produceNumber, produceString } from './scalars.ts';

type Keywords = Readonly<Record<string, unknown>>;

/** What a value may be filled with where the schema leaves it open. */
export interface Filling {
  /** A text for a property of this name (the empty name: the value itself). */
  text(name: string): string;
  /** A number for it, when the conversation suggests one. */
  number(name: string): number | undefined;
  /** Whether a property is worth giving although it is not required. */
  wants(name: string): boolean;
}

export interface ProduceOptions {
  readonly filling: Filling;
  readonly random: Random;
}

/** Below this depth only what must be there is made: a schema that refers to itself comes to an end. */
const shallow = 4;
const deepest = 12;

/**
 * Makes a value that meets the schema. Undefined when none was found: the schema allows nothing, or hides what it
 * allows behind conditions that this search does not solve.
 */
export function produceValue(schema: Schema, options: ProduceOptions): Json | undefined {
  return new Producer(schema, options).produce(schema, '', 0);
}

class Producer {
  readonly #root: Schema;
  readonly #filling: Filling;
  readonly #random: Random;

  constructor(root: Schema, options: ProduceOptions) {
    this.#root = root;
    this.#filling = options.filling;
    this.#random = options.random;
  }

  produce(schema: Schema, name: string, depth: number): Json | undefined {
    if (schema === false || depth > deepest) return undefined;
    const keywords = schema === true ? {} : schema;
    for (const candidate of this.#flatten(keywords, depth)) {
      for (const value of this.#candidates(candidate, name, depth)) {
        if (value !== undefined && accepts(schema, value, this.#root)) return value;
      }
    }
    return undefined;
  }

  /** The schema without references and combinations: one schema for each way through its alternatives. */
  *#flatten(schema: Keywords, depth: number): Generator<Keywords> {
    if (depth > deepest) return;
    const { $ref: reference, allOf, anyOf, oneOf, ...own } = schema;
    if (typeof reference === 'string') {
      const target = resolveReference(reference, this.#root);
      const joined = target === undefined ? undefined : merge({ ...own, allOf, anyOf, oneOf }, target);
      if (joined !== undefined) yield* this.#flatten(joined, depth + 1);
      return;
    }
    const all = schemaList(allOf);
    if (all.length > 0) {
      const joined = all.reduce<Keywords | undefined>(
        (left, part) => (left === undefined ? undefined : merge(left, part)),
        { ...own, anyOf, oneOf },
      );
      if (joined !== undefined) yield* this.#flatten(joined, depth + 1);
      return;
    }
    const branches = Array.isArray(anyOf) ? schemaList(anyOf) : schemaList(oneOf);
    if (branches.length === 0) {
      yield own;
      return;
    }
    const others = Array.isArray(anyOf) ? { ...own, oneOf } : own;
    for (const branch of branches) {
      const joined = merge(others, branch);
      if (joined !== undefined) yield* this.#flatten(joined, depth + 1);
    }
  }

  *#candidates(schema: Keywords, name: string, depth: number): Generator<Json | undefined> {
    if (Object.hasOwn(schema, 'const')) {
      yield schema['const'] as Json;
      return;
    }
    const listed = schema['enum'];
    if (Array.isArray(listed)) {
      const start = this.#random.below(Math.max(listed.length, 1));
      for (let at = 0; at < listed.length; at++) yield listed[(start + at) % listed.length] as Json;
      return;
    }
    for (const type of this.#types(schema)) {
      // Several tries: a value may be turned down by `not`, `oneOf` or an unusual pattern.
      for (let attempt = 0; attempt < 6; attempt++) yield this.#ofType(type, schema, name, depth, attempt);
    }
    if (Object.hasOwn(schema, 'default')) yield schema['default'] as Json;
  }

  #types(schema: Keywords): JsonType[] {
    const types = typesOf(schema);
    // What says most comes first; null only when nothing else will do.
    if (types !== undefined) return [...types].sort((a, b) => Number(a === 'null') - Number(b === 'null'));
    if ('properties' in schema || 'required' in schema || 'minProperties' in schema) return ['object'];
    if ('items' in schema || 'prefixItems' in schema || 'minItems' in schema) return ['array'];
    if (
      ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].some(
        (key) => key in schema,
      )
    ) {
      return ['number'];
    }
    return ['string', 'integer', 'object', 'array', 'boolean', 'null'];
  }

  #ofType(type: JsonType, schema: Keywords, name: string, depth: number, attempt: number): Json | undefined {
    switch (type) {
      case 'null':
        return null;
      case 'boolean':
        return attempt % 2 === 0;
      case 'integer':
      case 'number':
        return produceNumber(schema, type, this.#filling.number(name), attempt);
      case 'string':
        return this.#string(schema, name, attempt);
      case 'array':
        return this.#array(schema, name, depth, attempt);
      case 'object':
        return this.#object(schema, depth, attempt);
    }
  }

  #string(schema: Keywords, name: string, attempt: number): string {
    const pattern = schema['pattern'];
    const suggested = produceString(schema, this.#filling.text(name), attempt);
    if (typeof pattern !== 'string' || compilePattern(pattern)?.test(suggested) === true) return suggested;
    return sampleOfPattern(pattern, (count) => this.#random.below(count));
  }

  #array(schema: Keywords, name: string, depth: number, attempt: number): Json[] | undefined {
    const least = Math.max(numberOf(schema['minItems']) ?? 0, 'contains' in schema ? 1 : 0);
    const wanted = depth < shallow && attempt === 0 ? Math.max(least, 1) : least;
    const most = numberOf(schema['maxItems']) ?? Infinity;
    const items: Json[] = [];
    for (let index = 0; index < Math.min(wanted, most); index++) {
      const item = this.#item(schema, name, index, depth, items);
      if (item === undefined) return index >= least ? items : undefined;
      items.push(item);
    }
    return items;
  }

  #item(
    schema: Keywords,
    name: string,
    index: number,
    depth: number,
    earlier: readonly Json[],
  ): Json | undefined {
    const contained = asSchema(schema['contains']);
    const needed = index < (numberOf(schema['minContains']) ?? 1) && contained !== undefined;
    const own = needed ? merge(asKeywords(itemSchema(schema, index)), contained) : itemSchema(schema, index);
    if (own === undefined) return undefined;
    if (schema['uniqueItems'] !== true) return this.produce(own, name, depth + 1);
    const taken = earlier.length === 0 ? own : { allOf: [own, { not: { enum: earlier } }] };
    return this.produce(taken, name, depth + 1);
  }

  #object(schema: Keywords, depth: number, attempt: number): Json | undefined {
    const value: Record<string, Json> = {};
    for (const key of this.#propertyNames(schema, depth, attempt)) {
      const parts = propertySchemas(schema, key);
      const own = parts.length === 1 ? (parts[0] ?? true) : { allOf: parts };
      const made = this.produce(own, key, depth + 1);
      if (made !== undefined) value[key] = made;
      else if (stringList(schema['required']).includes(key)) return undefined;
    }
    return value;
  }

  #propertyNames(schema: Keywords, depth: number, attempt: number): string[] {
    const declared = Object.keys(schemaMap(schema['properties']));
    const required = stringList(schema['required']);
    // A second try gives all properties: a condition may ask for one that is not required as such.
    const everything =
      depth < shallow && (attempt === 1 || (attempt === 0 && !Array.isArray(schema['required'])));
    const most = numberOf(schema['maxProperties']) ?? Infinity;
    const chosen = declared.filter(
      (key) => required.includes(key) || everything || (attempt === 0 && this.#filling.wants(key)),
    );
    const names = [...new Set([...required, ...chosen])].slice(0, Math.max(most, required.length));
    const least = numberOf(schema['minProperties']) ?? 0;
    for (const key of [...declared, ...this.#otherNames(schema, least)]) {
      if (names.length >= least) break;
      if (!names.includes(key)) names.push(key);
    }
    return names;
  }

  /** Names for properties that the schema asks for by number only. */
  #otherNames(schema: Keywords, count: number): string[] {
    const patterns = Object.keys(schemaMap(schema['patternProperties']));
    return Array.from({ length: count * 3 }, (_, index) => {
      const pattern = patterns[0];
      if (pattern === undefined) return `item${String(index + 1)}`;
      return sampleOfPattern(pattern, (choices) => this.#random.below(choices));
    });
  }
}

function asKeywords(schema: Schema): Keywords {
  return isRecord(schema) ? schema : schema ? {} : { not: {} };
}
