import { describe, expect, it } from 'vitest';
import { scanUserWorkflows } from '../../../../src/configs/core/code/userWorkflows.ts';

const types = "import type { ChatModel, TaskRow, WorkflowFunction } from 'agentjet';\n";
const shown = (text: string): string[] =>
  scanUserWorkflows(text, 'typescript').map(({ name, line }) => `${name}@${line}`);

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

describe('scanUserWorkflows in Python', () => {
  it.each([
    ['a class', 'from ajet import Workflow\n\nclass A(Workflow):\n    pass\n', ['A@2']],
    ['by its module', 'from ajet.workflow import Workflow\nclass A(Workflow): pass\n', ['A@1']],
    ['by another name', 'from ajet import Workflow as W\nclass A(W): pass\n', ['A@1']],
    ['through the package', 'import ajet\nclass A(ajet.Workflow): pass\n', ['A@1']],
    ['by the package’s earlier name', 'from astuner import Workflow\nclass A(Workflow): pass\n', ['A@1']],
    [
      'through a class of its own',
      'from ajet import Workflow\nclass A(Workflow): pass\nclass B(A): pass\n',
      ['A@1', 'B@2'],
    ],
    [
      'a function',
      'from agentscope.tuner import WorkflowOutput\n\nasync def solve(task: dict, model, logger=None): ...\n',
      ['solve@2'],
    ],
    [
      'no judge, and no other function',
      'import agentscope.tuner\ndef score(task, response): ...\ndef f(task, model, x): ...\n',
      [],
    ],
    ['a function of what is no tuner', 'import agentscope\ndef solve(task, model): ...\n', []],
    [
      'what is registered with Trinity-RFT',
      'from trinity.common.workflows import WORKFLOWS\n\n@WORKFLOWS.register_module("own")\nclass A(SimpleWorkflow): pass\nclass B: pass\n',
      ['A@3'],
    ],
    [
      'no reward function of it',
      'from trinity.common.rewards import REWARD_FUNCTIONS, RewardFn\n@REWARD_FUNCTIONS.register_module("own")\nclass A(RewardFn): pass\n',
      [],
    ],
    ['nobody’s Workflow', 'from prefect import Workflow\nimport ajet\nclass A(Workflow): pass\n', []],
    ['no import', 'class A(Workflow): # ajet\n    pass\n', []],
    ['in a text', 's = """\nfrom ajet import Workflow\nclass A(Workflow): pass\n"""\n', []],
  ])('finds %s', (_, text, expected) => {
    const found = scanUserWorkflows(text, 'python').map(({ name, line }) => `${name}@${line}`);
    expect(found).toEqual(expected);
  });
});
