/** Workflows of Trinity-RFT, by the command. */
import { beforeAll, describe, expect, it } from 'vitest';
import { casesOf } from '../../tools/deep.ts';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';
import { failure, runCli, runJson } from '../harness/cli.ts';
import { emptyProject, smallProject, smallWorkflow, type Project } from '../harness/project.ts';
import { openTrace, writeTimeline } from '../harness/trace.ts';
import { keepSnapshotsOfOtherCases } from '../harness/snapshots.ts';

keepSnapshotsOfOtherCases();

let python: string;
beforeAll(async () => {
  python = await ensurePython();
}, 300_000);

const config = `project: tests
name: small
mode: both
model:
  model_path: Qwen/Qwen3-0.6B
  max_prompt_tokens: 1024
  max_response_tokens: 256
algorithm:
  algorithm_type: grpo
  repeat_times: 1
buffer:
  explorer_input:
    default_workflow_type: small_workflow
    taskset:
      path: data
      split: train
      format:
        prompt_key: question
        response_key: answer
      rollout_args:
        temperature: 0.7
explorer:
  rollout_model:
    enable_history: true
    enable_openai_api: true
`;

const rows = [
  { question: 'What is 0 + 1?', answer: '1' },
  { question: 'What is 1 + 1?', answer: '2' },
];

const imports = `from trinity.common.experience import Experience
from trinity.common.rewards import REWARD_FUNCTIONS, RewardFn
from trinity.common.workflows import WORKFLOWS, Task, Workflow
from trinity.common.workflows.workflow import MultiTurnWorkflow, SimpleWorkflow
`;

async function project(files: Readonly<Record<string, string>>): Promise<Project> {
  const made = await emptyProject();
  const data = rows.map((row) => JSON.stringify(row)).join('\n');
  await made.write({ 'small.yaml': config, 'data/train.jsonl': data, ...files });
  return made;
}

/** A workflow whose method begins in line 9. */
function workflow(method: string, flags = 'can_reset = False'): string {
  return `${imports}

@WORKFLOWS.register_module("small_workflow")
class Small(Workflow):
    ${flags}
    ${method.trim().replaceAll('\n', '\n    ')}
`;
}

const args = (tasks = 1): string[] =>
  `--conf small.yaml --tasks ${tasks} --python ${python} --plugin-dir plugins`.split(' ');

function plugin(code: string): Promise<Project> {
  return project({ 'plugins/small.py': code });
}

async function failing(made: Project, given = args()): Promise<string> {
  return (await failure(made, given)).replaceAll(python, '<python>');
}

