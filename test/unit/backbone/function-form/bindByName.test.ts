import { runInThisContext } from 'node:vm';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bindByName, type UserFunction } from '../../../../src/backbone/core/function-form/bindByName.ts';
import { functionForms } from '../../../../src/configs/core/code/functionForm.ts';
import { fuzz } from '../../fuzz.ts';

const given = { task: 't', model: 'm', response: 'r', auxiliaryModels: 'a', logger: 'l' };

/** What a function sees that is written in JavaScript, as Node leaves it once types are gone. */
function seen(text: string, form: 'workflow' | 'judge' = 'workflow'): unknown {
  const made = runInThisContext(`(${text})`) as UserFunction;
  return bindByName(made, functionForms[form]).call(given);
}

describe('a function is given what the names of its parameters ask for', () => {
  it.each([
    [
      'in upstream’s order',
      'function (task, model, auxiliaryModels, logger) { return [...arguments]; }',
      'tmal',
    ],
    ['in another', '(logger, model, task) => [logger, model, task]', 'lmt'],
    ['only what it needs', '(task, model) => [task, model]', 'tm'],
    ['by Python’s spelling', '(task, model, auxiliary_models) => [task, model, auxiliary_models]', 'tma'],
    ['with underscores', '(_task, __model) => [_task, __model]', 'tm'],
    ['with defaults', '(task = [")", 1], model = (x) => x) => [task, model]', 'tm'],
    ['with comparisons', '(task = 1 < 2, model = 2 > 1) => [task, model]', 'tm'],
    ['over several lines', '(\n  task, // (the row\n  /* model, */ model,\n) => [task, model]', 'tm'],
    ['as a method', '({ solve(task, model) { return [task, model]; } }).solve', 'tm'],
    ['as one object', '({ model, task }) => [model, task]', 'mt'],
    ['renamed', '({ model: m, task: { length }, logger: l = 1 }) => [m, length, l]', ['m', 1, 'l']],
    ['an object, by Python’s spelling', '({ task, model, auxiliary_models }) => [auxiliary_models]', 'a'],
    ['an object with a default', '({ task, model } = {}) => [task, model]', 'tm'],
  ])('%s', (_, text, expected) => {
    expect(seen(text)).toEqual(typeof expected === 'string' ? expected.split('') : expected);
  });

  it('of a judge too', () => {
    expect(seen('function judge(response, task) { return [response, task]; }', 'judge')).toEqual(['r', 't']);
  });

  it('awaited or not', async () => {
    expect(
      await (seen('async function (task, model) { return [task, model]; }') as Promise<unknown>),
    ).toEqual(['t', 'm']);
    expect(await (seen('async ({ task, model }) => [task, model]') as Promise<unknown>)).toEqual(['t', 'm']);
  });

  it('in whatever order and with whatever stands around the names', () => {
    const noise = fc.constantFrom('', ' ', '/* (, */ ', '// {\n', '\n');
    const value = fc.constantFrom('', ' = 1', ' = "),"', ' = [1, (2)]', ' = { a: `,${1}` }', ' = /[(,]/');
    const names = fc.shuffledSubarray(['task', 'model', 'auxiliaryModels', 'logger'], { minLength: 4 });
    const parameters = names.chain((chosen) =>
      fc.tuple(fc.constant(chosen), fc.array(fc.tuple(noise, value), { minLength: 4, maxLength: 4 })),
    );
    fc.assert(
      fc.property(parameters, fc.boolean(), ([chosen, around], isObject) => {
        const list = chosen.map((name, at) => `${around[at]?.[0]}${name}${around[at]?.[1]}`).join(', ');
        const text = isObject ? `({${list}}) => [${chosen.join()}]` : `(${list}) => [${chosen.join()}]`;
        expect(seen(text)).toEqual(chosen.map((name) => name.charAt(0)));
      }),
      fuzz(1, 2000),
    );
  });
});

describe('a function that cannot be told what it wants is refused', () => {
  it.each([
    ['task => task', 'does not have the parameter `model`'],
    ['() => 1', 'does not have the parameters `task`, `model`'],
    ['(row, llm) => 1', 'does not have the parameters `task`, `model` and has the parameters `row`, `llm`'],
    ['(task, model, tuner) => 1', 'has the parameter `tuner`'],
    ['(...all) => 1', 'has the rest parameter `...all`'],
    ['(task, model, ...others) => 1', 'rest parameter `...others`'],
    ['({ task, model, ...others }) => 1', 'rest parameter `...others`'],
    ['({ task }) => 1', 'does not have the parameter `model`'],
    ['(given) => 1', 'has the parameter `given`'],
    ['([task, model]) => 1', 'has the parameter `[task, model]`'],
    ['function* (task, model) {}', 'is a generator'],
    ['async function *solve(task, model) {}', 'is a generator'],
    ['({ *solve(task, model) {} }).solve', 'is a generator'],
    ['class Own { constructor(task, model) {} }', 'is a class that does not extend `Workflow`'],
    ['((task, model) => 1).bind(null)', 'is a bound function'],
  ])('%s', (text, message) => {
    expect(() => seen(text)).toThrow(message);
  });

  it('with what it would be given', () => {
    expect(() => seen('(task, response, model) => 1', 'judge')).toThrow(
      expect.objectContaining({
        code: 'judge/signature',
        hint: expect.stringContaining(
          'by parameter name: `task`, `response`. It can also have `auxiliaryModels`, `logger`.',
        ) as string,
      }) as Error,
    );
  });
});
