import { createHash, randomUUID } from 'node:crypto';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { splitKeys } from '../core/helper-llm/keys.ts';
import type { ReaderTools } from '../core/task-reader/readerTools.ts';
import type { RunRequest } from '../core/protocol/run.ts';
import { systemClock } from '../../base/node/clock.ts';
import { askEmbedding } from './model-tuner/embeddingEndpoint.ts';
import { Connection } from '../../traces/node/store/connection.ts';

/** The machine, for readers that generate or gather tasks. */
export function createReaderTools(
  { cwd }: Pick<RunRequest, 'cwd'>,
  seed: number,
  environment: Readonly<Record<string, string | undefined>>,
): ReaderTools {
  return {
    cwd,
    paths: path,
    clock: systemClock,
    seed,
    digest: (algorithm, content) => createHash(algorithm).update(content).digest('hex'),
    readBytes: (file) => readFile(file),
    writeText: async (file, text) => {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    },
    appendText: async (file, text) => {
      await mkdir(path.dirname(file), { recursive: true });
      await appendFile(file, text);
    },
    readSpans: (file, name) => Promise.resolve().then(() => readSpans(file, name)),
    readPdf: async (content) => (await import('./pdf/pdfText.ts')).readPdf(content),
    embed: askEmbedding,
    embeddingKey: splitKeys(environment['DASHSCOPE_API_KEY'])[0],
    newUuid: () => randomUUID(),
  };
}

function readSpans(file: string, name: string): readonly unknown[] {
  const database = new Connection(file, { readOnly: true });
  try {
    // The name is ours, and the reader's SQL takes its values by name.
    const rows = database.all('SELECT attributes FROM span_table WHERE name = :name', { name });
    return rows.map((row) => {
      const value = (row as { attributes: unknown }).attributes;
      // Python's json.loads takes bytes as well.
      return value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
    });
  } finally {
    database.close();
  }
}
