/** Against what AgentJet's own readers gave; `node test/tools/vectors/regenerate.mjs readers CLONE` renews it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSplit } from '../../../../src/backbone/core/task-reader/data-set/splits.ts';
import { readHuggingFace } from '../../../../src/backbone/core/task-reader/huggingFaceReader.ts';
import { readRandomDummy } from '../../../../src/backbone/core/task-reader/readers.ts';
import { CodedError } from '../../../../src/base/core/errors.ts';
import { dataSetSource } from './source.ts';

interface TextCase {
  readonly name: string;
  readonly text: string;
  readonly rows: readonly unknown[] | null;
}

const folder = path.join(import.meta.dirname, '../../../fixtures/readers');
const vectors = JSON.parse(readFileSync(path.join(folder, 'readers.json'), 'utf8')) as {
  readonly parquet: Readonly<Record<string, readonly unknown[]>>;
  readonly csv: readonly TextCase[];
  readonly json: readonly TextCase[];
  readonly splits: readonly {
    readonly paths: readonly string[];
    readonly readme: string | null;
    readonly splits: Readonly<Record<string, readonly string[]>>;
  }[];
  readonly dummy: readonly unknown[];
};

/** Rows of all tasks; null where they are refused. */
async function read(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<readonly unknown[] | null> {
  const { source } = await dataSetSource({ path: '/set', files });
  try {
    const { tasks } = await readHuggingFace(source, { first: 1000 });
    expect(tasks.map(({ task_id }) => task_id)).toEqual(tasks.map((_, at) => String(at)));
    return tasks.map(({ metadata }) => metadata);
  } catch (error) {
    if (error instanceof CodedError) return null;
    throw error;
  }
}

describe('data sets as AgentJet reads them', () => {
  it.each(Object.entries(vectors.parquet))('Parquet: %s', async (name, rows) => {
    const bytes = readFileSync(path.join(folder, 'parquet', name, 'train.parquet'));
    expect(await read({ '/set/train.parquet': bytes })).toEqual(rows);
  });

  it.each(['csv', 'json'] as const)('%s', async (format) => {
    const differing = [];
    for (const { name, text, rows } of vectors[format]) {
      const own = await read({ [`/set/${name}`]: text });
      if (JSON.stringify(own) !== JSON.stringify(rows)) differing.push({ text, own, rows });
    }
    expect(differing).toEqual([]);
  });

  it('finds the files of splits', () => {
    for (const { paths, readme, splits } of vectors.splits) {
      for (const split of ['train', 'validation', 'test', 'extra']) {
        let own: readonly string[] | undefined;
        try {
          own = findSplit(
            readme === null ? paths : [...paths, 'README.md'],
            readme ?? undefined,
            split,
            'it',
          ).files;
        } catch (error) {
          if (!(error instanceof CodedError)) throw error;
        }
        expect({ paths, readme, split, files: own }).toEqual({ paths, readme, split, files: splits[split] });
      }
    }
  });

  it('dummy tasks', async () => {
    const { source } = await dataSetSource({ path: '/set', files: {} });
    expect((await readRandomDummy(source, { first: Infinity })).tasks).toEqual(vectors.dummy);
  });
});
