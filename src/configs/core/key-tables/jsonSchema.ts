import type { Dialect } from '../dialect.ts';
import type { KeyNode, ValueInfo, ValueType } from './keyTable.ts';
import { valueTypes } from './keyTableRow.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

const interpolation = 'interpolation';

/**
 * Returns the keys of a dialect as JSON Schema, draft 07, for other editors. A schema sees only one file. So no key
 * is required, because another file may have it, and an interpolation can replace any value. Only strict sections
 * reject other keys. Each section is a definition, named after its first path.
 */
export function jsonSchemaOf(dialect: Dialect): JsonSchema {
  const sections = new Sections();
  const { root } = dialect.keys();
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: `${dialect.label} config`,
    ...sections.body(root),
    definitions: Object.fromEntries(sections.definitions),
  };
}

class Sections {
  readonly definitions = new Map<string, JsonSchema>([
    [
      interpolation,
      {
        description: 'Replaced when the config is composed.',
        type: 'string',
        pattern: String.raw`\$\{|^\?\?\?$`,
      },
    ],
  ]);
  /** By what they say: sections that say the same are one. */
  readonly #names = new Map<string, string>();

  body(section: KeyNode): JsonSchema {
    const known = [...section.children.values()].filter(({ info }) => info?.absent === undefined);
    const properties = known.map((key) => [key.name, this.#key(key)] as const);
    return {
      type: 'object',
      ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
      ...this.#others(section),
    };
  }

  #others({ anyChild, unlisted }: KeyNode): JsonSchema {
    if (anyChild !== undefined) return { additionalProperties: this.#key(anyChild) };
    return unlisted === 'closed' ? { additionalProperties: false } : {};
  }

  #key(key: KeyNode): JsonSchema {
    const { info } = key;
    if (info === undefined) return anyOf([this.#section(key), reference(interpolation)]);
    const isOutdated = info.deprecated || info.unused;
    return {
      ...(info.description === '' ? {} : { description: info.description }),
      ...(info.hasDefault ? { default: info.default } : {}),
      ...(isOutdated ? { deprecated: true } : {}),
      ...(info.deprecated ? { deprecationMessage: info.insteadUse ?? 'This key is deprecated.' } : {}),
      ...this.#value(info, key),
    };
  }

  /** `key`: whose value it is, where that may be a section or a list. */
  #value(info: ValueInfo, key: KeyNode | undefined): JsonSchema {
    if (info.types.length === valueTypes.length && key?.children.size === 0) return {};
    const found = info.types.map((type) => this.#typed(type, info, key));
    const simple = found.flatMap((schema) => (isTypeOnly(schema) ? [schema.type] : []));
    const others = found.filter((schema) => !isTypeOnly(schema));
    const one = simple.length === 1 ? simple[0] : simple;
    const alternatives = [...(simple.length === 0 ? [] : [{ type: one }]), ...others];
    const isText = simple.includes('string') || (info.allowed !== undefined && info.allowsOthers);
    return anyOf(isText ? alternatives : [...alternatives, reference(interpolation)]);
  }

  #typed(type: ValueType, info: ValueInfo, key: KeyNode | undefined): JsonSchema {
    switch (type) {
      case 'object':
        return key === undefined ? { type } : this.#section(key);
      case 'array':
        return key?.item === undefined ? { type } : { type, items: this.#items(key.item) };
      case 'string':
        return info.allowed === undefined ? { type } : textOf(info.allowed, info);
      case 'integer':
      case 'number':
        return { type, ...limitsOf(info) };
      case 'boolean':
      case 'null':
        return { type };
    }
  }

  #items({ value, key }: NonNullable<KeyNode['item']>): JsonSchema {
    return key === undefined ? this.#value(value, undefined) : this.#key(key);
  }

  #section(section: KeyNode): JsonSchema {
    if (section.children.size === 0 && section.anyChild === undefined) return { type: 'object' };
    const body = this.body(section);
    const content = JSON.stringify(body);
    const known = this.#names.get(content);
    if (known !== undefined) return reference(known);
    const name = section.path.replaceAll('[]', '.item').replaceAll('{}', '.any');
    this.#names.set(content, name);
    this.definitions.set(name, body);
    return reference(name);
  }
}

function reference(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` };
}

function anyOf(alternatives: readonly JsonSchema[]): JsonSchema {
  const [only] = alternatives;
  // Next to a `$ref` draft 07 takes no notice of anything else.
  return alternatives.length === 1 && only !== undefined && !('$ref' in only)
    ? only
    : { anyOf: alternatives };
}

function isTypeOnly(schema: JsonSchema): schema is { readonly type: ValueType } {
  return 'type' in schema && Object.keys(schema).length === 1;
}

function limitsOf({ min, max, exclusiveMin }: ValueInfo): JsonSchema {
  return {
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
    ...(exclusiveMin === undefined ? {} : { exclusiveMinimum: exclusiveMin }),
  };
}

function textOf(allowed: readonly string[], { allowsOthers, caseInsensitive }: ValueInfo): JsonSchema {
  const listed = { type: 'string', enum: allowed };
  if (allowsOthers) return anyOf([listed, { type: 'string' }]);
  return caseInsensitive === true
    ? anyOf([listed, { type: 'string', pattern: `^(?:${allowed.map(inAnyCase).join('|')})$` }])
    : listed;
}

/** JSON Schema's patterns have no flags. */
function inAnyCase(word: string): string {
  return word.replaceAll(/[^\w\s-]|[a-z]/gi, (letter) => {
    const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
    return lower === upper ? `\\${letter}` : `[${lower}${upper}]`;
  });
}
