import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PartReader } from '../../../../src/base/core/ports.ts';
import { readHuggingFace } from '../../../../src/backbone/core/task-reader/huggingFaceReader.ts';
import type { TaskReadResult, TaskSelection } from '../../../../src/backbone/core/task-reader/taskReader.ts';
import { dataSetSource, noHub, type Place } from './source.ts';

async function read(place: Place, selection: TaskSelection = { first: 10 }): Promise<TaskReadResult> {
  const { source } = await dataSetSource(place);
  return readHuggingFace(source, selection);
}

const rows = (count: number): string =>
  Array.from({ length: count }, (_, at) => `${JSON.stringify({ question: `q${at}`, answer: at })}\n`).join(
    '',
  );

const queries = ({ tasks }: TaskReadResult): string[] => tasks.map(({ main_query }) => main_query);

describe('readHuggingFace', () => {
  it('makes a task of a row', async () => {
    const { tasks, warnings } = await read({ path: 'set', files: { '/project/set/train.jsonl': rows(1) } });
    expect(tasks).toEqual([
      {
        main_query: 'q0',
        init_messages: [],
        task_id: '0',
        env_type: 'no_env',
        metadata: { question: 'q0', answer: 0 },
      },
    ]);
    expect(warnings).toEqual([]);
  });

  it('goes on from file to file, and numbers rows through', async () => {
    const files = {
      '/set/train-0.csv': 'question,n\na,1\nb,2\n',
      '/set/train-1.csv': 'n,question\n3,c\n4,d\n',
    };
    const reading = await read({ path: '/set', files }, { first: 3 });
    expect(reading.tasks.map(({ task_id, metadata }) => [task_id, metadata])).toEqual([
      ['0', { question: 'a', n: 1 }],
      ['1', { question: 'b', n: 2 }],
      ['2', { question: 'c', n: 3 }],
    ]);
    expect(queries(await read({ path: '/set', files }, { first: 1, taskIds: ['3', '0'] }))).toEqual([
      'a',
      'd',
    ]);
    await expect(read({ path: '/set', files }, { first: 1, taskIds: ['4', 'x'] })).rejects.toMatchObject({
      code: 'task-reader/unknown-task-id',
      message: expect.stringContaining('"4", "x"') as string,
    });
  });

  it('takes rows of a split, and counts them from there', async () => {
    const files = { '/set/train.jsonl': rows(9) };
    const { tasks } = await read({ path: '/set', split: 'train[3:5]', files });
    expect(tasks.map(({ task_id, main_query }) => [task_id, main_query])).toEqual([
      ['0', 'q3'],
      ['1', 'q4'],
    ]);
    await expect(read({ path: '/set', split: 'train[:10%]', files })).rejects.toMatchObject({
      code: 'task-reader/split-expression',
      location: { line: 6 },
    });
  });

  it('tells what there is instead of a column, a split, a folder', async () => {
    const { tasks, warnings } = await read({
      path: '/set',
      files: { '/set/train.jsonl': '{"prompt": "p"}' },
    });
    expect(tasks).toMatchObject([{ main_query: 'Empty' }]);
    expect(warnings).toMatchObject([{ code: 'task-reader/no-main-query', location: { line: 5 } }]);
    expect(warnings[0]?.message).toContain('"prompt"');
    const failing = (place: Place): Promise<unknown> => read(place).catch((error: unknown) => error);
    const code = (end: string): object => ({ code: `task-reader/${end}` });
    const one = { '/set/train.jsonl': rows(1) };
    const noSplit = await failing({ path: '/set', split: 'test', files: one });
    expect(noSplit).toMatchObject({
      ...code('unknown-split'),
      message: '/set has no split "test"; it has "train".',
    });
    expect(await failing({ path: 'a/b/c', files: one })).toMatchObject(code('data-set-not-found'));
    expect(await failing({ path: '/set', files: { '/set/notes.md': '' } })).toMatchObject(
      code('no-data-files'),
    );
    expect(await failing({ path: '/set', files: { '/set/a.txt': 'x' } })).toMatchObject(
      code('unread-format'),
    );
    const saved = { '/set/state.json': '{}', '/set/data-00000-of-00001.arrow': '' };
    expect(await failing({ path: '/set', files: saved })).toMatchObject(code('saved-to-disk'));
    const empty = { '/set/train.csv': 'question\n' };
    expect(await failing({ path: '/set', files: empty })).toMatchObject({
      ...code('no-tasks'),
      location: { line: 6 },
    });
  });

  it('reads a single file, which training would not', async () => {
    const reading = await read({
      path: '/set/mine.tsv',
      split: 'test',
      files: { '/set/mine.tsv': 'question\tn\na b\t1\n' },
    });
    expect(reading.tasks).toMatchObject([{ metadata: { question: 'a b', n: 1 } }]);
    expect(reading.warnings).toMatchObject([{ code: 'task-reader/file-not-folder' }]);
  });

  it.each([
    ['train.jsonl', '{"question": "a"}\n{"question": }\n', 'broken-file', 2],
    ['train.jsonl', '{"question": "a", "n": 1}\n{"question": "b", "n": "x"}\n', 'broken-file', undefined],
    ['train.csv', 'question,n\na,1,2\n', 'broken-file', undefined],
    ['train.parquet', 'PAR1 this is none', 'broken-file', undefined],
    ['train.jsonl', '{"question": null}\n', 'wrong-field', 5],
  ])('refuses %s that reads %j', async (name, text, code, line) => {
    await expect(read({ path: '/set', files: { [`/set/${name}`]: text } })).rejects.toMatchObject({
      code: `task-reader/${code}`,
      location: { line },
    });
  });

  it('refuses files whose columns differ, and a row unlike those before', async () => {
    const differing = { '/set/train-0.csv': 'question,n\na,1\n', '/set/train-1.csv': 'question,m\nb,2\n' };
    await expect(read({ path: '/set', files: differing })).rejects.toMatchObject({
      code: 'task-reader/other-columns',
      location: { file: '/set/train-1.csv' },
    });
    const unlike = { '/set/train-0.csv': 'question,n\na,1\n', '/set/train-1.csv': 'question,n\nb,x\n' };
    await expect(read({ path: '/set', files: unlike })).rejects.toMatchObject({
      code: 'task-reader/other-type',
    });
  });

  it('says once that digits would be lost', async () => {
    const bytes = readFileSync(
      path.join(import.meta.dirname, '../../../fixtures/readers/parquet/snappy/train.parquet'),
    );
    const { warnings } = await read({ path: '/set', files: { '/set/train.parquet': bytes } });
    expect(warnings.map(({ code }) => code)).toContain('task-reader/large-integer');
    expect(new Set(warnings.map(({ message }) => message)).size).toBe(warnings.length);
  });
});

