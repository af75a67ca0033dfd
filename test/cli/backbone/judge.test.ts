/** Judges: built in and of one's own, in a run and of a trace that is there already. */
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { normalised, runCli } from '../harness/cli.ts';
import { smallConfig, smallProject, smallWorkflow, type Project } from '../harness/project.ts';

const trace = 'saved_experiments/small/small.ajtrace';

function judged(locator: string): string {
  return smallConfig.replace(
    '  rollout:\n',
    `  task_judge: {judge_type: customized_protocol, judge_protocol: ${locator}}\n  rollout:\n`,
  );
}

const countdown = judged('tutorial.example_countdown.countdown_answer_as_judge->CountdownAnswerAsJudge');
const workflow = smallWorkflow(`
    const nums = [3, 4];
    const final_answer = workflowTask.taskId === 't1' ? '\\\\boxed{3*4}' : '\\\\boxed{3+4}';
    return { metadata: { final_answer, target: 12, nums } };`);

const ownJudge = (body: string): string => `import { BaseJudge } from 'agentjet';
export class Own extends BaseJudge {
  computeReward(task, output) {
    ${body}
  }
}
`;

async function ranProject(): Promise<Project> {
  const project = await smallProject({
    'small.yaml': countdown,
    'own.yaml': judged('judge.js->Own'),
    'workflow.ts': workflow,
    'judge.js': ownJudge('return [output.metadata.final_answer.includes("+") ? 2 : 0.5, true];'),
  });
  const { code, stdout } = await runCli(project, ['--conf', 'small.yaml', '--json']);
  const { episodes } = JSON.parse(stdout) as { episodes: { reward: number }[] };
  expect([code, episodes.map(({ reward }) => reward)]).toEqual([0, [1, 0.1]]);
  return project;
}

it('scores with a judge of AgentJet that is built in, and again with the same', async () => {
  const project = await ranProject();
  const { code, stdout } = await runCli(project, ['judge', trace]);
  expect(code).toBe(0);
  expect(normalised(stdout, project)).toMatchSnapshot();
});

it('scores a trace again with the judge of another config', async () => {
  const project = await ranProject();
  const { code, stdout, stderr } = await runCli(project, ['judge', trace, '--conf', 'own.yaml', '--json']);
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toEqual({
    episodes: [
      {
        episode: 0,
        taskId: 't1',
        repeat: 0,
        reward: 0.5,
        isSuccess: true,
        recorded: { reward: 1, isSuccess: true },
        difference: -0.5,
        error: null,
      },
      {
        episode: 1,
        taskId: 't2',
        repeat: 0,
        reward: 2,
        isSuccess: true,
        recorded: { reward: 0.1, isSuccess: false },
        difference: 1.9,
        error: null,
      },
    ],
    groups: [
      { taskId: 't1', episodes: 1, failed: 0, meanReward: 0.5, successRate: 1 },
      { taskId: 't2', episodes: 1, failed: 0, meanReward: 2, successRate: 1 },
    ],
    meanReward: 1.25,
    successRate: 1,
    trace: project.path(trace),
  });
});

it('goes on where the judge fails, and says where', async () => {
  const project = await ranProject();
  const throwing = 'if (task.taskId === "t1") throw new Error("no idea");\n    return [1, true];';
  await project.write({ 'judge.js': ownJudge(throwing) });
  const { code, stdout, stderr } = await runCli(project, ['judge', trace, '--conf', 'own.yaml']);
  expect(code).toBe(1);
  expect(stderr).toContain(`${project.path('judge.js')}:4:`);
  expect(stderr).toContain('computeReward of Own threw: no idea [task-judge/threw]');
  expect(stdout).toMatch(/t2 +0 +1 +0\.1 +1 +\+0\.9 +yes/);
});

it('scores only the episodes that are named', async () => {
  const project = await ranProject();
  const args = ['judge', trace, '--conf', 'own.yaml', '--json'];
  const { stdout } = await runCli(project, [...args, '--episode', '1']);
  const { episodes } = JSON.parse(stdout) as { episodes: { episode: number }[] };
  expect(episodes.map(({ episode }) => episode)).toEqual([1]);
  const missing = await runCli(project, [...args, '--episode', '7']);
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('trace/no-such-episode')]);
});

it('says so where there is nothing to score', async () => {
  const project = await ranProject();
  const none = await runCli(project, ['judge', 'none.ajtrace']);
  expect([none.code, none.stderr]).toEqual([2, expect.stringMatching(/\[trace\//)]);
  const unnamed = await runCli(project, ['judge']);
  expect([unnamed.code, unnamed.stderr]).toEqual([
    2,
    expect.stringContaining('agentjet judge needs <trace>.'),
  ]);
  const database = new DatabaseSync(project.path(trace));
  database.exec('DELETE FROM outputs WHERE episode = 1');
  database.close();
  const partly = await runCli(project, ['judge', trace]);
  expect([partly.code, partly.stderr]).toEqual([1, expect.stringContaining('task-judge/nothing-returned')]);
});
