/** A run that goes well: what it prints, keeps and promises. */
import { expect, it } from 'vitest';
import { normalised, runCli, runJson } from '../harness/cli.ts';
import {
  emptyProject,
  exampleProject,
  rows,
  smallConfig,
  smallProject,
  smallWorkflow,
} from '../harness/project.ts';
import { openTrace } from '../harness/trace.ts';

const example = ['--conf', 'math_agent.yaml'];
const small = ['--conf', 'small.yaml'];

it('prints a table of episodes and groups', async () => {
  const project = await exampleProject();
  const { code, stdout } = await runCli(project, example);
  expect(code).toBe(0);
  expect(normalised(stdout, project)).toMatchSnapshot();
});

it('prints with --json one document, and nothing else anywhere', async () => {
  const { code, stderr, episodes, groups } = await runJson(await exampleProject(), example);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(episodes).toHaveLength(16);
  expect(groups.map(({ taskId }) => taskId)).toEqual(['train-001', 'train-002', 'train-003', 'train-004']);
  expect(Object.keys(episodes[0] ?? {})).toEqual([
    'taskId',
    'repeat',
    'reward',
    'isSuccess',
    'llmCalls',
    'timelines',
    'tokens',
    'trainableTokens',
    'error',
    'findings',
  ]);
  expect(episodes[0]).toMatchObject({ taskId: 'train-001', repeat: 0, llmCalls: 2, error: null });
});

it('samples by seed: the same twice, another with another, and different repeats', async () => {
  const project = await exampleProject();
  const rewards = async (...args: string[]): Promise<(number | null)[]> => {
    const { episodes } = await runJson(project, [...example, '--tasks', '8', '--repeat', '8', ...args]);
    return episodes.map(({ reward }) => reward);
  };
  const [first, again, other] = await Promise.all([
    rewards(),
    rewards('--parallel', '1'),
    rewards('--seed', '7'),
  ]);
  expect(first).toHaveLength(64);
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  expect(new Set(first)).toEqual(new Set([0, 1]));
});

it('samples a task that is run alone as it does among others', async () => {
  const project = await exampleProject();
  const all = await runJson(project, example);
  const alone = await runJson(project, [...example, '--task-id', 'train-002']);
  expect(alone.episodes).toEqual(all.episodes.filter(({ taskId }) => taskId === 'train-002'));
});

it('passes on what the workflow writes: to stdout, but with --json to stderr, and keeps it in the trace', async () => {
  const body =
    "console.log('a line of mine');\n    await new Promise((next) => setTimeout(next, 1));\n    console.error('a warning of mine', workflowTask.taskThreadIndex);\n    return { reward: 1 };";
  const project = await smallProject({ 'workflow.ts': smallWorkflow(body) });
  const asText = await runCli(project, [...small, '--tasks', '1']);
  expect(asText.stdout).toMatch(/^a line of mine\n/);
  expect(asText.stderr).toContain('a warning of mine 0\n');
  const asJson = await runJson(project, [...small, '--tasks', '1', '--repeat', '2', '--parallel', '2']);
  expect(asJson.stderr).toContain('a line of mine\n');
  expect(asJson.stderr).toContain('a warning of mine 1\n');
  const printed = (episode: number) => openTrace(asJson.trace ?? '').read((views) => views.printed(episode));
  for (const episode of [0, 1]) {
    expect(printed(episode)).toEqual({
      cut: 0,
      parts: [
        { stream: 'stdout', text: 'a line of mine\n' },
        { stream: 'stderr', text: `a warning of mine ${episode}\n` },
      ],
    });
  }
  const { stdout } = await runCli(project, ['trace', asJson.trace ?? '', '--printed', '1']);
  expect(stdout).toBe('a line of mine\na warning of mine 1\n');
});

it('takes rows of the shape {question, answer}', async () => {
  const project = await exampleProject();
  const row = {
    question: 'Tom has 3 apples and buys 4 more. What is 3 + 4?',
    answer: '#### 7',
  };
  await project.write({ 'data/train.jsonl': `${JSON.stringify(row)}\n` });
  const { code, episodes } = await runJson(project, [...example, '--repeat', '8']);
  expect(code).toBe(0);
  expect(episodes.some(({ reward }) => reward === 1)).toBe(true);
});