describe('a workflow of Trinity-RFT', () => {
  it('is given its task as Trinity has it, and its rewards and metrics are those of the experiences', async () => {
    const made = await plugin(
      workflow(`
def run(self):
    task = self.task
    assert task.raw_task == {'question': 'What is 0 + 1?', 'answer': '1'}, task.raw_task
    assert (task.task_desc, task.truth, task.repeat_times, task.is_eval) == ('What is 0 + 1?', '1', 1, False)
    assert (task.rollout_args.temperature, task.rollout_args.max_tokens) == (0.7, 256), task.rollout_args
    assert (task.batch_id, task.task_id, task.index['index']) == (1, 0, 0)
    assert self.model.model_path == 'Qwen/Qwen3-0.6B' and self.model.model_version == 0
    (response,) = self.model.chat([{'role': 'user', 'content': task.task_desc}], temperature=0.1)
    assert len(response.tokens) > response.prompt_length > 0
    assert len(response.logprobs) == len(response.tokens) - response.prompt_length == len(response.action_mask)
    assert self.model.extract_experience_from_history() == [response]
    response.reward = 0.25
    response.metrics = {'right': 1.0}
    return [response]`),
    );
    const { episodes, stderr } = await runJson(made, args());
    expect(episodes).toMatchObject([{ reward: 0.25, isSuccess: false, llmCalls: 1, error: null }]);
    expect(stderr).not.toContain('temperature');
  });

  it('that is one of Trinity’s simple ones is scored by a reward function, once for each repeat', async () => {
    const made = await plugin(`${imports}

@REWARD_FUNCTIONS.register_module("half")
class Half(RewardFn):
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, response, truth, **kwargs):
        return {"accuracy": self.scale * (truth in response), "form": 0.125}
`);
    await made.edit('small.yaml', 'small_workflow', 'simple_workflow\n    default_reward_fn_type: half');
    await made.edit(
      'small.yaml',
      '      split: train',
      '      split: train\n      reward_fn_args: {scale: 0.5}',
    );
    await made.edit('small.yaml', 'repeat_times: 1', 'repeat_times: 2');
    const { episodes } = await runJson(made, args(2));
    expect(episodes.map(({ reward }) => reward)).toEqual([0.625, 0.625, 0.625, 0.625]);
    expect(episodes.map(({ llmCalls }) => llmCalls)).toEqual([1, 1, 1, 1]);
  });

  it('of several turns makes one experience, whose mask is the model’s part', async () => {
    const made = await plugin(`${imports}

@WORKFLOWS.register_module("small_workflow")
class Turns(MultiTurnWorkflow):
    is_async = True

    async def run_async(self):
        messages = [{"role": "system", "content": "You answer."}]
        for question in ("What is 1 + 1?", "Twice that?"):
            messages.append({"role": "user", "content": question})
            (response,) = await self.model.chat_async(messages)
            messages.append({"role": "assistant", "content": response.response_text})
        made = await self.process_messages_to_experience_async(messages, 0.75, {"turns": 2})
        assert sum(made.action_mask.tolist()) > 4, made.action_mask
        assert len(made.action_mask) == len(made.tokens) - made.prompt_length
        return [made]
`);
    const { episodes } = await runJson(made, args());
    expect(episodes).toMatchObject([{ reward: 0.75, llmCalls: 2, timelines: 1, error: null }]);
  });

  it('asks by OpenAI’s clients too, which record for the history', async () => {
    const made = await plugin(
      workflow(
        `
async def run_async(self):
    client = self.model.get_openai_async_client()
    asked = [{'role': 'user', 'content': self.task.task_desc}]
    await client.chat.completions.create(model=client.model_path, messages=asked)
    self.model.get_openai_client().chat.completions.create(model='any', messages=asked)
    exps = self.model.extract_experience_from_history()
    for step, exp in enumerate(exps):
        exp.reward, exp.eid.step = float(step), step
    return exps`,
        'is_async = True',
      ),
    );
    const { episodes, report } = await runJson(made, args());
    expect(episodes).toMatchObject([{ reward: 0.5, llmCalls: 2 }]);
    expect(codesOf(report.findings)).toContain('trinity-rewards');
    await made.edit('small.yaml', 'grpo', 'multi_step_grpo');
    const last = await runJson(made, args());
    expect(last.episodes).toMatchObject([{ reward: 1 }]);
  });

  it('is found by a dotted path, and by the row of its task', async () => {
    const other = workflow('def run(self):\n    return [scored(self, 0.5)]').replace(
      'small_workflow',
      'other',
    );
    const made = await project({
      'agents/small.py': `${workflow('def run(self):\n    return [scored(self, 0.25)]')}\n${scored}`,
      'plugins/other.py': `${other}\n${scored}`,
      'data/train.jsonl':
        '{"question": "a", "answer": "b"}\n{"question": "a", "answer": "b", "flow": "other"}',
    });
    await made.edit('small.yaml', 'small_workflow', 'agents.small.Small');
    await made.edit('small.yaml', 'prompt_key: question', 'prompt_key: question\n        workflow_key: flow');
    const { episodes } = await runJson(made, args(2));
    expect(episodes.map(({ reward }) => reward)).toEqual([0.25, 0.5]);
  });

  it('is evaluated by its metrics where it has no reward', async () => {
    const made = await plugin(
      workflow(`
def run(self):
    assert self.task.is_eval
    (response,) = self.model.chat([{'role': 'user', 'content': self.task.task_desc}])
    response.metrics = {'length': 3.0, 'accuracy': 0.5}
    return [response]`),
    );
    await made.edit(
      'small.yaml',
      'explorer:\n',
      '    eval_tasksets:\n      - {path: data, split: train, format: {prompt_key: question}}\nexplorer:\n',
    );
    const { episodes } = await runJson(made, [...args(), '--mode', 'validate']);
    expect(episodes).toMatchObject([{ reward: 0.5, metrics: { length: 3, accuracy: 0.5 } }]);
  });

  it('that can be reset is kept for the next task, with its clients', async () => {
    const made = await plugin(
      workflow(
        `
def __init__(self, *, task, model, auxiliary_models=None):
    super().__init__(task=task, model=model, auxiliary_models=auxiliary_models)
    self.client = model.get_openai_client()
    self.runs = 0
def reset(self, task):
    self.task = task
def run(self):
    self.runs += 1
    asked = [{'role': 'user', 'content': self.task.task_desc}]
    self.client.chat.completions.create(model='any', messages=asked)
    exps = self.model.extract_experience_from_history()
    exps[0].reward = self.runs / 4
    return exps`,
        'can_reset = True',
      ),
    );
    const { episodes } = await runJson(made, [...args(2), '--parallel', '1']);
    expect(episodes).toMatchObject([
      { reward: 0.25, llmCalls: 1 },
      { reward: 0.5, llmCalls: 1 },
    ]);
  });

  it('has the debug model of an auxiliary model’s name, which is not trained', async () => {
    const made = await plugin(
      workflow(`
def run(self):
    asked = [{'role': 'user', 'content': 'Is it right?'}]
    verdict = self.auxiliary_models[0].chat.completions.create(model='judge', messages=asked)
    (response,) = self.model.chat([{'role': 'user', 'content': self.task.task_desc}])
    response.reward = 1.0 if verdict.choices[0].message.content == 'yes' else 0.0
    return [response]`),
    );
    await made.write({ 'judge.json': '["yes"]' });
    await made.edit('small.yaml', 'explorer:\n', 'explorer:\n  auxiliary_models:\n    - name: judge\n');
    const { episodes } = await runJson(made, [...args(), '--debug-model', 'judge=judge.json']);
    expect(episodes).toMatchObject([{ reward: 1, llmCalls: 1, timelines: 1 }]);
  });

  it('whose calls are recorded by base URL and key is rewarded later', async () => {
    const made = await plugin(`import json
import urllib.request

from trinity.common.workflows import WORKFLOWS
from trinity.common.workflows.workflow import WorkflowWithRecording


@WORKFLOWS.register_module("small_workflow")
class Recorded(WorkflowWithRecording):
    async def run_async(self):
        asked = {"model": self.model_name, "messages": [{"role": "user", "content": self.task.task_desc}]}
        headers = {"authorization": f"Bearer {self.api_key}", "content-type": "application/json"}
        request = urllib.request.Request(f"{self.base_url}/chat/completions", json.dumps(asked).encode(), headers)
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).read()
        await self.update_reward(0.5)
        return {"turns": 1.0}
`);
    const { episodes } = await runJson(made, args());
    expect(episodes).toMatchObject([{ reward: 0.5, llmCalls: 1 }]);
  });
});

