/** Whole runs whose tasks a helper writes. */
import { describe, expect, it } from 'vitest';
import { openAiServer, sendJson } from '../../unit/backbone/node-model/openAiServer.ts';
import { completionOf } from '../../unit/backbone/model-tuner/tunerBench.ts';
import { pdfOf } from '../../unit/backbone/generation/pdf.ts';
import { runCli, runJson, startCli } from '../harness/cli.ts';
import { smallConfig, smallProject, smallWorkflow, type Project } from '../harness/project.ts';

const generated = `type: data_generation
    data_generation:
      document_reader: {document_path: [notes.pdf, notes.md], chunk_size: 0}
      query_reader: {type: jsonl_dataset_file, jsonl_dataset_file: {training: {file_path: tasks.jsonl}}}
      task_num: 6
      deduplication_filter: {enabled: false}
`;

const workflow = smallWorkflow('return { reward: workflowTask.task.main_query.length, isSuccess: true };');

const writer = `export default (request, { call }) => {
  const prompt = request.messages.at(-1).content;
  return prompt.includes('Write exactly 10')
    ? JSON.stringify([{ query: 'What is in ' + /<document>\\n(\\w+)/.exec(prompt)[1] + '?' }])
    : '{"query": "Number ' + call + '?"}';
};`;

function project(): Promise<Project> {
  return smallProject({
    'small.yaml': smallConfig.replace(/type: jsonl[^]*?tasks\.jsonl\n/, generated),
    'workflow.ts': workflow,
    'writer.mjs': writer,
    'notes.pdf': pdfOf(['Rivers run.']),
    'notes.md': '# Lakes\n\nLakes stay.',
  });
}

const args = ['--conf', 'small.yaml', '--tasks', '99'];

describe('data generation', () => {
  it('runs the workflow on what a script writes, once and then from its cache', async () => {
    const made = await project();
    const { code, stderr } = await runCli(made, [...args, '--helper-script', 'writer.mjs']);
    expect(stderr).toContain('Training tasks: 6 of 6 calls.');
    expect(code).toBe(0);
    const [file] = (await made.list('dataset/jsonl')).filter((name) => /train.*\.debug\.jsonl$/.test(name));
    expect((await made.read(`dataset/jsonl/${file ?? ''}`)).trim().split('\n')).toHaveLength(6);
    const again = await runJson(made, [...args, '--helper-script', 'writer.mjs', '--verbose']);
    expect(again.episodes).toHaveLength(6);
    expect(again.stderr).toContain('Using 6 cached tasks of');
    const validation = await runJson(made, [
      ...args,
      '--helper-script',
      'writer.mjs',
      '--split',
      'validation',
    ]);
    // One question of the PDF, for six tasks make one call, and the two examples.
    expect(validation.episodes.map(({ reward }) => reward)).toContain('What is in Rivers?'.length);
    expect(validation.episodes).toHaveLength(3);
  });

  it('needs no network with the built-in model', async () => {
    const { code, episodes } = await runJson(await project(), [...args, '--helper', 'embedded']);
    expect(code).toBe(0);
    expect(episodes).toHaveLength(6);
  });

  it('keeps under the names of training what a server writes', async () => {
    const server = await openAiServer((response, { body }) => {
      const asksTen = JSON.stringify(body['messages']).includes('Write exactly 10');
      sendJson(response, 200, completionOf(asksTen ? '[{"query": "Q?"}]' : '{"query": "One more?"}'));
    });
    const made = await project();
    const env = {
      DASHSCOPE_API_KEY: 'a|b',
      DASHSCOPE_API_KEY_BACKUP: 'c',
      DASHSCOPE_BASE_URL: server.baseUrl,
    };
    const { code, episodes } = await runJson(made, args, { env });
    expect(code).toBe(0);
    expect(episodes).toHaveLength(6);
    expect(server.received[0]?.body).toMatchObject({
      model: 'qwen-long',
      max_completion_tokens: 8192,
      temperature: 0,
    });
    const names = await made.list('dataset/jsonl');
    expect(
      names.filter((name) => /^generated_(train|valid)_tasks_[\da-f]{8}\.jsonl$/.test(name)),
    ).toHaveLength(2);
    for (const name of names) expect(await made.read(`dataset/jsonl/${name}`)).not.toMatch(/"[abc]"/);
  });

  it('can be interrupted while it waits for the helper', async () => {
    const server = await openAiServer(() => undefined);
    const running = startCli(await project(), [...args, '--helper-base-url', server.baseUrl]);
    await running.wrote(/notes\.md: 1 chunks/);
    running.child.kill('SIGINT');
    const { code } = await running.exited;
    expect(code).toBe(130);
  });
});
