/** Workflows and judges in Python, by the command. */
import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { casesOf } from '../../tools/deep.ts';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';
import { failure, runCli, runJson, startCli, type Outcome } from '../harness/cli.ts';
import { living } from '../harness/processes.ts';
import { rows, smallConfig, smallProject, smallWorkflow, type Project } from '../harness/project.ts';
import { openTrace, writeTimeline } from '../harness/trace.ts';
import { keepSnapshotsOfOtherCases } from '../harness/snapshots.ts';

keepSnapshotsOfOtherCases();

let python: string;
beforeAll(async () => {
  python = await ensurePython();
}, 300_000);

const imports = 'from ajet import AjetTuner, Workflow, WorkflowOutput, WorkflowTask\n';

/** The body begins in line 6, column 9. */
function workflow(body: string): string {
  const indented = body.trim().replaceAll('\n', '\n        ');
  return `${imports}

class Small(Workflow):
    async def execute(self, workflow_task: WorkflowTask, tuner: AjetTuner) -> WorkflowOutput:
        ${indented}
`;
}

function judge(body: string): string {
  return `from ajet.task_judge.base_judge import BaseJudge


class Half(BaseJudge):
    def compute_reward(self, workflow_task, workflow_output):
        ${body}
`;
}

function project(files: Readonly<Record<string, string>>): Promise<Project> {
  const config = smallConfig.replace('workflow.ts->Small', 'agent.py->Small');
  const judged =
    'ajet:\n  task_judge:\n    judge_type: customized_protocol\n    judge_protocol: judge.py->Half\n';
  return smallProject({
    'small.yaml': 'judge.py' in files ? config.replace('ajet:\n', judged) : config,
    ...files,
  });
}

const conf = ['--conf', 'small.yaml', '--tasks', '1'];
const withPython = (): string[] => [...conf, '--python', python];

function failing(files: Readonly<Record<string, string>>): Promise<string> {
  return project(files).then(async (made) =>
    (await failure(made, withPython())).replaceAll(python, '<python>'),
  );
}

