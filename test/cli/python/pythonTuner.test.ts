/** Workflows and judges that are functions in Python, and the scripts of AgentScope's tuner. */
import { beforeAll, describe, expect, it } from 'vitest';
import { casesOf, isDeep } from '../../tools/deep.ts';
import { ensurePython, type PythonEnvironment } from '../../tools/pythonEnvironments.mjs';
import { failure, runCli, runJson } from '../harness/cli.ts';
import { smallConfig, smallProject, type Project } from '../harness/project.ts';
import { openTrace, writeTimeline } from '../harness/trace.ts';
import { keepSnapshotsOfOtherCases } from '../harness/snapshots.ts';

keepSnapshotsOfOtherCases();

let python: string;
beforeAll(async () => {
  python = await ensurePython();
}, 300_000);

const asked = smallConfig.replace('workflow.ts->Small', 'workflow.ts->solve');
const judged = asked.replace(
  '  rollout:\n',
  '  task_judge: {judge_type: customized_protocol, judge_protocol: judge.ts->score}\n  rollout:\n',
);

function inPython(config: string): string {
  return config.replaceAll('.ts->', '.py->');
}

const solve = `from agentscope.tuner import WorkflowOutput


async def solve(task, model, logger):
    reply = await model([
        {'role': 'system', 'content': 'Add, and box the result in \\\\boxed{}.'},
        {'role': 'user', 'content': task['main_query']},
    ])
    logger.info('asked %s of %s', task['task_id'], model.model_name)
    text = ''.join(block['text'] for block in reply.content if block['type'] == 'text')
    return WorkflowOutput(reward=7, response=text, metrics={'replies': 1, 'kept': 3})
`;
const score = `from agentscope.tuner import JudgeOutput


async def score(response, task, auxiliary_models, logger):
    said = await auxiliary_models['critic']([{'role': 'user', 'content': response}])
    logger.info('judged %s %s %s', task['task_id'], list(auxiliary_models), said.content)
    return JudgeOutput(reward=1 if 'boxed' in response else 0.25, metrics={'replies': 2})
`;
const solveTs = `import type { ChatModel, TaskRow, WorkflowFunctionOutput } from 'agentjet';
export async function solve(task: TaskRow, model: ChatModel): Promise<WorkflowFunctionOutput> {
  const reply = await model([
    { role: 'system', content: 'Add, and box the result in \\\\boxed{}.' },
    { role: 'user', content: String(task['main_query']) },
  ]);
  const [text] = reply.content;
  return { reward: 7, response: text?.type === 'text' ? text.text : '', metrics: { replies: 1, kept: 3 } };
}
`;
const scoreTs = `import type { JudgeFunction } from 'agentjet';
export const score: JudgeFunction = async ({ task: _task, response, auxiliaryModels }) => {
  await auxiliaryModels['critic']?.([{ role: 'user', content: String(response) }]);
  return { reward: /boxed/.test(String(response)) ? 1 : 0.25, metrics: { replies: 2 } };
};
`;
const critic = "export default () => 'Fine by me.';\n";
const conf = ['--conf', 'small.yaml'];
const withCritic = (): string[] => ['--debug-model', 'critic=critic.ts', '--python', python];

/** What does not differ from one run to the next. */
function outcomeOf(run: Awaited<ReturnType<typeof runJson>>): unknown {
  const trace = openTrace(run.trace ?? '');
  const told = run.episodes.map(
    ({ taskId, repeat, reward, isSuccess, llmCalls, metrics, findings, ...rest }) => ({
      ...{ taskId, repeat, reward, isSuccess, llmCalls, metrics },
      findings: findings.map(({ code }) => code),
      tokens: [rest.timelines, rest.tokens, rest.trainableTokens],
    }),
  );
  return { told, text: writeTimeline(trace, 0, 0) };
}