it('takes from the command line which tasks, of which split, how often and how many at a time', async () => {
  const project = await exampleProject();
  const { code, stderr, stdout } = await runCli(project, [
    ...example,
    '--split',
    'validation',
    '--tasks',
    '3',
    '--repeat',
    '2',
    '--parallel',
    '5',
    '--seed',
    '9',
  ]);
  expect(code).toBe(0);
  expect(stderr).toContain('6 episodes (3 tasks × 2), 5 at a time');
  expect(stderr).toContain('(seed 9)');
  expect(stdout).toMatch(/^validation-003\s+1 /m);
});

it('keeps config and trace in a folder that no later run overwrites', async () => {
  const project = await smallProject();
  for (const folder of ['small', 'small_2']) {
    expect(await runCli(project, [...small, '--exp-dir', 'kept/runs'])).toMatchObject({ code: 0 });
    expect((await project.list(`kept/runs/${folder}`)).sort()).toEqual([
      `${folder}.ajtrace`,
      'yaml_backup.yaml',
    ]);
  }
  expect(await project.read('kept/runs/small/yaml_backup.yaml')).toBe(smallConfig);
  const kept = openTrace(project.path('kept/runs/small/small.ajtrace'));
  expect(
    kept.read((views) => views.episodes(0, 9)).rows.map(({ taskId, reward }) => [taskId, reward]),
  ).toEqual([
    ['t1', 1],
    ['t2', 1],
  ]);
});

it('reads .env for the config and the workflow; what is set already wins', async () => {
  const project = await smallProject({
    'small.yaml': smallConfig.replace('tasks.jsonl', '${oc.env:DATA_FOLDER}/${oc.env:DATA_FILE}'),
    'workflow.ts': smallWorkflow("return { reward: Number(process.env['REWARD']) };"),
    '.env': 'DATA_FOLDER=nowhere\nDATA_FILE="tasks.jsonl"\nREWARD=0.25\n',
    'data/tasks.jsonl': rows(1),
  });
  const { code, episodes } = await runJson(project, small, { env: { DATA_FOLDER: 'data' } });
  expect(code).toBe(0);
  expect(episodes.map(({ reward }) => reward)).toEqual([0.25]);
});

it('leaves a folder named .env alone', async () => {
  const project = await smallProject({ '.env/pyvenv.cfg': '' });
  expect(await runCli(project, small)).toMatchObject({ code: 0 });
});

it('finds the files of a config beside it, and those of the working directory first', async () => {
  const project = await emptyProject();
  const inner = 'experiments/small.yaml';
  await project.write({
    [inner]: smallConfig,
    'experiments/tasks.jsonl': rows(2),
    'experiments/workflow.ts': smallWorkflow('return { reward: 1 };'),
    'workflow.ts': smallWorkflow('return { reward: 2 };'),
  });
  const { episodes } = await runJson(project, ['--conf', inner]);
  expect(episodes.map(({ reward }) => reward)).toEqual([2, 2]);
  expect(await project.list('saved_experiments')).toEqual(['small']);
});

it('runs five hundred episodes, eight at a time, and in no more memory than a few', async () => {
  const body = `const busy = (globalThis as { busy?: number }).busy ?? 0;
    (globalThis as { busy?: number }).busy = busy + 1;
    if (busy >= 8) throw new Error('more than eight at a time');
    await tuner.asOpenAIClient().chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'What is 1 + 1?' }] });
    (globalThis as { busy?: number }).busy! -= 1;
    return { reward: busy };`;
  const project = await smallProject({ 'tasks.jsonl': rows(125), 'workflow.ts': smallWorkflow(body) });
  const args = [...small, '--tasks', '125', '--repeat', '4', '--parallel', '8'];
  const { code, episodes, groups } = await runJson(project, args, {
    // The built-in tokenizer holds 61 MB of it.
    env: { NODE_OPTIONS: '--max-old-space-size=140' },
  });
  expect(code).toBe(0);
  expect(episodes).toHaveLength(500);
  expect(groups).toHaveLength(125);
  expect(Math.max(...episodes.map(({ reward }) => reward ?? 0))).toBe(7);
  expect(episodes.every(({ llmCalls, error }) => llmCalls === 1 && error === null)).toBe(true);
});