describe('a workflow in Python', () => {
  it('is given its task and config, and scored by a judge in Python', async () => {
    const made = await project({
      'agent.py': workflow(`
assert workflow_task.task.main_query == 'What is 0 + 1?', workflow_task.task
assert workflow_task.task.init_messages == [{'role': 'user', 'content': 'What is 0 + 1?'}]
assert (workflow_task.task_id, workflow_task.task_tag, workflow_task.task_thread_index) == ('t1', 'Tt1#R0', 0)
assert len(workflow_task.episode_uuid) == 32
assert tuner.config.ajet.rollout.num_repeat == 1 == tuner.config['ajet']['rollout']['num_repeat']
assert list(workflow_task.observation_window['stop']) == [False]
assert tuner.get_context_tracker().context_overflow is False
print('printed by the workflow')
import asyncio, sys
await asyncio.to_thread(print, 'by a thread', file=sys.stderr)
return WorkflowOutput(metadata={'answer': 1, 'odd': {1, 2}, 'nan': float('nan')})`),
      'judge.py': judge(
        "print('by the judge'); return workflow_output.metadata['answer'] / 2, workflow_task.task_id == 't1'",
      ),
    });
    const { episodes, stderr, trace } = await runJson(made, withPython());
    expect(stderr).toContain('printed by the workflow');
    expect(openTrace(trace ?? '').read((views) => views.printed(0))).toEqual({
      cut: 0,
      parts: [
        { stream: 'stdout', text: 'printed by the workflow\n' },
        { stream: 'stderr', text: 'by a thread\n' },
        { stream: 'stdout', text: 'by the judge\n' },
      ],
    });
    expect(episodes).toMatchObject([{ reward: 0.5, isSuccess: true, error: null }]);
  });

  it.each([
    ['a module', 'pkg.agent->Small', 'pkg/agent.py'],
    ['a file in a folder', 'pkg/agent.py->Small', 'pkg/agent.py'],
  ])('is found in %s', async (_, locator, file) => {
    const made = await project({
      [file]: `from dataclasses import dataclass\n${workflow('return WorkflowOutput(reward=1, is_success=True)')}`,
      'pkg/__init__.py': '',
    });
    await made.edit('small.yaml', 'agent.py->Small', locator);
    const { episodes } = await runJson(made, withPython());
    expect(episodes).toMatchObject([{ reward: 1, isSuccess: true }]);
  });

  it('imports what the bundled ajet lacks from a clone, and all else from the bundled one', async () => {
    const made = await project({
      'ajet/__init__.py': 'raise RuntimeError("the clone wants a GPU")\n',
      'ajet/task_rollout/__init__.py': '',
      'ajet/task_rollout/own.py': 'from ajet import Workflow\nreward = 0.25 if Workflow else 0\n',
      'ajet/more/__init__.py': 'reward = 0.5\n',
      'agent.py': `from ajet.task_rollout.dashscope_llm_bridge import create_external_llm_fn
from ajet.task_rollout import own
from ajet.more import reward
${workflow('return WorkflowOutput(reward=reward + own.reward)')}`,
    });
    const { episodes } = await runJson(made, withPython());
    expect(episodes).toMatchObject([{ reward: 0.75, error: null }]);
  });

  it('that is not async gets a thread, so that one that waits does not hold the others', async () => {
    const made = await project({
      'agent.py': `import threading
${workflow('barrier.wait(timeout=20)\nreturn WorkflowOutput(reward=1)').replace('async def', 'def')}
barrier = threading.Barrier(2)
`,
    });
    const args = ['--conf', 'small.yaml', '--tasks', '2', '--parallel', '2', '--python', python];
    const { episodes } = await runJson(made, args);
    expect(episodes.map(({ reward }) => reward)).toEqual([1, 1]);
  });

  it('routes agents that are not trained to a debug model', async () => {
    const made = await project({
      'agent.py': workflow(`
messages = [{'role': 'system', 'content': 'Speak.'}, {'role': 'user', 'content': 'Now.'}]
said = []
for side in ('wolf', 'villager'):
    client = tuner.as_raw_openai_sdk_client(agent_name=side, target_tag=side)
    completion = await client.chat.completions.create(messages=messages)
    said.append(completion.choices[0].message.content)
return WorkflowOutput(reward=1 if said == ['trained', 'other'] else 0)`).replace(
        'class Small(Workflow):',
        "class Small(Workflow):\n    trainable_targets: list = ['wolf']",
      ),
      'answers.json': JSON.stringify(['trained']),
      'debug.json': JSON.stringify(['first', 'other']),
    });
    const args = ['--model', 'script', '--script', 'answers.json', '--debug-model', 'gpt-4o=debug.json'];
    const { episodes } = await runJson(made, [...withPython(), ...args]);
    expect(episodes).toMatchObject([{ reward: 1, llmCalls: 1, timelines: 1 }]);
  });
});

