/** Scripts that make an AgentJetJob in Python. */
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';
import { failure, runJson } from '../harness/cli.ts';
import { emptyProject, smallProject, type Project } from '../harness/project.ts';

let python: string;
beforeAll(async () => {
  python = await ensurePython();
}, 300_000);

const agent = `from ajet import Workflow, WorkflowOutput


class Half(Workflow):
    async def execute(self, workflow_task, tuner):
        client = tuner.as_raw_openai_sdk_client(agent_name='solver')
        await client.chat.completions.create(messages=[
            {'role': 'system', 'content': 'Answer.'},
            {'role': 'user', 'content': workflow_task.task.main_query},
        ])
        return WorkflowOutput(reward=0.5 * workflow_task.task_thread_index, is_success=True)
`;

const twin = `import { AgentJetJob, Workflow } from 'agentjet';
export class Half extends Workflow {
  async execute(task, tuner) {
    const client = tuner.asOpenAIClient({ agentName: 'solver' });
    await client.chat.completions.create({ model: 'any', messages: [
      { role: 'system', content: 'Answer.' },
      { role: 'user', content: task.task.main_query },
    ] });
    return { reward: 0.5 * task.taskThreadIndex, isSuccess: true };
  }
}
`;

const made = `job = (
    AgentJetJob(backbone="verl", model="Qwen/Qwen2.5-7B-Instruct", n_gpu=4)
    .set_workflow(Half)
    .set_data("jsonl", "tasks.jsonl")
)
job.config.ajet.rollout.num_repeat = 3
job.config["ajet"]["rollout"].temperature = 1.0
`;

const script = (): string[] => ['--conf', 'job.py', '--python', python, '--seed', '7'];

async function projectWith(text: string): Promise<Project> {
  const project = await emptyProject();
  const rows = [1, 2].map((n) => JSON.stringify({ task_id: `t${n}`, main_query: `What is ${n} + 1?` }));
  await project.write({
    'agent.py': agent,
    'tasks.jsonl': rows.join('\n'),
    'job.py': `from ajet import AgentJetJob, Workflow, WorkflowOutput\nfrom agent import Half\n\n${text}`,
  });
  return project;
}

describe('a job in Python', () => {
  it('runs with the numbers of its twin, which makes the same config, and goes on with the results', async () => {
    const project = await projectWith(`${made}
job.dump_job_as_yaml("made/half.yaml")
assert job.tune() is job
print("rewards", *(episode["reward"] for episode in job.results))
`);
    await project.write({
      'half.ts': twin,
      'job.ts': `import { AgentJetJob } from 'agentjet';
import { Half } from './half.ts';
const job = new AgentJetJob({ backbone: 'verl', model: 'Qwen/Qwen2.5-7B-Instruct', nGpu: 4 })
  .setWorkflow(Half).setData('jsonl', 'tasks.jsonl');
Object.assign(job.config.ajet.rollout, { num_repeat: 3, temperature: 1 });
await job.dumpJobAsYaml('made/twin.yaml');
await job.tune();
`,
    });
    const own = await runJson(project, script());
    expect(own.stderr).toContain('rewards 0 0.5 1 1.5 2 2.5');
    const other = await runJson(project, ['--conf', 'job.ts', '--seed', '7']);
    const results = ({ episodes }: typeof own): unknown =>
      episodes.map(({ reward, llmCalls, timelines, tokens, trainableTokens }) => [
        ...[reward, llmCalls, timelines, tokens, trainableTokens],
      ]);
    expect(results(own)).toEqual(results(other));
    const [mine, twins] = await Promise.all([project.read('made/half.yaml'), project.read('made/twin.yaml')]);
    const timeless = (text: string): string => text.replace(/ajet_job_\w+/, 'ajet_job');
    expect(timeless(mine)).toBe(timeless(twins).replace('half.ts->Half', 'agent.py->Half'));
    const again = await runJson(project, ['--conf', 'made/half.yaml', '--python', python, '--seed', '7']);
    expect(results(again)).toEqual(results(own));
  });

  it('is made of a YAML file, of a class that only its script has, and by its earlier name', async () => {
    const project = await projectWith(`${made}
job.dump_job_as_yaml("made.yaml")
from astuner import AstunerJob


class Own(Workflow):
    async def execute(self, workflow_task, tuner):
        return WorkflowOutput(reward=0.25)


AgentJetJob(base_yaml_config="made.yaml", project_name="mine", lr=1e-5).dump_job_as_yaml("base.yaml")
AstunerJob().load_job_from_yaml("made.yaml").set_workflow(Own).tune()
`);
    const { episodes } = await runJson(project, script());
    expect(episodes.map(({ reward }) => reward)).toEqual(Array.from({ length: 6 }, () => 0.25));
    const base = parse(await project.read('base.yaml')) as { ajet: Record<string, object> };
    expect(base.ajet).toMatchObject({
      project_name: 'mine',
      backbone: 'verl',
      rollout: { num_repeat: 3 },
      trainer_common: { n_gpus_per_node: 4, optim: { lr: 1e-5 } },
    });
  });

  it.each([
    [
      'a slip in a key',
      `${made}job.config.ajet.rollout.num_repeets = 3`,
      /job\.py:11: .*num_repeets.*num_repeat/s,
    ],
    ['a backbone of nobody', 'AgentJetJob(backbone="torch")', /job\.py:4: Unknown backbone "torch"/],
    [
      'no GPU left to train',
      'AgentJetJob(n_gpu=2, n_gpu_for_infer=2)',
      /n_gpu_for_infer is 2 and n_gpu is 2/,
    ],
    ['data of no place', 'AgentJetJob().set_data("hf")', /job\.py:4: set_data\("hf"\) needs the path/],
    [
      'no workflow',
      'AgentJetJob().set_data("dummy").tune()',
      /job\.py:4: .*Call set_workflow .*'file\.py->/s,
    ],
    ['a slip in an argument', 'AgentJetJob(batchsize=8)', /job\.py:4: .*batchsize.*batch_size/s],
    ['one length of four', 'AgentJetJob(max_model_len=8)', /job\.py:4: .*max_prompt_length, .* missing/s],
    ['no run', 'AgentJetJob()', /without a call of tune.*AgentJetJob/s],
    ['two runs', `${made}job.tune()\njob.tune()`, /job\.py:12: .*tune was called before/s],
    [
      'a class that no config can name',
      `${made}class Own: pass\njob.set_workflow(Own).dump_job_as_yaml("a.yaml")`,
      /job\.py:12: A config cannot name Own/,
    ],
  ])('with %s is told where and what to do', async (_, text, expected) => {
    expect(await failure(await projectWith(`${text}\n`), script())).toMatch(expected);
  });

  it('is refused in a module that a config imports, with what to do instead', async () => {
    const project = await smallProject({
      'agent.py': `${agent}from ajet import AgentJetJob\nAgentJetJob()\n`,
    });
    await project.edit('small.yaml', 'workflow.ts->Small', 'agent.py->Half');
    const told = await failure(project, ['--conf', 'small.yaml', '--python', python]);
    expect(told).toMatch(/agent\.py:\d+: .*AgentJetJob is in an imported module.*--conf FILE\.py/s);
  });
});
