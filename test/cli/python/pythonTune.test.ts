/** Scripts that call `tune` of AgentScope's tuner. */
import { beforeAll, describe, expect, it } from 'vitest';
import { casesOf } from '../../tools/deep.ts';
import { ensurePython, type PythonEnvironment } from '../../tools/pythonEnvironments.mjs';
import { failure, runCli, runJson, startCli } from '../harness/cli.ts';
import { living } from '../harness/processes.ts';
import { emptyProject, smallProject, type Project } from '../harness/project.ts';
import { openTrace, writeTimeline } from '../harness/trace.ts';
import { keepSnapshotsOfOtherCases } from '../harness/snapshots.ts';

keepSnapshotsOfOtherCases();

let python: string;
beforeAll(async () => {
  python = await ensurePython();
}, 300_000);

const functions = `from agentscope.tuner import JudgeOutput, WorkflowOutput


async def solve(task, model):
    reply = await model([
        {'role': 'system', 'content': 'Add, and box the result in \\\\boxed{}.'},
        {'role': 'user', 'content': task['question']},
    ])
    return WorkflowOutput(reward=7, response=reply.content[0]['text'], metrics={'replies': 1})


async def score(task, response):
    return JudgeOutput(reward=1 if task['answer'] in response else 0.25)
`;

const rows = [1, 2, 3].map((n) => JSON.stringify({ question: `What is ${n} + 1?`, answer: `{${n + 1}}` }));

function tuning(call: string): Promise<Project> {
  return made({
    'main.py': `from agentscope.tuner import *

from functions import score, solve

if __name__ == '__main__':
    data = DatasetConfig(path='data')
    ${call.trim().replaceAll('\n', '\n    ')}
`,
  });
}

async function made(files: Readonly<Record<string, string>>): Promise<Project> {
  const project = await emptyProject();
  await project.write({ 'functions.py': functions, 'data/train.jsonl': rows.join('\n'), ...files });
  return project;
}

it('names all packages that a judge needs, before the run', async () => {
  const project = await tuning('tune(workflow_func=solve, judge_func=boxed, train_dataset=data)');
  const boxed = `

def boxed(task, response):
    from trinity.common.rewards.math_reward import MathBoxedRewardFn
    return MathBoxedRewardFn()(response)
`;
  await project.write({ 'functions.py': functions + boxed });
  const main = (await project.read('main.py')).replace('score, solve', 'boxed, solve');
  await project.write({ 'main.py': main });
  const message = await failure(project, script());
  expect(message).toContain('trinity-rft, math-verify, regex. [python/missing-packages]');
  expect(message).not.toContain('episode');
});

const script = (): string[] => ['--conf', 'main.py', '--python', python];

