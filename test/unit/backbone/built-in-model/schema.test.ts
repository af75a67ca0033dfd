import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../../../src/backbone/core/model-tuner/model.ts';
import { calculation, complete, contentOf, request, toolCallOf } from './request.ts';
import { fuzz } from '../../fuzz.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false });

function validates(schema: unknown, value: unknown): void {
  const validate = ajv.compile(schema as object);
  if (!validate(value)) {
    throw new Error(
      `${JSON.stringify(value)} does not meet ${JSON.stringify(schema)}: ${ajv.errorsText(validate.errors)}`,
    );
  }
}

async function argumentsFor(schema: Record<string, unknown>, text = calculation): Promise<unknown> {
  const tools: ChatRequest['tools'] = [{ type: 'function', function: { name: 'use', parameters: schema } }];
  return toolCallOf(await complete(request(text, { tools, tool_choice: 'required' })))?.arguments;
}

async function contentFor(schema: Record<string, unknown>, text = calculation): Promise<unknown> {
  const format = { type: 'json_schema' as const, json_schema: { name: 'answer', schema } };
  return JSON.parse(contentOf(await complete(request(text, { response_format: format }))));
}

const numbers = fc
  .record({
    low: fc.integer({ min: -50, max: 50 }),
    span: fc.integer({ min: 0, max: 60 }),
    exclusive: fc.boolean(),
  })
  .map(({ low, span, exclusive }) =>
    exclusive
      ? { exclusiveMinimum: low, exclusiveMaximum: low + span + 2 }
      : { minimum: low, maximum: low + span },
  );
const text = fc.oneof(
  fc.record({ type: fc.constant('string') }),
  fc
    .record({ minLength: fc.integer({ min: 0, max: 30 }), more: fc.integer({ min: 0, max: 30 }) })
    .map(({ minLength, more }) => ({ type: 'string', minLength, maxLength: minLength + more })),
  fc
    .constantFrom(
      '^[A-Z]{2}-\\d{4}$',
      '^(red|green|blue)$',
      '\\d{3}',
      '^\\w+@[a-z]{2,5}\\.com$',
      '^[^aeiou ]{3,6}$',
      '^a?b+c*$',
      '^\\+?[1-9]\\d{1,14}$',
    )
    .map((pattern) => ({ type: 'string', pattern })),
  fc.constantFrom('date', 'date-time', 'email', 'uuid', 'uri').map((format) => ({ type: 'string', format })),
);
const scalar = fc.oneof(
  text,
  numbers.map((bounds) => ({ type: 'integer', ...bounds })),
  numbers.map((bounds) => ({ type: 'number', ...bounds })),
  fc.integer({ min: 1, max: 9 }).map((multipleOf) => ({ type: 'integer', multipleOf, minimum: 1 })),
  fc.constant({ type: 'boolean' }),
  fc.constant({ type: ['string', 'null'] }),
  fc
    .uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.boolean()), { minLength: 1, maxLength: 4 })
    .map((items) => ({ enum: items })),
  fc.oneof(fc.string(), fc.integer(), fc.constant(null)).map((value) => ({ const: value })),
);