describe('a workflow that is a function in Python', () => {
  it('gives the numbers of its twin in TypeScript, in a run and judged again', async () => {
    const twin = await smallProject({
      ...{ 'small.yaml': judged, 'workflow.ts': solveTs, 'judge.ts': scoreTs, 'critic.ts': critic },
    });
    const project = await smallProject({
      ...{ 'small.yaml': inPython(judged), 'workflow.py': solve, 'judge.py': score, 'critic.ts': critic },
    });
    const expected = outcomeOf(await runJson(twin, [...conf, ...withCritic()]));
    const run = await runJson(project, [...conf, ...withCritic()]);
    expect(outcomeOf(run)).toEqual(expected);
    expect(expected).toMatchObject({
      told: [
        { reward: 1, isSuccess: true, llmCalls: 1, metrics: { replies: 2, kept: 3 } },
        { reward: 1, isSuccess: true, llmCalls: 1, metrics: { replies: 2, kept: 3 } },
      ],
    });
    expect(run.episodes[0]?.findings.map(({ code }) => code)).toContain('reward-unused');
    expect(run.stderr).toMatch(/INFO asked t1 of \S+Qwen/);
    expect(run.stderr).toContain("INFO judged t1 ['critic'] [{'type': 'text', 'text': 'Fine by me.'}]");
    const again = await runCli(project, ['judge', run.trace ?? '', '--json', ...withCritic()]);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({
      episodes: [
        { reward: 1, metrics: { replies: 2, kept: 3 }, difference: 0 },
        { reward: 1, difference: 0 },
      ],
    });
  });

  it('calls tools, and gives its response to judges that are classes and to those in TypeScript', async () => {
    const tool = `from agentscope.tuner import WorkflowOutput
from pydantic import BaseModel


class Sum(BaseModel):
    value: int


async def solve(task, model):
    tool = {'type': 'function', 'function': {'name': 'add', 'parameters': {'type': 'object', 'properties': {}}}}
    used = await model([{'role': 'user', 'content': 'Use it.'}], tools=[tool])
    structured = await model([{'role': 'user', 'content': 'Say it.'}], structured_model=Sum)
    return WorkflowOutput(response={'used': used.content[0]['input'], 'said': structured.metadata})
`;
    const answers = ['add', 'generate_structured_output'].map((name) => ({
      tool_calls: [{ type: 'function', id: 'c1', function: { name, arguments: '{"value": 3}' } }],
    }));
    const inClass = `from ajet.task_judge.base_judge import BaseJudge


class Half(BaseJudge):
    def compute_reward(self, workflow_task, workflow_output):
        return workflow_output.metadata['used']['value'] / 2, True
`;
    const inTypeScript =
      'export const score = (task, response) => ({ reward: response.used.value + response.said.value });\n';
    const model = ['--model', 'script', '--script', 'answers.json', '--tasks', '1', '--python', python];
    const project = await smallProject({
      'small.yaml': inPython(judged).replace('judge.py->score', 'judge.py->Half'),
      'workflow.py': tool,
      'judge.py': inClass,
      'judge.js': inTypeScript,
      'answers.json': JSON.stringify(answers),
    });
    const first = await runJson(project, [...conf, ...model]);
    expect(first.episodes).toMatchObject([{ error: null, reward: 1.5, llmCalls: 2 }]);
    await project.edit('small.yaml', 'judge.py->Half', 'judge.js->score');
    const second = await runJson(project, [...conf, ...model]);
    expect(second.episodes).toMatchObject([{ error: null, reward: 6, llmCalls: 2 }]);
  });

  it('may be no coroutine, which training would refuse', async () => {
    const project = await smallProject({
      'small.yaml': inPython(asked),
      'workflow.py': `from agentscope.tuner import WorkflowOutput


def solve(task, model):
    return WorkflowOutput(reward=0.5)
`,
    });
    const { stderr } = await runCli(project, [...conf, '--python', python]);
    expect(stderr.match(/reward 0\.5/g)).toHaveLength(2);
    expect(stderr.match(/workflow\/not-async/g)).toHaveLength(1);
  });
});

