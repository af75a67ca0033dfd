/** Runs that `rubrics_auto_grader` scores. */
import { describe, expect, it } from 'vitest';
import { openAiServer } from '../../unit/backbone/node-model/openAiServer.ts';
import { runCli, runJson, startCli } from '../harness/cli.ts';
import { smallConfig, smallProject, smallWorkflow, type Project } from '../harness/project.ts';

const trace = 'saved_experiments/small/small.ajtrace';

function graded(more = ''): string {
  return smallConfig.replace(
    '  rollout:\n',
    `  task_judge:
    judge_type: rubrics_auto_grader
    rubrics_auto_grader:
      input_data_type: jsonl_dataset_file
      jsonl_dataset_file: {training: {file_path: samples.jsonl}}
      max_score: 10
${more}  rollout:\n`,
  );
}

const samples = [
  { main_query: 'What is 2 + 2?', answer: '4', score: 10 },
  { main_query: 'What is 2 + 3?', metadata: { answer: '6', score: 0 } },
  { main_query: 'Unlabelled' },
];

/** Proposes in order, revises once, and scores an answer by its length. */
const grader = `import { appendFileSync } from 'node:fs';
export default (request) => {
  const text = request.messages.map(({ content }) => content).join('\\n');
  const kind = text.includes('You write rubrics') ? (text.includes('verdict was') ? 'revise' : 'propose') : 'score';
  appendFileSync('asked.txt', kind + '\\n');
  const answer = /<answer>\\n([^]*?)\\n<\\/answer>/.exec(text)[1];
  if (kind !== 'score') return JSON.stringify({ rubrics: [kind + 'd for ' + answer] });
  if (answer === 'none') return 'I cannot say.';
  if (answer === 'above') return 'Score: 12';
  if (answer === '6') return text.includes('revised for 6') ? '<score>0</score>' : '<score>10</score>';
  return '{"reason": "2 of 3", "score": ' + (answer === '4' ? 10 : 7.5) + '}';
};`;

function project(returns: string, config = graded()): Promise<Project> {
  return smallProject({
    'small.yaml': config,
    'samples.jsonl': samples.map((sample) => JSON.stringify(sample)).join('\n'),
    'workflow.ts': smallWorkflow(returns),
    'grader.mjs': grader,
  });
}

const args = ['--conf', 'small.yaml', '--helper-script', 'grader.mjs'];
const returnsAnswer = "return { metadata: { final_answer: workflowTask.taskId === 't1' ? '4' : 'nearly' } };";

async function asked(made: Project): Promise<Record<string, number>> {
  const kinds = (await made.read('asked.txt')).trim().split('\n');
  return Object.fromEntries(
    [...new Set(kinds)].map((kind) => [kind, kinds.filter((one) => one === kind).length]),
  );
}

