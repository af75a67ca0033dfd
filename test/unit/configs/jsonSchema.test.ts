import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { diagnose } from '../../../src/configs/core/check.ts';
import { dialectOf, dialects } from '../../../src/configs/core/dialect.ts';
import { jsonSchemaOf } from '../../../src/configs/core/key-tables/jsonSchema.ts';
import { entryOf, nodeAt } from '../../../src/configs/core/node.ts';
import { parseConfig } from '../../../src/configs/core/parse.ts';
import { realTexts, wholeConfig } from './configTexts.ts';

const validators = new Map<string, ValidateFunction>();

beforeAll(() => {
  for (const dialect of dialects) {
    validators.set(dialect.id, new Ajv({ strict: false, allErrors: true }).compile(jsonSchemaOf(dialect)));
  }
});

/** Where a text does not fit the schema of its dialect, as JSON pointers. */
function misfits(text: string): string[] {
  const validate = validators.get(dialectOf(text)?.id ?? '');
  if (validate === undefined) throw new Error('The text is of no dialect.');
  // As other editors read it: YAML 1.2.
  validate(parse(text, { merge: true, uniqueKeys: false }));
  const found = [...new Set((validate.errors ?? []).map(placeOf))];
  // What does not fit makes a misfit of every section around it.
  return found.filter((path) => !found.some((other) => other.startsWith(`${path}/`)));
}

/** The key that an error is about, as a JSON pointer. */
function placeOf({ instancePath, params }: ErrorObject): string {
  const key: unknown = params['additionalProperty'] ?? params['propertyName'];
  return typeof key === 'string' ? `${instancePath}/${key}` : instancePath;
}

function config(rollout: string): string {
  return `ajet:\n  rollout:\n    ${rollout}\n`;
}

describe('the JSON Schema of a dialect', () => {
  it.each([
    ['num_repeat: 4', []],
    ['num_repeat: four', ['/ajet/rollout/num_repeat']],
    ['num_repeat: ${ajet.debug.debug_max_parallel}', []],
    ['num_repeat: ???', []],
    ['num_repeats: 4', ['/ajet/rollout/num_repeats']],
    ['temperature: -1', ['/ajet/rollout/temperature']],
    ['compute_madness_checklist: [nonsense]', []],
  ])('takes or refuses `%s`', (rollout, wanted) => {
    expect(misfits(config(rollout))).toEqual(wanted);
  });

  it('takes everything in open sections, and sections of users beside `ajet`', () => {
    expect(misfits(`${wholeConfig}\nmine:\n  anything: [1, {a: b}]\n`)).toEqual(misfits(wholeConfig));
  });

  it('tells defaults and descriptions, and shares equal sections', () => {
    for (const dialect of dialects) {
      const schema = JSON.stringify(jsonSchemaOf(dialect));
      expect(schema).toContain('"default":');
      expect(schema).toContain('"description":');
      const names = [...schema.matchAll(/#\/definitions\/([^"]+)/g)].map(([, name]) => name);
      const { definitions } = jsonSchemaOf(dialect);
      expect(Object.keys(definitions as object)).toEqual(expect.arrayContaining(names));
    }
  });

  it('finds in real configs only what is found there anyway', () => {
    for (const text of realTexts.filter((one) => dialectOf(one) !== undefined && !one.includes('{{'))) {
      const document = parseConfig(text);
      const table = dialectOf(text)?.keys();
      const found = new Set(diagnose(document, table).map(({ range }) => range.start.offset));
      const missed = misfits(text).filter((pointer) => {
        const path = pointer
          .split('/')
          .slice(1)
          .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
        const name = path.at(-1);
        const key =
          typeof name === 'string' ? entryOf(nodeAt(document.root, path.slice(0, -1)), name) : undefined;
        // Told of the very key or of its value, not of something else around there.
        const places = [key?.keySpan.start, nodeAt(document.root, path)?.span.start];
        return !places.some((place) => place !== undefined && found.has(place));
      });
      expect(missed).toEqual([]);
    }
  });
});
