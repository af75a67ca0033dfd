import { describe, expect, it } from 'vitest';
import type { TaskReadResult } from '../../../../src/backbone/core/task-reader/taskReader.ts';
import { ReaderBench } from '../readerBench.ts';

const head = `ajet:
  task_reader:
    type: tracing
    feedback_tracing:
      base_url: studio.db
      train_output_path: out/tasks.jsonl
`;

const filters = (...entries: string[]): string =>
  `${head}      filters:\n${entries.map((entry) => `        - ${entry}\n`).join('')}`;

const dedup =
  '{type: deduplication, params: {similarity_threshold: 0.8, db_path: ./.db, model: m, api_key: null, base_url: http://e/v1}}';

function span(query: string, answer: string): string {
  const msg = (role: string, content: string): string =>
    `Msg(name='x', content='${content}', role='${role}')`;
  return JSON.stringify({ input: { kwargs: { msg: msg('user', query) } }, output: msg('assistant', answer) });
}

function bench(spans: readonly unknown[], files: Readonly<Record<string, string>> = {}): ReaderBench {
  const made = new ReaderBench({ 'studio.db': '', ...files });
  made.tools = { readSpans: () => Promise.resolve(spans) };
  return made;
}

const ten = Array.from({ length: 10 }, (_, at) => span(`question ${at}`, `answer ${at}`));
const queries = ({ tasks }: TaskReadResult): string[] => tasks.map(({ main_query }) => main_query);
const codes = ({ warnings }: TaskReadResult): string[] => warnings.map(({ code }) => code);

