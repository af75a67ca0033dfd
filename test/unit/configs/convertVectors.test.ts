import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { convert } from '../../../src/configs/core/convert/convert.ts';
import { conversionRules } from '../../../src/configs/core/convert/conversionRules.ts';
import { evaluateRule } from '../../../src/configs/core/convert/evaluateRule.ts';
import type { LaunchTarget } from '../../../src/configs/core/convert/launch.ts';
import { Config } from '../../../src/configs/core/effectiveConfig.ts';
import { pythonText } from '../../../src/configs/core/scalar.ts';
import {
  mergeMappings,
  scalarOf,
  toPlain,
  treeOf,
  type MappingValue,
  type Plain,
} from '../../../src/configs/core/value.ts';
import { composeText } from './memoryFiles.ts';

interface ConversionVector {
  readonly text: string;
  readonly target: LaunchTarget;
  readonly config?: Record<string, Plain>;
  readonly error?: string;
  readonly stage?: string;
}

interface ExpressionVector {
  readonly target: string;
  readonly values: Record<string, number | boolean>;
  readonly type?: string;
  readonly value?: string;
  readonly error?: string;
}

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(path.join(import.meta.dirname, '../../fixtures/convert', name), 'utf8'));
const layers = fixture('layers.json') as { readonly files: Readonly<Record<string, string>> };
const conversions = fixture('conversions.json') as readonly ConversionVector[];
const expressions = fixture('expressions.json') as readonly ExpressionVector[];

const files = Object.fromEntries(
  Object.entries(layers.files).map(([name, text]) => [`/project/${name}`, text]),
);

describe('conversion, as AgentJet itself converts', () => {
  it.each(conversions.map((vector, index) => ({ name: `${index} for ${vector.target}`, vector })))(
    'config $name',
    async ({ vector }) => {
      const composition = await composeText(vector.text, { files });
      const { root, problems } = convert(composition, vector.target);
      // A layer that is nowhere is only a warning of ours, as the program's own stands in for it.
      const errors = [...composition.problems, ...problems].filter(
        ({ severity, code }) => severity === 'error' || code === 'config/defaults-missing',
      );
      if (vector.config === undefined) {
        expect(errors, `${vector.error ?? ''} in ${vector.stage ?? ''}\n${vector.text}`).not.toEqual([]);
        return;
      }
      expect(errors, vector.text).toEqual([]);
      expect(withoutSteering(toPlain(root)), vector.text).toEqual(withoutSteering(vector.config));
    },
  );

  it('has vectors of both outcomes for each target', () => {
    for (const target of ['verl', 'trinity', 'debug']) {
      const own = conversions.filter((vector) => vector.target === target);
      expect(own.filter((vector) => vector.config !== undefined).length).toBeGreaterThan(20);
      expect(own.filter((vector) => vector.error !== undefined).length).toBeGreaterThan(8);
    }
  });
});

describe('rules that compute, as Python computes them', () => {
  it('gives the same value and type, or refuses what Python refuses', () => {
    let refusedAlone = 0;
    for (const vector of expressions) {
      const { value, text } = result(vector);
      const shown = `${vector.target} with ${JSON.stringify(vector.values)}: ${text}`;
      if (vector.error !== undefined) {
        expect(value, shown).toBeUndefined();
        continue;
      }
      if (value === undefined) {
        // JavaScript's numbers do not hold the value exactly, and the text says so.
        expect(text, shown).toMatch(/exact|too large/);
        refusedAlone += 1;
        continue;
      }
      const type = value.kind === 'scalar' ? value.type : value.kind;
      expect([type, value.kind === 'scalar' ? pythonText(value) : ''], shown).toEqual([
        { int: 'integer', float: 'float' }[vector.type ?? ''],
        vector.value,
      ]);
    }
    expect(refusedAlone).toBeLessThan(expressions.length / 10);
  });
});

/** Upstream's backbone has read these two and dropped them. */
function withoutSteering(plain: Plain): Plain {
  return Object.fromEntries(
    Object.entries(plain ?? {}).filter(([key]) => key !== 'hydra' && key !== 'defaults'),
  );
}

function result({ target, values }: ExpressionVector): ReturnType<typeof evaluateRule> {
  const rule = conversionRules('trinity').find((one) => one.target === target);
  if (rule === undefined) throw new Error(`There is no rule for ${target}.`);
  return evaluateRule(rule, new Config('/c.yaml', tree(values)));
}

/** Makes sections of dotted names. A number that JSON writes with a fraction or an exponent is a float. */
function tree(values: Record<string, number | boolean>): MappingValue {
  return Object.entries(values)
    .map(([path, value]) => {
      const scalar = scalarOf(value, value === 1e300);
      return treeOf(path, { kind: 'scalar', ...scalar, origin: { kind: 'bundled', key: path } });
    })
    .reduce(mergeMappings);
}
