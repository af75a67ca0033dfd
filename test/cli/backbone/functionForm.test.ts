/** Workflows and judges that are functions, as those of AgentScope's tuner are. */
import { describe, expect, it } from 'vitest';
import { failure, runCli, runJson } from '../harness/cli.ts';
import { smallConfig, smallProject, smallWorkflow } from '../harness/project.ts';

const asked = smallConfig.replace('->Small', '->solve');
const judged = asked.replace(
  '  rollout:\n',
  '  task_judge: {judge_type: customized_protocol, judge_protocol: judge.ts->score}\n  rollout:\n',
);

const solve = `import type { ChatModel, TaskRow, WorkflowFunctionOutput } from 'agentjet';
export async function solve(task: TaskRow, model: ChatModel): Promise<WorkflowFunctionOutput> {
  const reply = await model([
    { role: 'system', content: 'Add, and box the result in \\\\boxed{}.' },
    { role: 'user', content: String(task['main_query']) },
  ]);
  const [text] = reply.content;
  return { reward: 7, response: text?.type === 'text' ? text.text : '', metrics: { replies: 1, kept: 3 } };
}
`;
const score = `import type { JudgeFunction } from 'agentjet';
export const score: JudgeFunction = async ({ response, task, auxiliaryModels, logger }) => {
  const names = Object.keys(auxiliaryModels);
  const said = await auxiliaryModels['critic']?.([{ role: 'user', content: String(response) }]);
  logger.info('judged', task['task_id'], names.join(), JSON.stringify(said?.content), said?.message.role);
  return { reward: /boxed/.test(String(response)) ? 1 : 0.25, metrics: { replies: 2 } };
};
`;
const critic = "export default () => 'Fine by me.';\n";
const withCritic = ['--debug-model', 'critic=critic.ts'];

interface Ended {
  readonly findings: readonly { readonly code: string }[];
}

/** Without what every group of one has. */
function codesOf(episode: Ended | undefined): unknown {
  return episode?.findings.map(({ code }) => code).filter((code) => code !== 'single-episode');
}

describe('a workflow that is a function', () => {
  it('is scored by the judge, whatever it returns, in a run and of its trace', async () => {
    const files = { 'small.yaml': judged, 'workflow.ts': solve, 'judge.ts': score, 'critic.ts': critic };
    const project = await smallProject(files);
    const run = await runCli(project, ['--conf', 'small.yaml', '--json', ...withCritic]);
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('judged t1 critic [{"type":"text","text":"Fine by me."}] assistant');
    const { episodes } = JSON.parse(run.stdout) as { episodes: Ended[] };
    expect(codesOf(episodes[0])).toEqual(['reward-unused']);
    expect(episodes).toMatchObject([
      { taskId: 't1', reward: 1, isSuccess: true, llmCalls: 1, metrics: { replies: 2, kept: 3 } },
      { taskId: 't2', reward: 1, isSuccess: true, llmCalls: 1, metrics: { replies: 2, kept: 3 } },
    ]);
    const trace = 'saved_experiments/small/small.ajtrace';
    const again = await runCli(project, ['judge', trace, '--json', ...withCritic]);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain('"Fine by me."');
    expect(JSON.parse(again.stdout)).toMatchObject({
      episodes: [
        { reward: 1, metrics: { replies: 2, kept: 3 }, difference: 0 },
        { reward: 1, difference: 0 },
      ],
    });
  });

  it('gives its own reward where there is no judge', async () => {
    const project = await smallProject({ 'small.yaml': asked, 'workflow.ts': solve });
    const { episodes } = await runJson(project, ['--conf', 'small.yaml']);
    expect(episodes).toMatchObject([
      { reward: 7, metrics: { replies: 1, kept: 3 } },
      { reward: 7, metrics: { replies: 1, kept: 3 } },
    ]);
  });

  it('needs a call of the model itself to train: those of other models are none', async () => {
    const project = await smallProject({
      'small.yaml': asked,
      'critic.ts': critic,
      'workflow.ts': `import type { WorkflowFunction } from 'agentjet';
export const solve: WorkflowFunction = async ({ task, model: _model, auxiliaryModels }) => {
  await auxiliaryModels['critic']?.([{ role: 'user', content: String(task['main_query']) }]);
  return { reward: 1 };
};
`,
    });
    const { episodes } = await runJson(project, ['--conf', 'small.yaml', ...withCritic]);
    expect(codesOf(episodes[0])).toEqual(['no-call']);
  });

  it('gives its response to a judge that is a class, as metadata', async () => {
    const project = await smallProject({
      'small.yaml': judged.replace('judge.ts->score', 'judge.ts->Strict'),
      'workflow.ts': solve,
      'judge.ts': `import { BaseJudge, type WorkflowOutput, type WorkflowTask } from 'agentjet';
export class Strict extends BaseJudge {
  override computeReward(_: WorkflowTask, { metadata, isSuccess }: WorkflowOutput) {
    return { reward: typeof metadata?.['response'] === 'string' ? 0.5 : 0, isSuccess: isSuccess === true };
  }
}
`,
    });
    const { episodes } = await runJson(project, ['--conf', 'small.yaml']);
    expect(episodes.map(({ reward, isSuccess }) => [reward, isSuccess])).toEqual([
      [0.5, true],
      [0.5, true],
    ]);
  });

  it('is a default export of CommonJS too, which a script of a job may have for itself', async () => {
    const config = asked.replace('workflow.ts->solve', 'workflow.cjs->default');
    const own = 'async ({ task, model }) => ({ reward: task.task_id === "t1" ? 1 : 0.5 })';
    const project = await smallProject({
      'small.yaml': config,
      'workflow.cjs': `module.exports = ${own};\n`,
    });
    const rewards = { t1: 1, t2: 0.5 };
    const run = await runJson(project, ['--conf', 'small.yaml']);
    expect(Object.fromEntries(run.episodes.map(({ taskId, reward }) => [taskId, reward]))).toEqual(rewards);
    await project.write({
      'job.ts': `import { AgentJetJob, type WorkflowFunction } from 'agentjet';
const solve: WorkflowFunction = async ({ task }) => ({ reward: task['task_id'] === 't1' ? 1 : 0.5 });
await new AgentJetJob().setData('jsonl', 'tasks.jsonl').setWorkflow(solve).tune();
`.replace('{ task }', '{ task, model: _ }'),
      'located.ts': `import { AgentJetJob } from 'agentjet';
import { solve } from './functions.ts';
const job = new AgentJetJob().setData('jsonl', 'tasks.jsonl').setWorkflow(solve);
job.config.ajet.task_judge.judge_protocol = 'functions.ts->score';
await job.dumpJobAsYaml('made.yaml');
await job.tune();
`,
      'functions.ts': `export const solve = (task: unknown, model: unknown) => ({ response: [typeof task, typeof model] });
export const score = (task: unknown, response: string[]) => ({ reward: response.join() === 'object,function' ? 1 : 0 });
`,
    });
    const job = await runJson(project, ['--conf', 'job.ts', '--repeat', '1']);
    expect(Object.fromEntries(job.episodes.map(({ taskId, reward }) => [taskId, reward]))).toEqual(rewards);
    const located = await runJson(project, ['--conf', 'located.ts', '--repeat', '1']);
    expect(located.episodes.map(({ reward }) => reward)).toEqual([1, 1]);
    expect(await project.read('made.yaml')).toContain('user_workflow: functions.ts->solve');
  });

  it('trains no target but those that are named, where there is someone else to answer', async () => {
    const project = await smallProject({ 'small.yaml': asked, 'workflow.ts': solve });
    const { episodes } = await runJson(project, ['--conf', 'small.yaml', '--trainable-targets', 'other']);
    const [first] = episodes;
    expect(first?.findings.map(({ code }) => code)).toContain('untrained-target-trained');
  });
});

