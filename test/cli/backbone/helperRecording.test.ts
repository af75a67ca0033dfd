/** What the helper LLM is asked is recorded with the run's other calls, so that judges and data generation need it once. */
import { describe, expect, it } from 'vitest';
import { openAiServer, sendJson } from '../../unit/backbone/node-model/openAiServer.ts';
import { completionOf } from '../../unit/backbone/model-tuner/tunerBench.ts';
import { runJson } from '../harness/cli.ts';
import { smallConfig, smallProject, smallWorkflow, type Project } from '../harness/project.ts';

const graded = smallConfig.replace(
  '  rollout:\n',
  `  task_judge:
    judge_type: rubrics_auto_grader
    rubrics_auto_grader:
      input_data_type: jsonl_dataset_file
      jsonl_dataset_file: {training: {file_path: samples.jsonl}}
      max_score: 10
  rollout:\n`,
);

const generated = smallConfig.replace(
  /type: jsonl[^]*?tasks\.jsonl\n/,
  `type: data_generation
    data_generation:
      document_reader: {document_path: [notes.md], chunk_size: 0}
      query_reader: {type: jsonl_dataset_file, jsonl_dataset_file: {training: {file_path: tasks.jsonl}}}
      task_num: 4
      deduplication_filter: {enabled: false}
`,
);

/** @param reward what the workflow gives itself, where no judge does */
function workflow(reward: string): string {
  return smallWorkflow(`const client = tuner.asOpenAIClient();
    const messages = [{ role: 'user' as const, content: workflowTask.task.main_query }];
    await client.chat.completions.create({ model: 'any', messages });
    const metadata = { final_answer: process.env.ANSWER ?? workflowTask.taskId };
    return { ${reward}metadata };`);
}

function project(config: string): Promise<Project> {
  const reward = config === graded ? '' : 'reward: workflowTask.task.main_query.length, isSuccess: true, ';
  return smallProject({
    'small.yaml': config,
    'notes.md': '# Lakes\n\nLakes stay.',
    'workflow.ts': workflow(reward),
    'samples.jsonl': JSON.stringify({ main_query: 'What is 2 + 2?', answer: '4', score: 10 }),
  });
}

/** A helper whose every answer is another. */
async function helper() {
  let asked = 0;
  const server = await openAiServer((response, { body }) => {
    asked += 1;
    const text = JSON.stringify(body['messages']);
    const query = `Number ${'1'.repeat(asked)}?`;
    const task = text.includes('Write exactly') ? [{ query }] : { query };
    const answer = text.includes('rubrics')
      ? { rubrics: ['Be right.'], score: 5 + (asked % 3), reason: 'so' }
      : task;
    sendJson(response, 200, completionOf(JSON.stringify(answer)));
  });
  return { server, asked: () => asked };
}

const env = {
  DASHSCOPE_API_KEY: undefined,
  DASHSCOPE_API_KEY_BACKUP: undefined,
  DASHSCOPE_BASE_URL: undefined,
};
const args = ['--conf', 'small.yaml', '--tasks', '9', '--parallel', '1', '--verbose'];

describe.each([
  ['a judge', graded],
  ['data generation', generated],
])('the helper of %s', (_, config) => {
  it('is not needed where its calls are replayed', async () => {
    const { server, asked } = await helper();
    const first = await project(config);
    const live = ['--helper-base-url', server.baseUrl, '--helper-model', 'm', '--record', 'calls.jsonl'];
    const recorded = await runJson(first, [...args, ...live], { env });
    expect(recorded.episodes.map(({ error }) => error)).toEqual(recorded.episodes.map(() => null));
    const before = asked();
    expect(before).toBeGreaterThan(1);
    const second = await project(config);
    await second.write({ 'calls.jsonl': await first.read('calls.jsonl') });
    const replayed = await runJson(second, [...args, '--replay', 'calls.jsonl'], { env });
    const rewards = ({ episodes }: typeof recorded): unknown =>
      episodes.map(({ taskId, reward }) => [taskId, reward]);
    expect(rewards(replayed)).toEqual(rewards(recorded));
    expect(asked()).toBe(before);
  });
});

describe('a question to the helper that was not recorded', () => {
  it('is named, with what differs', async () => {
    const { server } = await helper();
    const first = await project(graded);
    const live = ['--helper-base-url', server.baseUrl, '--helper-model', 'm', '--record', 'calls.jsonl'];
    await runJson(first, [...args, ...live], { env });
    const second = await project(graded);
    await second.write({ 'calls.jsonl': await first.read('calls.jsonl') });
    const changed = { ...env, ANSWER: 'another' };
    const { episodes, stderr } = await runJson(second, [...args, '--replay', 'calls.jsonl'], {
      env: changed,
    });
    expect(episodes.map(({ error }) => error?.code)).toEqual([
      'helper-llm/no-answer',
      'helper-llm/no-answer',
    ]);
    expect(stderr).toContain('of task helper LLM');
  });

  it('goes to the helper where the recording is older than its calls', async () => {
    const { server, asked } = await helper();
    const made = await project(graded);
    const helped = ['--helper-base-url', server.baseUrl, '--helper-model', 'm'];
    await runJson(made, [...args, ...helped, '--record', 'calls.jsonl'], { env });
    const lines = (await made.read('calls.jsonl')).split('\n');
    await made.write({ 'calls.jsonl': lines.filter((line) => !line.includes('"helper LLM"')).join('\n') });
    const before = asked();
    const { episodes } = await runJson(made, [...args, ...helped, '--replay', 'calls.jsonl'], { env });
    expect(episodes.map(({ error }) => error)).toEqual([null, null]);
    expect(asked()).toBeGreaterThan(before);
  });
});