describe('the same conversation', () => {
  const turns = ['What is 1 + 1?', 'Twice that?', 'And its half?'];
  const inTypeScript =
    smallWorkflow(`const messages: { role: 'system' | 'user' | 'assistant'; content: string }[] = [
      { role: 'system', content: 'You answer.' },
    ];
    const client = tuner.asOpenAIClient({ agentName: 'solver' });
    for (const content of ${JSON.stringify(turns)}) {
      messages.push({ role: 'user', content });
      const completion = await client.chat.completions.create({ model: 'any', messages });
      messages.push({ role: 'assistant', content: completion.choices[0]?.message.content ?? '' });
    }
    return { reward: messages.at(-1)?.content.length ?? 0 };`);
  const inPython = workflow(`
messages = [{'role': 'system', 'content': 'You answer.'}]
client = tuner.as_raw_openai_sdk_client(agent_name='solver')
for content in ${JSON.stringify(turns)}:
    messages.append({'role': 'user', 'content': content})
    completion = await client.chat.completions.create(messages=messages)
    messages.append({'role': 'assistant', 'content': completion.choices[0].message.content})
return WorkflowOutput(reward=len(messages[-1]['content']))`);
  const answers = JSON.stringify(['Two.', 'It is four.', 'Two again.']);

  it('gives the same timelines, masks and rewards in both languages', async () => {
    const seen = [];
    for (const [language, file] of [
      ['typescript', inTypeScript],
      ['python', inPython],
    ] as const) {
      const made =
        language === 'python'
          ? await project({ 'agent.py': file, 'answers.json': answers })
          : await smallProject({ 'workflow.ts': file, 'answers.json': answers });
      const args = ['--model', 'script', '--script', 'answers.json', '--python', python];
      const { episodes, trace } = await runJson(made, [...conf, ...args]);
      const [{ reward, llmCalls, timelines, tokens, trainableTokens } = {}] = episodes as Partial<
        (typeof episodes)[number]
      >[];
      const text = writeTimeline(openTrace(trace ?? ''), 0, 0);
      seen.push({ reward, llmCalls, timelines, tokens, trainableTokens, text });
    }
    const [typescript, inPythonToo] = seen;
    expect(inPythonToo).toEqual(typescript);
    expect(typescript).toMatchObject({ reward: 10, llmCalls: 3, timelines: 1 });
  });
});

describe('what is wrong in Python is told with its place', () => {
  const good = workflow('return WorkflowOutput(reward=1)');

  it.each(
    casesOf<readonly [string, string]>(
      [
        ['raises', workflow("raise ValueError('no luck')")],
        ['returns nothing', workflow('pass')],
        ['has no class of that name', good.replace('class Small', 'class Smal')],
        ['imports a name that the bundled ajet lacks', `from ajet import Nothing\n${good}`],
      ],
      [
        ['raises deep inside', workflow("import json\nreturn json.loads('{')")],
        ['leaves by sys.exit', workflow('import sys\nsys.exit(3)')],
        ['returns a list of rewards', workflow('return WorkflowOutput(reward=[1, 0])')],
        ['returns no number', workflow("return WorkflowOutput(reward=float('nan'))")],
        ['has no class', `${imports}Small = 1\n`],
        ['is no Python', `${imports}class Small(\n`],
        ['imports what is not there', `import no_such_package\n${good}`],
        ['imports what the bundled ajet lacks', `import ajet.backbone.main_verl\n${good}`],
        ['raises at the top level', `${good}\nraise RuntimeError('no luck')\n`],
      ],
    ),
  )('a workflow that %s', async (_, text) => {
    expect(await failing({ 'agent.py': text })).toMatchSnapshot();
  });

  it.each([
    ['raises', judge("raise ValueError('no luck')")],
    ['returns one value', judge('return 1.0')],
    ['is async', judge('return 1.0, True').replace('def compute', 'async def compute')],
  ])('a judge that %s', async (_, text) => {
    const agent = workflow('return WorkflowOutput(metadata={})');
    expect(await failing({ 'agent.py': agent, 'judge.py': text })).toMatchSnapshot();
  });

  it('an interpreter that is not there', async () => {
    const made = await project({ 'agent.py': good });
    expect(await failure(made, [...conf, '--python', 'no-such-python'])).toMatchSnapshot();
  });

  it('an interpreter without pydantic', async () => {
    const made = await project({ 'agent.py': good });
    execFileSync(python, ['-m', 'venv', '--without-pip', made.path('.venv')]);
    // Found by itself, as it lies in the working directory.
    const told = await failure(made, conf);
    expect(told.replaceAll(/<folder>\S*python\S*/g, '<python>')).toMatchSnapshot();
  });
});