describe('a script that calls tune', () => {
  it('runs as one on the debug backbone, with the numbers of its twin in TypeScript, and goes on', async () => {
    const project = await tuning(`
assert len(data.preview(2)) == 2
tune(
    workflow_func=solve,
    judge_func=score,
    train_dataset=data,
    model=TunerModelConfig(model_path='Qwen/Qwen3-0.6B', max_model_len=2000, max_tokens=500),
    algorithm=AlgorithmConfig(group_size=2),
)
import sys
print('then', sys.argv, __name__)`);
    const twin = await smallProject({
      'data/train.jsonl': rows.join('\n'),
      'small.yaml': `ajet:
  experiment_name: small
  task_reader: {type: huggingface_dat_repo, huggingface_dat_repo: {dataset_path: data, training_split: train}}
  task_judge: {judge_type: customized_protocol, judge_protocol: functions.ts->score}
  rollout: {user_workflow: functions.ts->solve, num_repeat: 2, temperature: 1.0, top_p: 1.0, max_response_length_in_one_turn: 516}
hydra: {searchpath: ['file://ajet/default_config']}
defaults: [ajet_default, _self_]
`,
      'functions.ts': `import type { JudgeFunction, WorkflowFunction } from 'agentjet';
export const solve: WorkflowFunction = async ({ task, model }) => {
  const reply = await model([
    { role: 'system', content: 'Add, and box the result in \\\\boxed{}.' },
    { role: 'user', content: String(task['question']) },
  ]);
  const [text] = reply.content;
  return { reward: 7, response: text?.type === 'text' ? text.text : '', metrics: { replies: 1 } };
};
export const score: JudgeFunction = ({ task, response }) => ({
  reward: String(response).includes(String(task['answer'])) ? 1 : 0.25,
});
`,
    });
    const answers = { 'answers.json': JSON.stringify(['Surely {3}.']) };
    await Promise.all([project.write(answers), twin.write(answers)]);
    const tasks = ['--tasks', '3', '--model', 'script', '--script', 'answers.json'];
    const expected = await runJson(twin, ['--conf', 'small.yaml', ...tasks]);
    const run = await runJson(project, [...script(), ...tasks]);
    const outcome = ({ episodes, trace }: typeof run): unknown => ({
      episodes: episodes.map(({ taskId, repeat, reward, metrics, llmCalls, tokens, trainableTokens }) => ({
        ...{ taskId, repeat, reward, metrics, llmCalls, tokens, trainableTokens },
      })),
      text: writeTimeline(openTrace(trace ?? ''), 3, 0),
    });
    expect(run.code).toBe(0);
    expect(run.episodes).toHaveLength(6);
    expect(outcome(run)).toEqual(outcome(expected));
    expect(run.stderr).toContain(`then ['${project.path('main.py')}'] __main__`);
    const again = await runCli(project, ['judge', run.trace ?? '', '--json', '--python', python]);
    expect(JSON.parse(again.stdout)).toMatchObject({ episodes: run.episodes.map(() => ({ difference: 0 })) });
    const written = (await project.list('saved_experiments')).find((name) => name.endsWith('.yaml')) ?? '';
    const trained = await runJson(project, [
      '--conf',
      `saved_experiments/${written}`,
      '--python',
      python,
      ...tasks,
    ]);
    expect(outcome(trained)).toEqual(outcome(expected));
  });

  it('takes what its config says, where the call does not, and options win over both', async () => {
    const project = await tuning(`
tune(
    workflow_func=solve,
    config_path='tune.yaml',
    algorithm=AlgorithmConfig(group_size=3),
    auxiliary_models={'critic': TunerModelConfig(model_path='critic', max_model_len=10)},
    experiment_name='mine',
    model=TunerModelConfig(model_path='Qwen/Qwen3-0.6B', max_model_len=2000, temperature=0.5),
)`);
    await project.write({
      'functions.py': functions.replace(
        '(task, model):',
        '(task, model, auxiliary_models):\n    print(list(auxiliary_models))',
      ),
      'tune.yaml': `project: mine
name: from_config
explorer: {runner_per_model: 2}
algorithm: {algorithm_type: multi_step_grpo, repeat_times: 8}
buffer:
  explorer_input:
    taskset: {path: data, split: train}
`,
    });
    const run = await runCli(project, [...script(), '--tasks', '1']);
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('from_config: 3 episodes (1 task × 3)');
    expect(run.stdout).toContain("['critic']");
    expect(run.stderr.match(/reward 7/g)).toHaveLength(3);
    expect(run.stderr).toContain(
      "main.py:7: tune() ignores `temperature=0.5` of TunerModelConfig. In training it uses Trinity-RFT's default. [tune/unused]",
    );
    expect(run.stderr).toContain('tune() ignores its experiment_name');
    const chosen = await runJson(project, [...script(), '--task-id', '2', '--repeat', '1', '--seed', '3']);
    expect(chosen.episodes).toMatchObject([{ taskId: '2', repeat: 0, reward: 7 }]);
  });

  it('may be of the time when a workflow returned its reward', async () => {
    const project = await made({
      'main.py': `from typing import Dict
from agentscope.tune import tune
from agentscope.model import TrinityChatModel
from trinity.common.rewards import RewardFn


class Half(RewardFn):
    def __init__(self):
        pass

    def __call__(self, response, **_):
        return {'accuracy': len(response) / 2}


async def solve(task: Dict, model: TrinityChatModel) -> float:
    reply = await model([{'role': 'user', 'content': task['question']}])
    return sum(Half()(reply.content).values())


tune(solve, 'tune.yaml')
`,
      'tune.yaml': `mode: both
explorer: {runner_per_model: 2}
buffer:
  explorer_input:
    taskset: {path: data, split: train}
`,
    });
    const run = await runJson(project, [...script(), '--tasks', '2']);
    expect(run.episodes).toMatchObject([{ reward: 0.5 }, { reward: 0.5 }]);
  });

  it('can be recorded and replayed', async () => {
    const project = await tuning('tune(workflow_func=solve, train_dataset=data)');
    const one = [...script(), '--tasks', '1', '--repeat', '1'];
    const recorded = await runJson(project, [...one, '--record', 'calls.jsonl']);
    const replayed = await runJson(project, [...one, '--replay', 'calls.jsonl', '--seed', '9']);
    expect(replayed.episodes.map(({ reward, tokens }) => [reward, tokens])).toEqual(
      recorded.episodes.map(({ reward, tokens }) => [reward, tokens]),
    );
  });

  it('that ends its own process costs the run its episode, and the script its end', async () => {
    const project = await tuning('tune(workflow_func=solve, judge_func=score, train_dataset=data)');
    const ends = "(task, model):\n    import os\n    '1 + 1' in task['question'] and os._exit(4)";
    await project.write({ 'functions.py': functions.replace('(task, model):', ends) });
    const run = await runJson(project, [...script(), '--tasks', '3', '--repeat', '1', '--parallel', '1']);
    expect(run.episodes.map(({ error }) => error?.code ?? null)).toEqual(['python/died', null, null]);
    expect(run).toMatchObject({ code: 2, error: { code: 'python/died' } });
  });

  const environments = new Map<PythonEnvironment, string>();
  beforeAll(async () => {
    for (const name of ['agentscope1', 'agents'] as const) environments.set(name, await ensurePython(name));
  }, 300_000);

  it.each(
    casesOf<readonly [PythonEnvironment, string, string]>(
      [['agents', 'agentscope.tuner._config', "[message.UserMsg(name='user', content=task['question'])]"]],
      [['agentscope1', 'agentscope.tuner._dataset', 'messages']],
    ),
  )(
    'has the tuner of the AgentScope that is installed, or ours: %s',
    async (environment, own, said) => {
      const project = await tuning(`
assert DatasetConfig.__module__ == '${own}', DatasetConfig.__module__
assert data.preview(1)[0]['answer'] == '{2}'
model = TunerModelConfig(model_path='Qwen/Qwen3-0.6B', max_model_len=2000, max_tokens=500)
tune(workflow_func=solve, judge_func=score, train_dataset=data, model=model)`);
      await project.write({
        'functions.py': `from agentscope import message
from agentscope.tuner import JudgeOutput, WorkflowOutput


async def solve(task, model):
    messages = [{'role': 'user', 'content': task['question']}]
    reply = await model(${said})
    return WorkflowOutput(response=message.Msg(name='solver', content=reply.content, role='assistant'))


async def score(task, response):
    return JudgeOutput(reward=len(response.get_text_content()))
`,
      });
      const answers = { 'answers.json': JSON.stringify(['Surely {2}.']) };
      await project.write(answers);
      const args = ['--tasks', '1', '--model', 'script', '--script', 'answers.json'];
      const interpreter = ['--python', environments.get(environment) ?? ''];
      const { stdout, stderr } = await runCli(project, ['--conf', 'main.py', ...interpreter, ...args]);
      expect(stdout + stderr).toContain('repeat 0: reward 11,');
      expect((stdout + stderr).includes('tune/no-tuner')).toBe(environment === 'agents'); // AgentScope 2
    },
    180_000,
  ); // what was just installed is compiled when it is imported

  it('is ended with its run, wherever it is', async () => {
    const here = "print('here', os.getpid(), flush=True)\ntime.sleep(600)";
    const slow = `import asyncio\nasync def solve(task, model):\n    print('here', os.getpid(), flush=True)\n    await asyncio.sleep(600)`;
    for (const body of casesOf([slow], [here, 'pass'])) {
      const project = await tuning(`
import os, time
${body}
tune(workflow_func=solve, train_dataset=data)
print('here', os.getpid(), flush=True)
time.sleep(600)`);
      const running = startCli(project, [...script(), '--tasks', '1']);
      const [, pid] = await running.wrote(/^here (\d+)$/m);
      running.child.kill('SIGINT');
      expect((await running.exited).code).toBe(130);
      await expect.poll(() => living([Number(pid)])).toEqual([]);
    }
  });
});

