import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { TaskReadResult } from '../../../../src/backbone/core/task-reader/taskReader.ts';
import { CodedError } from '../../../../src/base/core/errors.ts';
import { readPdf } from '../../../../src/backbone/node/readerTools.ts';
import { ReaderBench } from '../readerBench.ts';
import { pdfOf } from './pdf.ts';

interface Changes {
  readonly taskNum?: number;
  readonly chunk?: string;
  readonly documents?: string;
  readonly examples?: string;
  readonly deduplicates?: boolean;
}

function config(changes: Changes = {}): string {
  const { taskNum = 4, chunk = '{chunk_size: 30, split_by: sentence}', documents = '[notes.md]' } = changes;
  const { examples = 'examples.jsonl', deduplicates = false } = changes;
  const reader = chunk.replace('}', `, document_path: ${documents}, languages: [eng]}`);
  return `ajet:
  task_reader:
    type: data_generation
    data_generation:
      document_reader: ${reader}
      query_reader: {type: jsonl_dataset_file, jsonl_dataset_file: {training: {file_path: ${examples}}}}
      task_num: ${taskNum}
      llm_model: writer
      llm_response_length: 99
      num_workers: 2
      sampling_params: {temperature: 0.5}
      deduplication_filter:
        enabled: ${deduplicates}
        params: {similarity_threshold: 0.8, db_path: ./.db, model: m, api_key: null, base_url: http://e/v1}
`;
}

const files = {
  'notes.md': 'Rivers run to the sea. Mountains stand still. Clouds come and go.',
  'examples.jsonl': '{"main_query": "How deep is a lake?", "task_id": "e1", "env_type": "water"}\n',
};

/** Ten questions of a document, one query after another: each of its own. */
function bench(more: Readonly<Record<string, string>> = {}): ReaderBench {
  const made = new ReaderBench({ ...files, ...more });
  let query = 0;
  made.answer = (prompt) => {
    if (!prompt.includes('Write exactly 10')) return `{"query": "New ${(query += 1)}?"}`;
    const chunk = /<document>\n(.*)\n/.exec(prompt)?.[1] ?? '';
    return JSON.stringify(
      Array.from({ length: 10 }, (_, at) => ({ query: `${at} of ${chunk}?`, related_doc: chunk })),
    );
  };
  return made;
}

const queries = ({ tasks }: TaskReadResult): string[] => tasks.map(({ main_query }) => main_query);
const codes = ({ warnings }: TaskReadResult): string[] => warnings.map(({ code }) => code);
const cached = (made: ReaderBench, part: string): string | undefined =>
  [...made.disk.keys()].find((name) => name.includes(`/dataset/jsonl/generated_${part}_tasks_`));

