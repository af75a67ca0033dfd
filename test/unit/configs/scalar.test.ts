import { describe, expect, it } from 'vitest';
import { pythonText, resolvePlain } from '../../../src/configs/core/scalar.ts';

describe('resolvePlain', () => {
  it.each([
    ['', 'null', null],
    ['~', 'null', null],
    ['yes', 'boolean', true],
    ['Off', 'boolean', false],
    ['y', 'string', 'y'],
    ['12', 'integer', 12],
    ['-0x1F', 'integer', -31],
    ['010', 'integer', 8],
    ['0b11', 'integer', 3],
    ['1_000', 'integer', 1000],
    ['1:30', 'integer', 90],
    ['1e-6', 'float', 1e-6],
    ['1.', 'float', 1],
    ['.5', 'float', 0.5],
    ['-.inf', 'float', -Infinity],
    ['2024-01-01', 'string', '2024-01-01'],
    ['1.2.3', 'string', '1.2.3'],
  ] as const)('reads %j as %s', (source, type, value) => {
    expect(resolvePlain(source)).toEqual({ type, value });
  });
});

describe('pythonText', () => {
  it.each([
    ['1e-6', '1e-06'],
    ['1.0', '1.0'],
    ['1e20', '1e+20'],
    ['true', 'True'],
    ['', 'None'],
    ['.nan', 'nan'],
    ['7', '7'],
    ['0.25', '0.25'],
  ])('shows %j as %s', (source, text) => {
    expect(pythonText(resolvePlain(source))).toBe(text);
  });
});