describe('code that misbehaves', () => {
  const both = ['--conf', 'small.yaml', '--tasks', '2', '--parallel', '1'];
  const badFirst = (bad: string): string =>
    workflow(`
import os, sys
if workflow_task.task_id == 't1':
    ${bad}
return WorkflowOutput(reward=1)`);

  async function outcomes(bad: string): Promise<{ code: string | undefined; reward: number | null }[]> {
    const made = await project({ 'agent.py': badFirst(bad) });
    const { episodes } = await runJson(made, [...both, '--python', python]);
    return episodes.map(({ error, reward }) => ({ code: error?.code, reward }));
  }

  it.each([
    ['ends its process', 'os._exit(4)'],
    ['kills its process', 'os.kill(os.getpid(), 9)'],
  ])('that %s costs its own episode only', async (_, bad) => {
    expect(await outcomes(bad)).toEqual([
      { code: 'python/died', reward: null },
      { code: undefined, reward: 1 },
    ]);
  });

  it('that ends its process under several episodes has one process take its place', async () => {
    const bad = `
import asyncio, os
begun = globals().setdefault('begun', [])
begun.append(workflow_task.task_id)
if workflow_task.task_id == 't1':
    while len(begun) < 3: await asyncio.sleep(0.01)
    os._exit(4)
if int(workflow_task.task_id[1:]) <= 3:
    await asyncio.sleep(60)
print('process', os.getpid(), flush=True)
await asyncio.sleep(0.3)
return WorkflowOutput(reward=1)`;
    const made = await project({ 'agent.py': workflow(bad), 'tasks.jsonl': rows(6) });
    const args = ['--conf', 'small.yaml', '--tasks', '6', '--parallel', '3', '--python', python];
    const { episodes, stderr } = await runJson(made, args);
    expect(episodes.map(({ error }) => error?.code ?? null)).toEqual([
      ...['python/died', 'python/died', 'python/died'],
      ...[null, null, null],
    ]);
    const pids = [...stderr.matchAll(/^process (\d+)$/gm)].map(([, pid]) => pid);
    expect([pids.length, new Set(pids).size]).toEqual([3, 1]);
  });

  it('that does no harm to others is let alone', async () => {
    const odd = [
      'os.fork() or os._exit(0)',
      '__import__("threading").Thread(target=print, args=("x",)).start()',
      'sys.stdout.buffer.write(bytes(range(256)) * 100)',
      '__import__("time").sleep(0.3)',
      'assert sys.stdin.read() == ""',
      'globals()["kept"] = [object() for _ in range(1_000_000)]',
      'sys.stdout.close()', // last: nothing can be printed after it
    ];
    const cases = odd.map((code, at) => `if workflow_task.task_id == 't${at + 1}':\n    ${code}`).join('\n');
    const made = await project({
      'agent.py': workflow(`\nimport os, sys\n${cases}\nreturn WorkflowOutput(reward=1)`),
      'tasks.jsonl': rows(odd.length + 1),
    });
    const args = ['--conf', 'small.yaml', '--tasks', String(odd.length + 1), '--parallel', '1'];
    const { episodes } = await runJson(made, [...args, '--python', python]);
    expect(episodes.map(({ error, reward }) => error?.message ?? reward)).toEqual(
      odd.concat('').map(() => 1),
    );
  });

  it('that never returns is ended with its run, and leaves no process', async () => {
    const made = await project({
      'agent.py': badFirst('print(os.getpid(), flush=True)\n    while True: pass'),
    });
    const running = startCli(made, [...both, '--python', python]);
    const [, pid] = await running.wrote(/^(\d+)$/m);
    running.child.kill('SIGINT');
    const ended: Outcome = await running.exited;
    expect(ended.code).toBe(130);
    await expect.poll(() => living([Number(pid)])).toEqual([]);
  });

  it('that takes too long is timed out, and what waits is cancelled', async () => {
    const made = await project({
      'agent.py': badFirst(
        'import asyncio\n    try: await asyncio.sleep(60)\n    except asyncio.CancelledError: print("cancelled here", flush=True); raise',
      ),
    });
    const { stdout, stderr } = await runCli(made, [...both, '--python', python, '--episode-timeout', '2']);
    expect(stderr).toContain('[episode/timed-out]');
    expect(stdout).toContain('cancelled here');
  });
});