describe('pointwise', () => {
  it('scores by rubrics that are made once for all episodes and kept for the next run', async () => {
    const made = await project(returnsAnswer);
    const { code, stderr, episodes } = await runJson(made, [...args, '--repeat', '2', '--verbose']);
    expect(code).toBe(0);
    expect(episodes.map(({ reward, isSuccess }) => [reward, isSuccess])).toEqual([
      [1, true],
      [1, true],
      [0.75, false],
      [0.75, false],
    ]);
    // Two samples: the first is proven at once, the second when revised; then four episodes.
    expect(await asked(made)).toEqual({ propose: 2, revise: 1, score: 3 + 4 });
    expect(stderr.match(/upstream-cannot-score/g)).toHaveLength(1);
    expect(stderr).toContain('task-judge/samples-left-out');
    const file = 'saved_experiments/small/auto_grader.debug.json';
    const kept = JSON.parse(await made.read(file)) as Record<string, unknown>;
    expect(kept).toMatchObject({ mode: 'pointwise', rubrics: '1. proposed for 4\n2. revised for 6' });

    await made.write({ 'asked.txt': '' });
    expect((await runJson(made, args)).episodes).toHaveLength(2);
    expect(await asked(made)).toEqual({ score: 2 });
  });

  it('takes rubrics that upstream kept, and makes those of other settings anew', async () => {
    const made = await project(returnsAnswer, graded('      success_threshold: 0.7\n'));
    const kept = { name: 'g', mode: 'pointwise', language: 'en', rubrics: '1. Right' };
    await made.write({ 'saved_experiments/small/auto_grader.json': JSON.stringify(kept) });
    const { episodes } = await runJson(made, args);
    expect(episodes.map(({ reward, isSuccess }) => [reward, isSuccess])).toEqual([
      [1, true],
      [0.75, true],
    ]);
    expect(await asked(made)).toEqual({ score: 2 });
    const other = { ...kept, made_with: { language: 'zh' } };
    await made.write({ 'saved_experiments/small/auto_grader.json': JSON.stringify(other) });
    const { stderr } = await runJson(made, [...args, '--verbose']);
    expect(stderr).toContain('made with other settings');
    expect(await asked(made)).toMatchObject({ propose: 2 });
  });

  it('clips a score with a warning, and ends an episode that got none', async () => {
    const made = await project(returnsAnswer.replace("'4'", "'above'").replace("'nearly'", "'none'"));
    const { code, stderr, episodes } = await runJson(made, [...args, '--verbose']);
    expect(code).toBe(1);
    expect(episodes.map(({ reward, error }) => [reward, error?.code])).toEqual([
      [1, undefined],
      [null, 'task-judge/no-score'],
    ]);
    expect(stderr).toContain('task-judge/score-clipped');
  });

  it('scores a trace again', async () => {
    const made = await project(returnsAnswer.replace('metadata', 'reward: 0, metadata'));
    expect((await runCli(made, args)).stderr).not.toContain('upstream-cannot-score');
    const { code, stdout } = await runCli(made, ['judge', trace, '--helper-script', 'grader.mjs', '--json']);
    expect(code).toBe(0);
    const { episodes } = JSON.parse(stdout) as { episodes: { reward: number }[] };
    expect(episodes.map(({ reward }) => reward)).toEqual([1, 0.75]);
  });

  it('needs no network with the built-in model', async () => {
    const { code, episodes } = await runJson(await project(returnsAnswer), [
      ...['--conf', 'small.yaml', '--helper', 'embedded'],
    ]);
    expect(code).toBe(0);
    for (const { reward } of episodes) expect(reward).toBeGreaterThanOrEqual(0);
  });

  it('can be interrupted while rubrics are made', async () => {
    let wasAsked = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => (wasAsked = resolve));
    const server = await openAiServer(() => wasAsked());
    const config = ['--conf', 'small.yaml', '--helper-base-url', server.baseUrl];
    const running = startCli(await project(returnsAnswer), config);
    await isAsked;
    running.child.kill('SIGINT');
    expect((await running.exited).code).toBe(130);
  });

  it.each([
    ['no helper', graded(), ['--conf', 'small.yaml'], 'helper-llm/not-configured'],
    [
      'the retired reader',
      graded().replace('type: jsonl_dataset_file\n      jsonl', 'type: dataset_file\n      jsonl'),
      args,
      'unknown-type',
    ],
    ['no such file', graded().replace('samples.jsonl', 'nowhere.jsonl'), args, 'task-reader/file-not-found'],
    ['samples of the other mode', graded('      grader_mode: listwise\n'), args, 'task-judge/no-samples'],
    ['a threshold that is none', graded('      success_threshold: 7\n'), args, 'task-judge/bad-threshold'],
    ['no range', graded().replace('max_score: 10', 'max_score: 0'), args, 'task-judge/no-score-range'],
    [
      'a prompt that is none',
      graded('      custom_evaluation_prompt: {en: hello}\n'),
      args,
      'task-judge/bad-prompt',
    ],
  ])('tells of %s as an error of each episode', async (_, config, given, code) => {
    const { stderr, episodes } = await runJson(await project(returnsAnswer, config), [...given, '--verbose']);
    expect(episodes.map(({ error }) => error?.code)).toEqual(Array(2).fill(expect.stringContaining(code)));
    expect(stderr).not.toContain('ajet.task_reader.');
  });
});

it('says what the workflow should have returned', async () => {
  const made = await project('return { metadata: { answer: 4 } };');
  const { stderr, episodes } = await runJson(made, args);
  expect(episodes[0]?.error).toMatchObject({ code: 'task-judge/missing-input' });
  expect(stderr).toMatch(/workflow\.ts:\d+:\d+: The output of the workflow has no metadata\.final_answer/);
});

describe('listwise', () => {
  const ranker = `export default (request) => {
    const text = request.messages.map(({ content }) => content).join('\\n');
    if (text.includes('You write rubrics')) return '{"rubrics": ["Longer is better"]}';
    const answers = [...text.matchAll(/<answer_\\d+>\\n([^]*?)\\n<\\/answer_\\d+>/g)].map((match) => match[1].length);
    const rank = answers.map((one) => 1 + answers.filter((other) => other > one).length);
    return JSON.stringify({ rank });
  };`;

  it('ranks the answer among the candidates of the task', async () => {
    const candidates = ['a', 'aaa', 'aaaaa'].map((answer, index) => ({ answer, rank: 3 - index }));
    const made = await project(
      "return { metadata: { final_answer: workflowTask.taskId === 't1' ? 'aa' : 'aaaaaaa' } };",
      graded('      grader_mode: listwise\n'),
    );
    const row = (task_id: string): string =>
      JSON.stringify({ task_id, main_query: 'Longest?', metadata: { candidates } });
    await made.write({
      'samples.jsonl': row('s'),
      'tasks.jsonl': `${row('t1')}\n${row('t2')}\n`,
      'grader.mjs': ranker,
    });
    const { code, stderr, episodes } = await runJson(made, [...args, '--verbose']);
    expect(stderr).not.toContain('rubrics-unproven');
    expect(code).toBe(0);
    expect(episodes.map(({ reward, isSuccess }) => [reward, isSuccess])).toEqual([
      [expect.closeTo(1 / 3), false],
      [1, true],
    ]);
  });
});
