/** Texts that the fuzzed spans do not have; `ast.literal_eval` of Python 3.11 gave the expected values. */
import { expect, it } from 'vitest';
import { parsePythonLiteral } from '../../../../src/backbone/core/task-reader/tracing/pythonLiteral.ts';

it.each([
  [`'''it's 1. x'''`, `it's 1. x`],
  [`"""say "2." (((("""`, `say "2." ((((`],
  [`["a", # don't\n 'b 1. c']`, ['a', 'b 1. c']],
  [`[1., # it's\n 2.5]`, [1, 2.5]],
])('reads %j as Python does', (text, value) => {
  expect(parsePythonLiteral(text)).toEqual(value);
});