describe('a judge that is a function', () => {
  it('gets the metadata of a workflow that is a class, and is not asked where that has a reward', async () => {
    const body = "return workflowTask.taskId === 't1' ? { reward: 0 } : { metadata: { answer: 42 } };";
    const project = await smallProject({
      'small.yaml': judged.replace('->solve', '->Small'),
      'workflow.ts': smallWorkflow(body),
      'judge.ts': `export function score(_task: unknown, response: { answer: number }) {
  return { reward: response.answer / 100 };
}
`,
    });
    const { episodes } = await runJson(project, ['--conf', 'small.yaml']);
    expect(episodes.map(({ reward }) => reward)).toEqual([0, 0.42]);
  });
});

const good = 'export function solve(task, model) { return { reward: 1 }; }';

describe('what is wrong with a workflow that is a function is told with its place', () => {
  it.each([
    ['other parameters', 'export const first = 1;\nexport async function solve(row, model) {}'],
    ['too few', '/** Solves. */\nexport const solve = async (task) => ({ reward: 1 });'],
    ['the rest of them', 'export function solve(...given) {}'],
    ['a generator', 'export async function* solve(task, model) {}'],
    ['a class that is no workflow', 'export class solve { execute() { return { reward: 1 }; } }'],
    ['no output', '\n\nexport async function solve(task, model) { await model; }'],
    ['a list', 'export function solve(task, model) { return [1]; }'],
    [
      'no reward',
      'export default function solve(task, model) { return { response: 1 }; }\nexport { solve };',
    ],
    ['a reward that is none', "export const solve = (task, model) => ({ reward: '1' });"],
    [
      'metrics that are none',
      "export const solve = (task, model) => ({ reward: 1, metrics: { calls: 'many' } });",
    ],
    ['a throw', 'export function solve(task, model) {\n  throw new Error(`no ${task.main_query}`);\n}'],
    [
      'a tool that is not there',
      "export async function solve(task, model) {\n  await model([], { toolChoice: 'add' });\n}",
    ],
  ])('%s', async (_, text) => {
    const config = asked.replace('workflow.ts', 'workflow.js');
    expect(
      await failure(await smallProject({ 'small.yaml': config, 'workflow.js': text })),
    ).toMatchSnapshot();
  });

  it.each([
    ['other parameters', 'export const score = (response, model) => ({ reward: 1 });'],
    ['a number', 'export const score = (task, response) => 1;'],
    ['no reward', 'export const score = (task, response) => ({ metrics: {} });'],
    ['metrics that are none', 'export const score = (task, response) => ({ reward: 1, metrics: [1, "x"] });'],
    ['a throw', 'export const score = (task, response) => response.length.x.y;'],
  ])('of a judge: %s', async (_, text) => {
    const config = judged.replace('workflow.ts', 'workflow.js').replace('judge.ts', 'judge.js');
    const files = { 'small.yaml': config, 'workflow.js': good, 'judge.js': text };
    expect(await failure(await smallProject(files))).toMatchSnapshot();
  });
});
