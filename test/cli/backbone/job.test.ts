/** Scripts that make an AgentJetJob. */
import { describe, expect, it, inject } from 'vitest';
import { execFile } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { normalised, runCli, runJson } from '../harness/cli.ts';
import { exampleProject, type Project } from '../harness/project.ts';

const script = ['--conf', 'job.ts'];

const begin = `import { AgentJetJob } from 'agentjet';
import { MathAgentWorkflow } from './workflow.ts';
`;

const whole = `${begin}
const job = new AgentJetJob({ backbone: 'verl', model: 'Qwen/Qwen2.5-7B-Instruct', nGpu: 4 })
  .setWorkflow(MathAgentWorkflow)
  .setData('jsonl', 'data/train.jsonl', { validationPath: 'data/validation.jsonl' });
job.config.ajet.rollout.num_repeat = 3;
job.config.ajet.task_judge.judge_protocol = 'judge.ts->MathAnswerJudge';
console.log('written', await job.dumpJobAsYaml('made/math.yaml'));
await job.tune();
console.log('rewards', job.results.map(({ reward }) => reward).join(' '));
`;

async function projectWith(text: string): Promise<Project> {
  const project = await exampleProject();
  await project.write({ 'job.ts': text });
  return project;
}

describe('a job', () => {
  it('runs, and gives its script the results before the run ends', async () => {
    const project = await projectWith(whole);
    const { code, stdout, stderr } = await runCli(project, script);
    expect(code).toBe(0);
    expect(stderr).toMatch(/6 episodes \(2 tasks × 3\)/);
    expect(stdout).toMatch(/^rewards( [01]){6}$/m);
    expect(stdout.indexOf('rewards')).toBeLessThan(stdout.indexOf('mean reward'));
  });

  it('is written as a config that runs to the same rewards, and of which the editor has nothing to mend', async () => {
    const project = await projectWith(whole);
    const job = await runJson(project, [...script, '--seed', '7']);
    const config = await runJson(project, ['--conf', 'made/math.yaml', '--seed', '7']);
    expect(config.episodes).toEqual(job.episodes);
    const text = await project.read('made/math.yaml');
    expect(text).toContain('user_workflow: workflow.ts->MathAgentWorkflow');
    expect(text).toContain('n_gpus_per_node: 4');
    const check = await runCli(project, ['check', 'made/math.yaml']);
    expect(check.stdout).toMatch(/^0 errors, 0 warnings/m);
  });

  it('is made of a YAML file, and of a class that only its script has', async () => {
    const project = await projectWith(`import { AstunerJob, Workflow } from 'agentjet';
class Half extends Workflow {
  override async execute() { return { reward: 0.5 }; }
}
const job = await new AstunerJob().loadJobFromYaml('math_agent.yaml');
job.setWorkflow(Half).tune();
`);
    const { code, episodes } = await runJson(project, script);
    expect(code).toBe(0);
    expect(episodes).toHaveLength(16);
    expect(new Set(episodes.map(({ reward }) => reward))).toEqual(new Set([0.5]));
  });

  it.each([
    ['without a run', begin],
    ['without a workflow', `${begin}await new AgentJetJob().setData('dummy').tune();`],
    ['with a slip in a key', `${begin}new AgentJetJob().config.ajet.rollout.num_repeets = 3;`],
    ['with a backbone of nobody', `${begin}\nnew AgentJetJob({ backbone: 'torch' });`],
    ['with no GPU left to train', `${begin}new AgentJetJob({ nGpu: 2, nGpuForInfer: 2 });`],
    ['with data of nobody', `${begin}new AgentJetJob().setData('csv', 'a.csv');`],
    ['with data of no place', `${begin}new AgentJetJob().setData('hf');`],
    [
      'with a class that no config can name',
      `${begin}await new AgentJetJob().setWorkflow(class Own {} ).dumpJobAsYaml('a.yaml');`,
    ],
    ['that throws', `${begin}throw new Error('out of cheese');`],
  ])('%s is told where and what to do', async (_, text) => {
    const project = await projectWith(text);
    const { code, stderr } = await runCli(project, script);
    expect(`exit ${code}\n${normalised(stderr, project)}`).toMatchSnapshot();
  });

  it('runs once', async () => {
    const { code, stderr } = await runCli(await projectWith(`${whole}await job.tune();`), script);
    expect(code).toBe(2);
    expect(stderr).toMatch(/job\.ts:\d+:11: A script can run only one job, and tune was called before/);
  });

  it('says how it is to be started when it was started by Node alone', async () => {
    const sdk = path.join(inject('dist'), 'sdk.mjs');
    const program = `import { AgentJetJob } from ${JSON.stringify(sdk)}; new AgentJetJob();`;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
    await expect(run).rejects.toThrow('agentjet --conf FILE');
  });
});