describe('what training would not see', () => {
  it('is told: answers that were dropped, and replies that are not the model’s', async () => {
    const made = await plugin(
      workflow(`
def run(self):
    asked = [{'role': 'user', 'content': self.task.task_desc}]
    self.model.chat(asked)
    (kept,) = self.model.chat([*asked, {'role': 'user', 'content': 'Again.'}])
    kept.reward = 1.0
    made = self.model.convert_messages_to_experience([*asked, {'role': 'assistant', 'content': 'Mine.'}])
    made.reward = 1.0
    return [kept, made]`),
    );
    const { findings } = (await runJson(made, args())).report;
    const messages = findings.map(({ message }) => message).join('\n');
    expect(codesOf(findings)).toEqual(
      expect.arrayContaining(['trinity-untrained-replies', 'trinity-foreign-replies']),
    );
    expect(messages).toContain('1 of 2 responses of the model (from 0: 0)');
    expect(messages).toContain('1 of 2 experiences have responses that are not from the model');
  });
});

describe('the same conversation', () => {
  it('comes to the same timeline as in TypeScript', async () => {
    const turns = ['What is 1 + 1?', 'Twice that?'];
    const answers = { 'answers.json': JSON.stringify(['It is 2.', 'It is 4.']) };
    const script = ['--model', 'script', '--script', 'answers.json'];
    const inTypeScript = await smallProject({
      ...answers,
      'workflow.ts':
        smallWorkflow(`const messages: { role: 'system' | 'user' | 'assistant'; content: string }[] = [
      { role: 'system', content: 'You answer.' },
    ];
    const client = tuner.asOpenAIClient();
    for (const content of ${JSON.stringify(turns)}) {
      messages.push({ role: 'user', content });
      const completion = await client.chat.completions.create({ model: 'any', messages });
      messages.push({ role: 'assistant', content: completion.choices[0]?.message.content ?? '' });
    }
    return { reward: 0.5 };`),
    });
    const inPython = await plugin(
      workflow(`
def run(self):
    messages = [{'role': 'system', 'content': 'You answer.'}]
    exps = []
    for content in ${JSON.stringify(turns)}:
        messages.append({'role': 'user', 'content': content})
        (exp,) = self.model.chat(messages)
        exp.reward = 0.5
        exps.append(exp)
        messages.append({'role': 'assistant', 'content': exp.response_text})
    return exps`),
    );
    await inPython.write(answers);
    const typescript = await runJson(inTypeScript, ['--conf', 'small.yaml', '--tasks', '1', ...script]);
    const trinity = await runJson(inPython, [...args(), ...script]);
    const [first, second] = [typescript, trinity].map(({ trace }) =>
      writeTimeline(openTrace(trace ?? ''), 0, 0),
    );
    expect(second).toBe(first);
    expect(second).toContain('[It]');
    expect(trinity.episodes[0]).toMatchObject({ reward: 0.5, timelines: 1, llmCalls: 2 });
  });
});