const schemas = fc.letrec<{ any: Record<string, unknown>; object: Record<string, unknown> }>((tie) => ({
  object: fc
    .record({
      properties: fc.dictionary(
        fc.string({ minLength: 1, maxLength: 6 }).filter((key) => key !== '__proto__'),
        tie('any'),
        { maxKeys: 4 },
      ),
      chosen: fc.infiniteStream(fc.boolean()),
      closed: fc.boolean(),
    })
    .map(({ properties, chosen, closed }) => ({
      type: 'object',
      properties,
      required: Object.keys(properties).filter(() => chosen.next().value),
      ...(closed && { additionalProperties: false }),
    })),
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    tie('object'),
    fc
      .record({ items: tie('any'), minItems: fc.integer({ min: 0, max: 3 }) })
      .map(({ items, minItems }) => ({ type: 'array', items, minItems, maxItems: minItems + 2 })),
    fc.array(tie('any'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc
      .array(tie('any'), { minLength: 1, maxLength: 3 })
      .map((prefixItems) => ({ type: 'array', prefixItems, minItems: prefixItems.length, items: false })),
    fc.tuple(scalar, tie('object')).map(([a, b]) => ({ oneOf: [a, b] })),
  ),
}));

describe('arguments and JSON content', () => {
  it('meet any schema of the kinds that requests use', async () => {
    await fc.assert(
      fc.asyncProperty(schemas.object, async (schema) => {
        validates(schema, await argumentsFor(schema));
        validates(schema, await contentFor(schema));
      }),
      fuzz(20240517, 1500),
    );
  });

  it.each<[string, Record<string, unknown>]>([
    [
      'references',
      {
        type: 'object',
        properties: { to: { $ref: '#/$defs/point' } },
        required: ['to'],
        $defs: {
          point: {
            type: 'object',
            properties: { x: { type: 'number' }, y: { type: 'number' } },
            required: ['x', 'y'],
            additionalProperties: false,
          },
        },
      },
    ],
    [
      'recursion',
      {
        type: 'object',
        properties: { tree: { $ref: '#/definitions/node' } },
        required: ['tree'],
        definitions: {
          node: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              children: { type: 'array', items: { $ref: '#/definitions/node' } },
            },
            required: ['name', 'children'],
          },
        },
      },
    ],
    [
      'a list that must go on',
      {
        type: 'object',
        properties: { list: { $ref: '#/$defs/list' } },
        required: ['list'],
        $defs: {
          list: {
            anyOf: [
              { type: 'object', properties: { next: { $ref: '#/$defs/list' } }, required: ['next'] },
              { type: 'null' },
            ],
          },
        },
      },
    ],
    [
      'all of',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'integer', minimum: 3 } }, required: ['a'] },
          { properties: { a: { maximum: 4 }, b: { type: 'boolean' } }, required: ['b'] },
        ],
      },
    ],
    [
      'exactly one of overlapping branches',
      {
        type: 'object',
        properties: {
          v: {
            oneOf: [
              { type: 'number', multipleOf: 3 },
              { type: 'number', multipleOf: 5 },
            ],
          },
        },
        required: ['v'],
      },
    ],
    [
      'not',
      { type: 'object', properties: { v: { type: 'string', not: { enum: ['17', 'x'] } } }, required: ['v'] },
    ],
    [
      'unique items',
      {
        type: 'object',
        properties: {
          v: { type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 3, uniqueItems: true },
        },
        required: ['v'],
      },
    ],
    [
      'unique texts',
      {
        type: 'object',
        properties: { v: { type: 'array', items: { type: 'string' }, minItems: 4, uniqueItems: true } },
        required: ['v'],
      },
    ],
    [
      'contains',
      {
        type: 'object',
        properties: { v: { type: 'array', items: { type: 'integer' }, contains: { const: 7 } } },
        required: ['v'],
      },
    ],
    [
      'a number of free properties',
      { type: 'object', minProperties: 3, additionalProperties: { type: 'boolean' } },
    ],
    ['required but undeclared', { type: 'object', required: ['x'] }],
    [
      'a narrow decimal range',
      {
        type: 'object',
        properties: { v: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.01 } },
        required: ['v'],
      },
    ],
    [
      'conditions',
      {
        type: 'object',
        properties: { kind: { enum: ['a'] }, size: { type: 'integer' } },
        required: ['kind'],
        if: { properties: { kind: { const: 'a' } } },
        then: { required: ['size'] },
      },
    ],
  ])('meets %s', async (_name, schema) => {
    validates(schema, await argumentsFor(schema));
    validates(schema, await contentFor(schema, 'Tell me a story'));
  });
});

describe('response_format', () => {
  it('puts the result where the schema has a place for it', async () => {
    const schema = {
      type: 'object',
      properties: { reasoning: { type: 'string' }, answer: { type: 'integer' } },
      required: ['reasoning', 'answer'],
    };
    expect(await contentFor(schema)).toMatchObject({
      answer: 17,
      reasoning: expect.stringContaining('14 + 9 - 6 = 17') as string,
    });
    const asText = {
      type: 'object',
      properties: { final_answer: { type: 'string' } },
      required: ['final_answer'],
    };
    expect(await contentFor(asText)).toEqual({ final_answer: '17' });
  });

  it('answers json_object with an object', async () => {
    const format = { type: 'json_object' as const };
    expect(
      JSON.parse(contentOf(await complete(request(calculation, { response_format: format })))),
    ).toMatchObject({ answer: 17 });
    expect(JSON.parse(contentOf(await complete(request('Hi', { response_format: format }))))).toBeTypeOf(
      'object',
    );
  });

  it('refuses a schema that nothing meets', async () => {
    const format = {
      type: 'json_schema' as const,
      json_schema: { name: 'none', schema: { type: 'integer', minimum: 3, maximum: 2 } },
    };
    await expect(complete(request(calculation, { response_format: format }))).rejects.toThrow(
      'response_format',
    );
  });
});