describe('generated tasks', () => {
  it('are questions of the documents and examples to validate with, and new ones like both to train on', async () => {
    const made = bench();
    const training = await made.read(config({ taskNum: 12 }));
    expect(training.tasks).toHaveLength(12);
    expect(training.tasks[0]).toMatchObject({ main_query: 'New 1?', task_id: '', init_messages: [] });
    expect(training.tasks[0]?.metadata).toMatchObject({
      aug_type: 'task_augmentation',
      source_doc_id: expect.stringMatching(/^uuid-[123]$/) as string,
    });
    expect(codes(training)).toEqual(['task-reader/duplicate-task-id']);
    // Two calls for ten questions each, about the first two chunks.
    const validation = await made.read(config({ taskNum: 12 }), 'validation');
    expect(validation.tasks).toHaveLength(21);
    expect(validation.tasks[10]).toMatchObject({
      main_query: '0 of Mountains stand still.?',
      env_type: 'no_env',
      metadata: { related_doc: 'Mountains stand still.', related_doc_source: 'uuid-2' },
    });
    expect(queries(validation).at(-1)).toBe('How deep is a lake?');
    expect(made.asked).toHaveLength(14);
    expect(made.asked[0]?.options).toMatchObject({
      model: 'writer',
      maxTokens: 99,
      sampling: { temperature: 0.5 },
    });
  });

  it('are the same again for the same seed', async () => {
    const [one, two] = [await bench().read(config()), await bench().read(config())];
    expect(one.tasks).toEqual(two.tasks);
    const other = bench();
    other.tools = { seed: 2 };
    expect(
      (await other.read(config({ taskNum: 30 }))).tasks.map(({ metadata }) => metadata['source_doc_id']),
    ).not.toEqual(
      (await bench().read(config({ taskNum: 30 }))).tasks.map(({ metadata }) => metadata['source_doc_id']),
    );
  });

  it('are generated once, and taken from the cache though settings changed that its name does not depend on', async () => {
    const made = bench();
    const first = await made.read(config());
    const asked = made.asked.length;
    expect((await made.read(config())).tasks).toEqual(first.tasks);
    const changed = await made.read(config({ chunk: '{chunk_size: 60, split_by: paragraph}' }));
    expect(made.asked).toHaveLength(asked);
    expect(changed.tasks).toEqual(first.tasks);
    expect(codes(changed)).toEqual([
      'task-reader/stale-cache',
      'task-reader/stale-cache',
      'task-reader/duplicate-task-id',
    ]);
    expect(changed.warnings[0]?.message).toContain('document_reader.chunk_size');
    await made.read(config({ taskNum: 5 }));
    expect(made.asked.length).toBeGreaterThan(asked);
  });

  it('of a stand-in are kept apart from those of training, which come first', async () => {
    const made = bench();
    made.isStandIn = true;
    const own = await made.read(config());
    expect(cached(made, 'train')).toMatch(/generated_train_tasks_[\da-f]{8}\.debug\.jsonl$/);
    expect((await made.read(config())).tasks).toEqual(own.tasks);
    const real = cached(made, 'train')?.replace('.debug', '') ?? '';
    made.disk.set(real, '{"main_query": "from training"}\n');
    expect(queries(await made.read(config()))).toEqual(['from training']);
  });

  it('leave out calls that fail, and say so', async () => {
    const made = bench();
    const { answer } = made;
    made.answer = (prompt, asked) =>
      prompt.includes('Write exactly') ? 'no JSON' : made.asked.length === 3 ? '[1' : answer(prompt, asked);
    const reading = await made.read(config());
    expect(reading.tasks).toHaveLength(3);
    expect(codes(reading)).toEqual([
      'task-reader/calls-failed',
      'task-reader/calls-failed',
      'task-reader/duplicate-task-id',
    ]);
    expect(made.logged.join('\n')).toContain('call 1 of 1 failed and is skipped');
    expect(cached(made, 'valid')).toBeUndefined();
  });

  it('end with the first call where no other would fare better', async () => {
    const made = bench();
    made.answer = () => {
      throw new CodedError({ code: 'helper-llm/not-configured', message: 'none' });
    };
    await expect(made.read(config({ taskNum: 50 }))).rejects.toMatchObject({
      code: 'helper-llm/not-configured',
    });
    expect(made.asked).toHaveLength(2);
  });

  it('end when the run is cancelled', async () => {
    const made = bench();
    const { answer } = made;
    made.answer = (prompt, asked) => {
      if (made.asked.length === 3) made.cancellation.cancel();
      return answer(prompt, asked);
    };
    await expect(made.read(config({ taskNum: 50 }))).rejects.toMatchObject({ code: 'task-reader/cancelled' });
    expect(made.asked.length).toBeLessThan(6);
  });

  it('ask no more than num_workers at a time', async () => {
    const made = bench();
    let [now, most] = [0, 0];
    made.answer = async (prompt) => {
      most = Math.max(most, (now += 1));
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      return prompt.includes('Write exactly') ? '[]' : '{"query": "q"}';
    };
    await made.read(config({ taskNum: 20 }));
    expect(most).toBe(2);
  });

  it('drop what is too much alike, across both phases', async () => {
    const made = bench();
    made.answer = (prompt) =>
      prompt.includes('Write exactly')
        ? '[{"query": "Why do rivers run to the sea?"}]'
        : `{"query": "${made.asked.length % 2 ? 'Why do rivers run to the sea ?' : 'Name a cloud.'}"}`;
    const reading = await made.read(config({ deduplicates: true }));
    expect(queries(reading)).toEqual(['Name a cloud.']);
    expect(codes(reading)).toEqual(['task-reader/local-embeddings']);
  });

  it('need no documents, and say at what training ends then', async () => {
    const made = bench();
    const alone = config({ documents: '[]' });
    expect((await made.read(alone)).tasks[0]?.metadata).toEqual({
      source_task_id: 'e1',
      aug_type: 'task_augmentation',
    });
    expect(codes(await made.read(alone))).toContain('task-reader/cached-without-validation');
    expect(queries(await made.read(alone, 'validation'))).toEqual(['How deep is a lake?']);
  });

  it('take the text that training parsed, where it lies beside the document', async () => {
    const sha = createHash('sha256').update(files['notes.md']).digest('hex').slice(0, 16);
    const parsed = { [`notes.${sha}_eng_chunk30_sentence.cache.json`]: '{"content": "Of training."}' };
    const made = bench(parsed);
    await made.read(config(), 'validation');
    expect(made.asked[0]?.messages[1]?.content).toContain('<document>\nOf training.\n');
  });

  it('read PDFs', async () => {
    const made = bench({ 'notes.pdf': pdfOf(['Rivers run.', 'Lakes stay.']) });
    made.tools = { readPdf };
    await made.read(
      config({ documents: 'notes.pdf', chunk: '{chunk_size: 0, split_by: sentence}' }),
      'validation',
    );
    expect(made.asked[0]?.messages[1]?.content).toContain('<document>\nRivers run.\n\nLakes stay.\n');
  });

  it.each([
    ['a document that is not there', { documents: '[none.md]' }, 'task-reader/document-not-found', 5],
    ['one that is no text', { documents: '[bytes.txt]' }, 'task-reader/document-unreadable', 5],
    ['a PDF that is none', { documents: '[fake.pdf]' }, 'task-reader/document-unreadable', 5],
    ['examples that are not there', { examples: 'none.jsonl' }, 'task-reader/file-not-found', 6],
  ])('say where %s is named', async (_, changes, code, line) => {
    const made = bench({ 'bytes.txt': 'a\0b', 'fake.pdf': 'a letter' });
    made.tools = { readPdf };
    await expect(made.read(config(changes))).rejects.toMatchObject({ code, location: { line } });
  });
});
