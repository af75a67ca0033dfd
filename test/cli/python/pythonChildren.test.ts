/** Child processes of Python code import the same modules as their parent. */
import { beforeAll, describe, expect, it } from 'vitest';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';
import { runJson } from '../harness/cli.ts';
import { rows, smallConfig, smallProject } from '../harness/project.ts';

let python: string;
beforeAll(async () => {
  python = await ensurePython();
}, 300_000);

const agent = `import asyncio
import multiprocessing
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

from ajet import Workflow, WorkflowOutput, WorkflowTask
from agentscope.tuner import JudgeOutput


def score(text: str) -> WorkflowOutput:
    """Comes from a file that is not on Python's search path."""
    return WorkflowOutput(reward=len(text), metadata={'judge': JudgeOutput(reward=1).reward})


def pool(method: str) -> float:
    with multiprocessing.get_context(method).Pool(2) as workers:
        return sum(output.reward for output in workers.map(score, ['a', 'bc', 'def']))


def executor() -> float:
    context = multiprocessing.get_context('spawn')
    with ProcessPoolExecutor(2, mp_context=context) as workers:
        return sum(output.reward for output in workers.map(score, ['a', 'bc', 'def']))


def program() -> float:
    code = 'from ajet import WorkflowOutput; from agentscope.tuner import JudgeOutput; print(WorkflowOutput(reward=6).reward)'
    return float(subprocess.run([sys.executable, '-c', code], check=True, capture_output=True).stdout)


class Small(Workflow):
    async def execute(self, workflow_task: WorkflowTask, tuner):
        match workflow_task.task.task_id:
            case 't1':
                reward = await asyncio.to_thread(pool, 'spawn')
            case 't2':
                reward = await asyncio.to_thread(pool, 'forkserver')
            case 't3':
                reward = await asyncio.to_thread(executor)
            case _:
                reward = await asyncio.to_thread(program)
        return WorkflowOutput(reward=reward)
`;

describe('a child process of a Python workflow', () => {
  it('imports the stand-ins and the file of the workflow', async () => {
    const made = await smallProject({
      'small.yaml': smallConfig.replace('workflow.ts->Small', 'agents/agent.py->Small'),
      'agents/agent.py': agent,
      'tasks.jsonl': rows(4),
    });
    const { episodes } = await runJson(made, ['--conf', 'small.yaml', '--tasks', '4', '--python', python]);
    expect(episodes.map(({ reward, error }) => [reward, error])).toEqual(Array(4).fill([6, null]));
  });

  it('imports the plugins and the stand-in of Trinity-RFT', async () => {
    const made = await smallProject({
      'trinity.yaml': `project: children
name: children
mode: both
model:
  model_path: Qwen/Qwen3-0.6B
algorithm:
  algorithm_type: grpo
  repeat_times: 1
buffer:
  explorer_input:
    default_workflow_type: many
    taskset:
      path: data
      split: train
      format:
        prompt_key: main_query
`,
      'plugins/many.py': `import multiprocessing

from trinity.common.experience import Experience
from trinity.common.workflows.workflow import WORKFLOWS, Workflow


def half(number: int) -> Experience:
    return Experience(tokens=[1, 2], prompt_length=1, reward=number / 2)


@WORKFLOWS.register_module('many')
class Many(Workflow):
    def __init__(self, *, task, model, auxiliary_models=None):
        super().__init__(task=task, model=model, auxiliary_models=auxiliary_models)
        self.model = model

    def run(self):
        responses = self.model.chat([{'role': 'user', 'content': 'hello'}], n=1)
        with multiprocessing.get_context('spawn').Pool(1) as workers:
            responses[0].reward = workers.map(half, [3])[0].reward
        return responses
`,
      'data/train.jsonl': rows(1),
    });
    const flags = ['--conf', 'trinity.yaml', '--plugin-dir', 'plugins', '--python', python, '--tasks', '1'];
    const { episodes } = await runJson(made, flags);
    expect(episodes.map(({ reward, error }) => [reward, error])).toEqual(episodes.map(() => [1.5, null]));
  });

  it('runs the sitecustomize of the environment', async () => {
    const made = await smallProject({
      'lib/sitecustomize.py': "import sys\nsys.from_environment = 'yes'\n",
      'small.yaml': smallConfig.replace('workflow.ts->Small', 'agent.py->Small'),
      'agent.py': `import subprocess
import sys

from ajet import Workflow, WorkflowOutput

CODE = "import sys; print(sys.from_environment, [folder for folder in sys.path if folder.endswith('children')])"


class Small(Workflow):
    async def execute(self, workflow_task, tuner):
        ran = subprocess.run([sys.executable, '-c', CODE], check=True, capture_output=True, text=True)
        return WorkflowOutput(reward=ran.stdout == 'yes []\\n')
`,
      'tasks.jsonl': rows(1),
    });
    const env = { PYTHONPATH: made.path('lib') };
    const { episodes } = await runJson(made, ['--conf', 'small.yaml', '--python', python], { env });
    expect(episodes).toMatchObject([{ reward: 1, error: null }]);
  });
});
