import type { ValidateFunction } from 'ajv';
import { omit } from '../../../../base/core/omit.ts';
import type { Random } from '../../../../base/core/random.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Returns the text or number for a property (the empty name: the value itself); undefined: any that fits. */
export type Fill = (name: string, type: 'string' | 'number') => string | number | undefined;

/** Some attempts fail for keywords such as `not` and `if`, which the generator meets by chance. */
const attempts = 12;

/**
 * Returns a JSON value that fits the schema. It has all properties for a schema without a `required` list, else only the
 * required ones. Returns undefined if the schema is invalid, or if no attempt gives a value that fits.
 */
export async function produceValue(schema: Schema, fill: Fill, random: Random): Promise<unknown> {
  // The dialect that a schema names must not matter: the two libraries know different ones.
  const plain = omit(schema, '$schema');
  const validate = await compile(plain);
  if (validate === undefined) return undefined;
  const { generateSync } = await import('json-schema-faker');
  for (let index = 0; index < attempts; index++) {
    const value = attempt(() =>
      generateSync(plain, {
        seed: random.below(2 ** 31),
        alwaysFakeOptionals: !Array.isArray(schema['required']) || index % 3 === 2,
        optionalsProbability: 0,
        ...(index === 0 && { outputTransform: (made, part, path) => fillIn(made, part, path, fill) }),
      }),
    );
    if (value !== undefined && validate(value)) return value;
  }
  return undefined;
}

/** Replaces a generated text or number, unless the schema restricts it to a format or to a list. */
function fillIn(made: unknown, schema: unknown, path: string, fill: Fill): unknown {
  const { enum: list, const: only, format, pattern, minLength, maxLength } = (schema ?? {}) as Schema;
  if ([list, only, format, pattern].some((keyword) => keyword !== undefined)) return made;
  const name = path.split('/').findLast((part) => part !== '' && !/^\d+$/.test(part)) ?? '';
  if (typeof made === 'number') return fill(name, 'number') ?? made;
  if (typeof made !== 'string') return made;
  const text = String(fill(name, 'string') ?? made).slice(0, Number(maxLength ?? Infinity));
  return text.length < Number(minLength ?? 0) ? made : text;
}

/** Returns undefined for an invalid schema. */
async function compile(schema: Schema): Promise<ValidateFunction | undefined> {
  const { default: Ajv2020 } = await import('ajv/dist/2020.js');
  const options = { strict: false, validateSchema: false, validateFormats: false, logger: false } as const;
  return attempt(() => new Ajv2020({ ...options, meta: false }).compile(schema));
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined; // an invalid schema, or a reference that leads nowhere
  }
}