describe('how much is read', () => {
  it.each([
    ['csv', `question,n\n${'a question of some length,1\n'.repeat(400_000)}`],
    ['csv', `question,n\n${'"a quoted\nquestion",1\r\n'.repeat(400_000)}`],
  ])('of %s only what settles the types', async (format, text) => {
    const { source, parts } = await dataSetSource({
      path: '/set',
      files: { [`/set/train.${format}`]: text },
    });
    expect((await readHuggingFace(source, { first: 2 })).tasks).toHaveLength(2);
    // 10,000 rows, and the rest of the piece that the last of them is in.
    expect(parts.read).toBeLessThan((10_000 / 400_000) * text.length + 2 * 65_536);
  });

  it('of JSONL only the first 10 MB', async () => {
    const line = JSON.stringify({ question: 'q', text: 'x'.repeat(1000) });
    const { source } = await dataSetSource({ path: '/set', files: { '/set/train.jsonl': '' } });
    let lines = 0;
    const endless = async function* (): AsyncGenerator<string> {
      for (;;) {
        lines += 1;
        yield await Promise.resolve(line);
      }
    };
    const files = { ...source.files, lines: endless };
    expect((await readHuggingFace({ ...source, files }, { first: 2 })).tasks).toHaveLength(2);
    expect(lines * line.length).toBeLessThan(11 * 2 ** 20);
  });

  it('of Parquet the footer and the row group', async () => {
    const file = path.join(import.meta.dirname, '../../../fixtures/readers/parquet/gzip/train.parquet');
    const holed = new HoledParts(readFileSync(file));
    const { source } = await dataSetSource({ path: '/set', files: { '/set/train.parquet': '' } });
    const dataSets = { parts: holed, hub: noHub };
    const { tasks } = await readHuggingFace({ ...source, dataSets }, { first: 2 });
    expect(tasks).toHaveLength(2);
    // The three row groups have 4, 4 and 1 rows.
    expect(holed.ofRows).toBeLessThan(0.6 * holed.rowBytes);
    expect(holed.ofRows).toBeGreaterThan(0.2 * holed.rowBytes);
    expect(holed.read).toBeLessThan(2 ** 20);
  });
});

/** A Parquet file with five gigabytes of nothing between its rows and its footer. */
class HoledParts implements PartReader {
  read = 0;
  /** Of `read`, what belongs to rows. */
  ofRows = 0;
  readonly rowBytes: number;
  readonly #bytes: Uint8Array;
  readonly #hole = 5 * 2 ** 30;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    const footer = new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 8, true);
    this.rowBytes = bytes.length - 8 - footer;
  }

  size(): Promise<number> {
    return Promise.resolve(this.#bytes.length + this.#hole);
  }

  readPart(_: string, start: number, end: number): Promise<Uint8Array> {
    const part = new Uint8Array(end - start);
    const rows = this.#bytes.subarray(Math.min(start, this.rowBytes), Math.min(end, this.rowBytes));
    const after = this.rowBytes + this.#hole;
    const footer = this.#bytes.subarray(
      Math.max(start, after) - this.#hole,
      Math.max(end, after) - this.#hole,
    );
    part.set(rows);
    part.set(footer, part.length - footer.length);
    this.read += part.length;
    this.ofRows += rows.length;
    return Promise.resolve(part);
  }

  pieces(): AsyncIterable<string> {
    throw new Error('Parquet is not read as text');
  }

  decode(bytes: Uint8Array): string {
    return new TextDecoder().decode(bytes);
  }
}
