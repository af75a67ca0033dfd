/** Workflows and configs of AgentJet's predecessor, ASTuner, as its tutorials have them. */
import { beforeAll, describe, expect, it } from 'vitest';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';
import { failure, runJson } from '../harness/cli.ts';
import { smallProject, type Project } from '../harness/project.ts';

let python: string;
beforeAll(async () => {
  python = await ensurePython();
}, 300_000);

const written = `astuner:
  experiment_name: small
  task_reader:
    type: dataset_file
    dataset_file:
      training:
        file_path: tasks.jsonl
  task_judge:
    judge_type: customized_protocol
    judge_protocol: judge.py->Half
  rollout:
    agentscope_workflow: agent.py->Small
    num_repeat: 1
hydra:
  searchpath:
    - file://astuner/default_config
defaults:
  - astune_default
  - _self_
`;

const judge = `from astuner.task_judge.base_judge import BaseJudge


class Half(BaseJudge):
    def compute_reward(self, workflow_task, workflow_output):
        assert self.config.astuner.rollout.num_repeat == 1
        return len(workflow_output.metadata['answers']) / 4, True
`;

function workflow(body: string): string {
  return `from astuner import ModelTuner, Workflow, WorkflowTask
from astuner.schema.task import WorkflowOutput


class Small(Workflow):
    trainable_targets: list = ['wolf']

    async def execute(self, workflow_task: WorkflowTask, model_tuner: ModelTuner) -> WorkflowOutput:
        ${body.trim().replaceAll('\n', '\n        ')}
`;
}

/** Under the command's older name. */
function project(body: string, config = written): Promise<Project> {
  return smallProject({
    'small.yaml': config,
    'agent.py': workflow(body),
    'judge.py': judge,
    'answers.json': JSON.stringify(['I am a wolf.', 'Nobody knows.']),
  });
}

const conf = ['--conf', 'small.yaml', '--tasks', '1'];
const scripted = ['--model', 'script', '--script', 'answers.json'];

describe('a config of ASTuner', () => {
  it('runs with its own keys and defaults, its workflow importing the older names', async () => {
    const made = await project(`
import ajet, astuner.tuner, astuner.utils
import ajet.schema.task as current
assert WorkflowOutput is current.WorkflowOutput and astuner.tuner is ajet.tuner and Workflow is ajet.Workflow
assert ajet.tuner.__spec__.name == 'ajet.tuner' and ModelTuner is ajet.AjetTuner
assert model_tuner.config.astuner.rollout.max_env_worker == 128
assert model_tuner.get_context_tracker().context_overflow is False
return WorkflowOutput(metadata={'answers': ['one', 'two']})`);
    const { episodes } = await runJson(made, [...conf, '--python', python]);
    expect(episodes).toMatchObject([{ reward: 0.5, isSuccess: true, error: null }]);
  });

  it('is told what is wrong with it by its own names', async () => {
    const made = await project('pass', written.replace('num_repeat: 1', 'num_repeat: many'));
    expect(await failure(made, [...conf, '--python', python])).toMatchSnapshot();
  });
});

describe('the older tuner', () => {
  it('is itself a model of AgentScope’s, and hands out one for each target that is registered', async () => {
    const made = await project(`
from agentscope.agent import ReActAgent
from agentscope.formatter import DashScopeChatFormatter
from agentscope.message import Msg, TextBlock
from agentscope.model import ChatModelBase, ChatResponse

class Fixed(ChatModelBase):
    async def __call__(self, *args, **options):
        return ChatResponse(content=[TextBlock(type='text', text='I am but a villager.')])

def agent(name, model):
    return ReActAgent(name=name, sys_prompt='Speak.', model=model, formatter=DashScopeChatFormatter())

villager = model_tuner.register_model('villager', default_model=Fixed('fixed', False))
assert villager is model_tuner.get_model('villager')
for wrong in (lambda: model_tuner.get_model('seer'), lambda: model_tuner.register_model('villager', Fixed('other', False))):
    try:
        wrong()
    except ValueError as error:
        print(error)
    else:
        raise AssertionError
said = []
for model in (model_tuner.register_model('wolf', Fixed('fixed', False)), villager, model_tuner):
    answer = await agent('player', model)(Msg('user', 'Who are you?', 'user'))
    said.append(answer.get_text_content())
assert said == ['I am a wolf.', 'I am but a villager.', 'Nobody knows.'], said
return WorkflowOutput(metadata={'answers': said})`);
    const agentscope = await ensurePython('agentscope1');
    const { episodes, stderr } = await runJson(made, [...conf, ...scripted, '--python', agentscope]);
    expect(episodes).toMatchObject([{ reward: 0.75, llmCalls: 2, error: null }]);
    expect(stderr).toContain('No model is registered for `seer`');
    expect(stderr).toContain('`villager` is registered with another model: fixed, not other.');
  });
});