describe('the model of a function', () => {
  const reply = JSON.stringify(['It is 1.', '{"value": 1}', 'Fine.']);
  const model = ['--model', 'script', '--script', 'answers.json', '--tasks', '1'];
  const critic = ['--debug-model', 'critic=critic.ts'];

  async function rewards(environment: PythonEnvironment, text: string): Promise<unknown> {
    const project = await smallProject({
      'small.yaml': inPython(asked),
      'workflow.py': text,
      'answers.json': reply,
      'critic.ts': "export default () => 'Fine by me.';\n",
    });
    const interpreter = ['--python', await ensurePython(environment)];
    const { episodes } = await runJson(project, [...conf, ...model, ...critic, ...interpreter]);
    return episodes.map(({ error, reward, llmCalls, timelines }) => ({
      ...{ error: error?.message, reward, llmCalls, timelines },
    }));
  }

  it('is one of AgentScope 1.0, where that is installed', async () => {
    const text = `from agentscope.agent import ReActAgent
from agentscope.formatter import OpenAIChatFormatter
from agentscope.message import Msg
from agentscope.model import OpenAIChatModel
from agentscope.tuner import WorkflowOutput
from pydantic import BaseModel


class Sum(BaseModel):
    value: int


async def solve(task, model, auxiliary_models):
    assert isinstance(model, OpenAIChatModel) and not model.stream
    agent = ReActAgent('solver', 'You add.', model, OpenAIChatFormatter())
    agent.set_console_output_enabled(False)
    said = await agent.reply(Msg('user', task['main_query'], role='user'))
    structured = await model([{'role': 'user', 'content': 'As JSON.'}], structured_model=Sum)
    critic = await auxiliary_models['critic']([{'role': 'user', 'content': 'And?'}])
    assert critic.content[0]['text'] == 'Fine by me.', critic
    return WorkflowOutput(reward=len(said.get_text_content()) + structured.metadata['value'])
`;
    const expected = [{ error: undefined, reward: 9, llmCalls: 2, timelines: 2 }];
    expect(await rewards('agentscope1', text)).toEqual(expected);
  }, 180_000); // what was just installed is compiled when it is imported

  if (isDeep) {
    it('is one of AgentScope 2.0, where that is installed, which has no tuner of its own', async () => {
      const text = `from agentscope.message import UserMsg
from agentscope.model import ChatModelBase
from agentscope.tuner import WorkflowOutput


async def solve(task, model, auxiliary_models):
    assert isinstance(model, ChatModelBase) and not model.stream
    said = await model([UserMsg(name='user', content=task['main_query'])])
    critic = await auxiliary_models['critic']([UserMsg(name='user', content='And?')])
    assert critic.content[0].text == 'Fine by me.', critic
    return WorkflowOutput(reward=len(said.content[0].text))
`;
      const expected = [{ error: undefined, reward: 8, llmCalls: 1, timelines: 1 }];
      expect(await rewards('agents', text)).toEqual(expected);
    }, 180_000); // what was just installed is compiled when it is imported
  }
});

function failing(files: Readonly<Record<string, string>>, config: string): Promise<string> {
  return smallProject({ 'small.yaml': inPython(config), ...files }).then((project: Project) =>
    failure(project, [...conf, '--tasks', '1', '--python', python]).then((told) =>
      told.replaceAll(python, '<python>'),
    ),
  );
}

describe('what is wrong with a function in Python is told with its place', () => {
  const imports = 'from agentscope.tuner import JudgeOutput, WorkflowOutput\n\n\n';

  it.each(
    casesOf<readonly [string, string]>(
      [
        ['other parameters', 'async def solve(row, model, *, extra=1):\n    pass\n'],
        ['no reward', 'async def solve(task, model):\n    return WorkflowOutput(response=1)\n'],
        ['a throw', "async def solve(task, model):\n    raise ValueError(task['main_query'])\n"],
      ],
      [
        ['the rest of them', 'async def solve(task, model, **given):\n    pass\n'],
        ['a number', 'async def solve(task, model):\n    return 1.0\n'],
        ['a generator', 'async def solve(task, model):\n    yield 1\n'],
        [
          'a reward that is none',
          "async def solve(task, model):\n    return WorkflowOutput(reward='much')\n",
        ],
        [
          'a reward without end',
          "async def solve(task, model):\n    return WorkflowOutput(reward=float('inf'))\n",
        ],
        ['what AgentScope has that is not installed', 'from agentscope.agent import ReActAgent\n'],
      ],
    ),
  )('%s', async (_, text) => {
    expect(await failing({ 'workflow.py': `${imports}${text}` }, asked)).toMatchSnapshot();
  });

  it.each(
    casesOf<readonly [string, string]>(
      [['no reward', 'async def score(task, response):\n    return JudgeOutput()\n']],
      [
        ['other parameters', 'async def score(_task, response):\n    pass\n'],
        ['a number', 'async def score(task, response):\n    return 1.0\n'],
      ],
    ),
  )('of a judge: %s', async (_, text) => {
    const good = `${imports}async def solve(task, model):\n    return WorkflowOutput()\n`;
    expect(await failing({ 'workflow.py': good, 'judge.py': `${imports}${text}` }, judged)).toMatchSnapshot();
  });
});