describe('the reader of traces', () => {
  it('makes tasks of questions and answers, split as upstream splits them, and adds them to its file', async () => {
    const made = bench(ten);
    const training = await made.read(head);
    expect(queries(training)).toEqual([7, 3, 2, 8, 5, 6, 9].map((at) => `question ${at}`));
    expect(training.tasks[0]).toEqual({
      main_query: 'question 7',
      init_messages: [],
      task_id: 'no_id',
      env_type: 'no_env',
      metadata: {
        answer: 'answer 7',
        qa_hash: '076d75dc128ab8be62af81046a9d589f3cc256dd4a9341c624027e6bbbb6f79e',
      },
    });
    expect(codes(training)).toEqual(['task-reader/duplicate-task-id']);
    const lines = made.disk.get('/project/out/tasks.jsonl')?.trim().split('\n') ?? [];
    expect(lines).toHaveLength(10);
    // A second run finds nothing new, and the same tasks.
    expect(queries(await made.read(head, 'validation'))).toEqual([4, 0, 1].map((at) => `question ${at}`));
    expect(made.disk.get('/project/out/tasks.jsonl')?.trim().split('\n')).toEqual(lines);
  });

  it('puts earlier tasks first and drops what they hold already', async () => {
    const earlier = { main_query: 'before', metadata: { qa_hash: 'h' } };
    const made = bench(ten.slice(0, 1), { 'out/tasks.jsonl': `${JSON.stringify(earlier)}\n` });
    const all = [...queries(await made.read(head)), ...queries(await made.read(head, 'validation'))];
    expect(all.sort()).toEqual(['before', 'question 0']);
  });

  it('leaves out the spans at which training ends, and says which is the first', async () => {
    const broken = span('why', "it\\'s").replace('{', '{"n": NaN, ');
    const made = bench([ten[0], broken, null, ten[1]]);
    const { warnings, tasks } = await made.read(head);
    expect(tasks).toHaveLength(1);
    expect(warnings.map(({ message }) => message)[0]).toBe(
      'Training fails on 2 of the 4 traced responses. This run ignores them. The first is number 2: its output is not a readable message.',
    );
  });

  it('keeps what the reviewer calls GOOD, with the rules of the config', async () => {
    const made = bench(ten);
    made.answer = (pair) =>
      `\`\`\`json\n{"reason": "r", "result": "${/[135]/.test(pair) ? 'GOOD' : 'BAD'}"}\n\`\`\``;
    const config = filters('{type: llm_evaluate, params: {custom_rubrics: Only boxed ones., max_thread: 3}}');
    const { warnings } = await made.read(config);
    expect(made.disk.get('/project/out/tasks.jsonl')?.trim().split('\n')).toHaveLength(3);
    expect(made.asked[0]?.messages[0]?.content).toContain('Only boxed ones.');
    expect(made.asked[0]?.messages[1]?.content).toBe('query: question 0\nanswer: answer 0');
    expect(made.asked[0]?.options?.model).toBe('qwen3-235b-a22b-instruct-2507');
    expect(warnings.map(({ code, location }) => [code, location?.line])).toEqual([
      ['task-reader/unknown-filter-param', 8],
      ['task-reader/llm-evaluate-fails-upstream', 8],
      ['task-reader/duplicate-task-id', expect.any(Number)],
    ]);
  });

  it('drops what no verdict can be read of', async () => {
    const made = bench(ten.slice(0, 2));
    made.answer = (pair) =>
      pair.includes('question 0') ? 'fine by me' : '{result: "GOOD", reason: no quotes}';
    expect(queries(await made.read(filters('{type: llm_evaluate}')))).toEqual(['question 1']);
  });

  it('drops duplicates by the embeddings that the config names', async () => {
    const made = bench([span('one', 'a'), span('one', 'b'), span('two', 'c'), span('uno', 'd')]);
    const asked: string[] = [];
    made.tools = {
      ...made.tools,
      embeddingKey: 'k',
      embed: (endpoint, text) => {
        asked.push(`${endpoint.model} ${endpoint.apiKey} ${text}`);
        return Promise.resolve(text === 'two' ? [0, 1] : text === 'uno' ? [4, 3.1] : [2, 0]);
      },
    };
    const both = [...queries(await made.read(filters(dedup)))];
    expect(made.disk.get('/project/out/tasks.jsonl')?.trim().split('\n')).toHaveLength(3);
    expect(both).toHaveLength(2);
    expect(asked).toEqual(['m k one', 'm k two', 'm k uno']);
  });

  it('drops duplicates by spelling where there is no key, and then adds nothing to the file of training', async () => {
    const made = bench([
      span('How many apples are left?', 'a'),
      span('How many apples are left ?', 'b'),
      span('Name a river.', 'c'),
    ]);
    const reading = await made.read(filters(dedup));
    const all = [...queries(reading), ...queries(await made.read(filters(dedup), 'validation'))];
    expect(all.sort()).toEqual(['How many apples are left?', 'Name a river.']);
    expect(codes(reading)).toEqual(['task-reader/local-embeddings']);
    expect(made.disk.has('/project/out/tasks.jsonl')).toBe(false);
  });

  it('does not touch the folder that training would delete, and says that it would', async () => {
    const made = bench(ten, { '.db/thesis.tex': 'years of work' });
    expect(codes(await made.read(filters(dedup)))).toContain('task-reader/db-path-deleted');
    expect(made.disk.get('/project/.db/thesis.tex')).toBe('years of work');
    const store = bench(ten, { '.db/chroma.sqlite3': '' });
    expect(codes(await store.read(filters(dedup)))).not.toContain('task-reader/db-path-deleted');
  });

  it('skips a filter that is switched off, and takes defaults for what upstream cannot do without', async () => {
    const made = bench(ten.slice(0, 1));
    expect(codes(await made.read(filters('{type: deduplication, enabled: false}')))).toEqual([]);
    const fresh = bench(ten.slice(0, 1));
    expect(codes(await fresh.read(filters('{type: deduplication}')))).toEqual([
      'task-reader/missing-filter-param',
      'task-reader/local-embeddings',
    ]);
  });

  it.each([
    ['a filter there is none of', filters('{type: sieve}'), 'task-reader/unknown-filter', 8],
    ['no database', head.replace('studio.db', 'none.db'), 'task-reader/no-database', 5],
  ])('says where %s is named', async (_, config, code, line) => {
    await expect(bench(ten).read(config)).rejects.toMatchObject({ code, location: { line } });
  });

  it.each([
    ['no such table: span_table', 'task-reader/no-spans'],
    ['file is not a database', 'task-reader/unreadable-database'],
  ])('tells what a database that says "%s" is', async (message, code) => {
    const made = bench([]);
    made.tools = { readSpans: () => Promise.reject(new Error(message)) };
    await expect(made.read(head)).rejects.toMatchObject({ code, location: { line: 5 } });
  });

  it('says why there is nothing to run', async () => {
    await expect(bench([]).read(head)).rejects.toMatchObject({ code: 'task-reader/no-tasks' });
    await expect(bench(ten.slice(0, 1)).read(head, 'validation')).rejects.toMatchObject({
      code: 'task-reader/no-tasks',
    });
  });

  it('ends when the run is cancelled', async () => {
    const made = bench(ten);
    made.answer = () => {
      made.cancellation.cancel();
      return '{"result": "GOOD", "reason": ""}';
    };
    await expect(made.read(filters('{type: llm_evaluate}'))).rejects.toMatchObject({
      code: 'task-reader/cancelled',
    });
    expect(made.asked).toHaveLength(1);
  });
});