describe('what is wrong with a script is told with its place', () => {
  async function told(project: Promise<Project>): Promise<string> {
    const text = await failure(await project, [...script(), '--tasks', '1', '--repeat', '1']);
    return text.replaceAll(python, '<python>').replaceAll(/Experiment-\d+/g, 'Experiment-<time>');
  }
  const call = 'tune(workflow_func=solve, train_dataset=data)';

  it.each(
    casesOf<readonly [string, string]>(
      [
        ['it never calls tune', 'if False:\n    tune(workflow_func=solve)'],
        ['it dies after', `${call}\nimport sys\nsys.exit(3)`],
        ['its judge has other parameters', 'tune(workflow_func=solve, judge_func=solve, train_dataset=data)'],
        ['it imports what is not there', 'import no_such_package'],
      ],
      [
        ['it calls tune twice', `${call}\n${call}`],
        ['it dies before', "raise ValueError('no luck')"],
        ['it names no data set', 'tune(workflow_func=solve)'],
        ['it names no config', "tune(workflow_func=solve, config_path='none.yaml')"],
        ['its config is no YAML', "tune(workflow_func=solve, config_path='bad.yaml')"],
        ['its config is not one', "tune(workflow_func=solve, config_path='list.yaml')"],
        ['its workflow has other parameters', 'tune(workflow_func=score, train_dataset=data)'],
        ['it tunes a prompt', 'tune_prompt(workflow=solve)'],
        ['it selects a model', 'import asyncio\nasyncio.run(select_model())'],
      ],
    ),
  )('%s', async (_, body) => {
    const project = tuning(body).then(async (one) => {
      await one.write({ 'bad.yaml': 'a: 1\nb: [\n', 'list.yaml': '- 1\n' });
      return one;
    });
    expect(await told(project)).toMatchSnapshot();
  });

  it('it is no Python', async () => {
    expect(await told(made({ 'main.py': 'import os\nx = (\n' }))).toMatchSnapshot();
  });

  it('a module calls tune as it is imported', async () => {
    const project = await smallProject({
      'functions.py': functions,
      'agent.py': `from agentscope.tuner import tune\nfrom functions import solve\n\ntune(workflow_func=solve)\n`,
    });
    await project.edit('small.yaml', 'workflow.ts->Small', 'agent.py->solve');
    expect(await failure(project, ['--conf', 'small.yaml', '--python', python])).toMatchSnapshot();
  });
});