describe('a Trinity run that cannot be', () => {
  it.each(
    casesOf<readonly [string, string, string]>(
      [
        [
          'a reward function that nobody registers',
          'small_workflow',
          'small_workflow\n    default_reward_fn_type: maths_reward',
        ],
        ['a class that is not there', 'small_workflow', 'others.Big'],
      ],
      [
        ['a workflow that nobody registers', 'small_workflow', 'smal_workflow'],
        ['a module that is not there', 'small_workflow', 'agents.small.Small'],
      ],
    ),
  )('names %s, at its line', async (_, from, to) => {
    const made = await plugin(workflow('def run(self):\n    return []'));
    await made.write({ 'others.py': 'class Small:\n    pass\n' });
    await made.edit('small.yaml', from, to);
    expect(await failing(made)).toMatchSnapshot();
  });

  it.each(
    casesOf<readonly [string, string]>(
      [
        ['an empty list', 'def run(self):\n    return []'],
        ['no reward', "def run(self):\n    return self.model.chat([{'role': 'user', 'content': 'a'}])"],
      ],
      [
        ['nothing', 'def run(self):\n    return None'],
        ['no experiences', 'def run(self):\n    return [1]'],
        ['not at all', 'def run(self):\n    raise KeyError("lost")'],
      ],
    ),
  )('returns %s, and says where', async (_, method) => {
    const made = await plugin(workflow(method));
    expect(await failing(made)).toMatchSnapshot();
  });

  it('needs an API that its config does not turn on', async () => {
    const made = await plugin(workflow('def run(self):\n    self.model.get_openai_client()'));
    await made.edit('small.yaml', 'enable_openai_api: true', 'enable_openai_api: false');
    expect(await failing(made)).toMatchSnapshot();
  });

  it('has a plugin that fails', async () => {
    const made = await plugin('import nothing_of_the_kind\n');
    expect(await failing(made)).toMatchSnapshot();
  });

  it('has a workflow that no plugin folder is told of: it is found, and what training needs is said', async () => {
    const made = await project({
      'deep/own.py': `${workflow('def run(self):\n    return [scored(self, 1.0)]')}\n${scored}`,
    });
    const { stderr, stdout } = await runCli(made, args().slice(0, -2));
    expect(stdout).toContain('1 of 1 episodes would train');
    expect(stderr).toContain('trinity run --plugin-dir deep');
  });
});

const scored = `
def scored(workflow, reward):
    (response,) = workflow.model.chat([{'role': 'user', 'content': workflow.task.task_desc}])
    response.reward = reward
    return response
`;

function codesOf(findings: readonly { readonly code: string }[]): readonly string[] {
  return findings.map(({ code }) => code);
}
