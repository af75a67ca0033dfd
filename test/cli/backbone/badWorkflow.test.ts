/** What is wrong with the user's code is told once: what, where in it, and what to do. */
import { describe, expect, it } from 'vitest';
import { casesOf } from '../../tools/deep.ts';
import { failure, runCli, runJson } from '../harness/cli.ts';
import { smallConfig, smallProject, smallWorkflow } from '../harness/project.ts';
import { keepSnapshotsOfOtherCases } from '../harness/snapshots.ts';

keepSnapshotsOfOtherCases();

describe('a workflow that cannot be loaded', () => {
  const good = smallWorkflow('return { reward: 1 };');

  it.each(
    casesOf(
      [
        ['the class is not there', good.replace('class Small', 'class Smal')],
        ['a throw at the top level', `${good}throw new Error('no luck');\n`],
      ],
      [
        ['nothing is exported', good.replace('export ', '')],
        ['the class is no Workflow', 'export class Small { execute() { return { reward: 1 }; } }\n'],
        ['not a class', 'export const Small = 1;\n'],
        ['a syntax error', smallWorkflow('const = 1;')],
        ['a missing package', `import 'no-such-package/part';\n${good}`],
        ['a missing file', `import { x } from './tools.ts';\n${good}console.log(x);\n`],
        ['a missing name', `${good}import { Nothing } from 'agentjet';\nconsole.log(Nothing);\n`],
      ],
    ),
  )('%s', async (_, text) => {
    expect(await failure(await smallProject({ 'workflow.ts': text }))).toMatchSnapshot();
  });
});

describe('a workflow that goes wrong', () => {
  it.each(
    casesOf(
      [
        ['throws', "throw new Error('no luck');"],
        ['returns nothing', 'return undefined as never;'],
        [
          'throws in a timer',
          "setTimeout(() => { throw new Error('too late'); }, 1);\n    await new Promise(() => {});\n    return {};",
        ],
        ['exits', 'process.exit(0);'],
      ],
      [
        ['throws nothing', 'throw undefined;'],
        ['throws deep inside', 'return JSON.parse("{") as WorkflowOutput;'],
        ['returns a text', "return 'done' as never;"],
        ['returns a list of rewards', 'return { reward: [1, 0] as never };'],
        ['returns no number', 'return { reward: NaN };'],
        ['returns no reward, and there is no judge', 'return {};'],
        [
          'leaves a rejection to nobody',
          "void Promise.reject(new Error('unheard'));\n    await new Promise(() => {});\n    return {};",
        ],
        ['exits with a code', 'process.exit(3);'],
      ],
    ),
  )('%s', async (_, body) => {
    const project = await smallProject({ 'workflow.ts': smallWorkflow(body) });
    expect(await failure(project)).toMatchSnapshot();
  });

  it('aborts', async () => {
    const project = await smallProject({ 'workflow.ts': smallWorkflow('process.abort();') });
    // Node itself shows the whole stack, ours included, when it aborts.
    const { code, stderr } = await runCli(project, oneTask);
    expect(code).toBe(1);
    expect(stderr).toMatch(/\[run\/process-died\]$/m);
  });

  it('takes all memory', async () => {
    const project = await smallProject({
      'workflow.ts': smallWorkflow(
        'const all: string[][] = [];\n    for (;;) all.push(new Array<string>(1e5).fill(""));',
      ),
    });
    const text = await failure(project, undefined, { env: { NODE_OPTIONS: '--max-old-space-size=60' } });
    expect(text).toMatch(/^exit 1$/m);
    expect(text).toContain('[run/process-died]');
  });

  it('never returns', async () => {
    const project = await smallProject({
      'workflow.ts': smallWorkflow('await new Promise(() => {});\n    return {};'),
    });
    expect(await failure(project, [...oneTask, '--episode-timeout', '0.5'])).toMatchSnapshot();
  });

  it('never lets go', async () => {
    const project = await smallProject({
      'workflow.ts': smallWorkflow(
        'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);\n    return {};',
      ),
    });
    expect(await failure(project, [...oneTask, '--episode-timeout', '1'])).toMatchSnapshot();
  });
});

it('what is thrown where no promise carries it ends no episode but its own', async () => {
  const body = `if (workflowTask.taskId === 't2') return { reward: 1 };
    setTimeout(() => { throw new Error('too late'); }, 1);
    await new Promise(() => {});
    return {};`;
  const project = await smallProject({ 'workflow.ts': smallWorkflow(body) });
  const args = ['--conf', 'small.yaml', '--repeat', '2', '--parallel', '4', '--episode-timeout', '1'];
  const { code, episodes } = await runJson(project, args);
  expect(code).toBe(1);
  expect(episodes.map(({ reward }) => reward)).toEqual([null, null, 1, 1]);
});

describe('a judge', () => {
  const section = `  task_judge:
    judge_type: customized_protocol
    judge_protocol: judge.ts->Strict
`;
  const config = smallConfig.replace('  rollout:', `${section}  rollout:`);
  const judge = (body: string): string => `import { BaseJudge } from 'agentjet';
export class Strict extends BaseJudge {
  override computeReward(): never {
    ${body}
  }
}
`;
  const files = { 'small.yaml': config, 'workflow.ts': smallWorkflow('return {};') };

  it.each(
    casesOf<readonly [string, Readonly<Record<string, string>>]>(
      [
        ['has another name', { ...files, 'judge.ts': judge('return 1 as never;').replace('Strict', 'Mild') }],
        ['throws', { ...files, 'judge.ts': judge("throw new Error('no opinion');") }],
        ['returns nothing', { ...files, 'judge.ts': judge('return undefined as never;') }],
      ],
      [
        ['is not there', files],
        ['is no judge', { ...files, 'judge.ts': 'export class Strict {}\n' }],
        ['returns a number', { ...files, 'judge.ts': judge('return 1 as never;') }],
        ['returns a list of rewards', { ...files, 'judge.ts': judge('return [[1, 0], true] as never;') }],
        ['is Python that is not there', { ...files, 'small.yaml': config.replace('judge.ts', 'judge.py') }],
        [
          'is of a kind that there is not',
          { ...files, 'small.yaml': config.replace('customized_protocol', 'by_vote') },
        ],
      ],
    ),
  )('%s', async (_, given) => {
    expect(await failure(await smallProject(given))).toMatchSnapshot();
  });
});

it('a failing episode does not stop the others', async () => {
  const project = await smallProject({
    'workflow.ts': smallWorkflow(
      "if (workflowTask.taskId === 't1') throw new Error('not this one');\n    return { reward: 1 };",
    ),
  });
  const { code, episodes } = await runJson(project, ['--conf', 'small.yaml', '--repeat', '2']);
  expect(code).toBe(1);
  expect(episodes.map(({ taskId, reward, error }) => [taskId, reward, error?.code])).toEqual([
    ['t1', null, 'episode/workflow-threw'],
    ['t1', null, 'episode/workflow-threw'],
    ['t2', 1, undefined],
    ['t2', 1, undefined],
  ]);
});

const oneTask = ['--conf', 'small.yaml', '--tasks', '1'];
