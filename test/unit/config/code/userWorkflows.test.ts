import { describe, expect, it } from 'vitest';
import { scanUserWorkflows } from '../../../../src/config/code/userWorkflows.ts';

const types = "import type { ChatModel, TaskRow, WorkflowFunction } from 'agentjet';\n";
const shown = (text: string): string[] => scanUserWorkflows(text).map(({ name, line }) => `${name}@${line}`);

describe('scanUserWorkflows', () => {
  it.each([
    ['a function', `${types}export async function solve(task: TaskRow, model: ChatModel) {}`, ['solve@1']],
    [
      'one that takes an object apart',
      `${types}\nexport const solve: WorkflowFunction = async ({ model, task: { question } }) => ({});`,
      ['solve@2'],
    ],
    ['a default export', `${types}export default (task, model, logger) => ({ reward: 1 });`, ['default@1']],
    [
      'one that is exported later',
      `${types}function f(_task, model) {}\nexport { f as solve };`,
      ['solve@1'],
    ],
    ['one of CommonJS', "require('agentjet');\nexports.solve = function (task, model) {};", ['solve@1']],
    [
      'classes first',
      `import { Workflow } from 'agentjet';\nexport function f(task, model) {}\nclass A extends Workflow {}`,
      ['A@2', 'f@1'],
    ],
    [
      'over lines',
      `${types}export async function solve(\n  task: TaskRow,\n  model: ChatModel,\n) {}`,
      ['solve@1'],
    ],
  ])('finds %s', (_, text, expected) => {
    expect(shown(text)).toEqual(expected);
  });

  it.each([
    ['one that nobody can name', `${types}function solve(task: TaskRow, model: ChatModel) {}`],
    ['a judge', `${types}export function score(task: TaskRow, response: unknown, model?: ChatModel) {}`],
    ['one that wants more', `${types}export function plan(task: string, model: string, depth: number) {}`],
    ['a file of something else', 'export function run(task, model) {}'],
    ['a method', `${types}export class A { solve(task: TaskRow, model: ChatModel) {} }`],
  ])('leaves alone %s', (_, text) => {
    expect(shown(text)).toEqual([]);
  });
});
