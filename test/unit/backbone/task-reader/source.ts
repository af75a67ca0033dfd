import path from 'node:path';
import type { FileReader, PartReader } from '../../../../src/base/core/ports.ts';
import type { DataSetHub } from '../../../../src/backbone/core/task-reader/data-set/table.ts';
import type { TaskSource } from '../../../../src/backbone/core/task-reader/taskReader.ts';
import { unasked } from '../taskSource.ts';
import { composeText, memoryFiles } from '../../configs/memoryFiles.ts';

/** Bytes that one file was asked for, and how many it has. */
export class CountedParts implements PartReader {
  read = 0;
  readonly #files: Readonly<Record<string, string | Uint8Array>>;
  readonly #piece: number;

  constructor(files: Readonly<Record<string, string | Uint8Array>>, piece = 1 << 16) {
    this.#files = files;
    this.#piece = piece;
  }

  size(file: string): Promise<number> {
    const bytes = this.#bytes(file);
    return bytes === undefined
      ? Promise.reject(new Error('it is not a file'))
      : Promise.resolve(bytes.length);
  }

  readPart(file: string, start: number, end: number): Promise<Uint8Array> {
    const part = this.#bytes(file)?.slice(start, end) ?? new Uint8Array();
    this.read += part.length;
    return Promise.resolve(new Uint8Array(part));
  }

  async *pieces(file: string): AsyncGenerator<string> {
    const text = await Promise.resolve(Buffer.from(this.#bytes(file) ?? []).toString());
    for (let at = 0; at < text.length; at += this.#piece) {
      const piece = text.slice(at, at + this.#piece);
      this.read += Buffer.byteLength(piece);
      yield piece;
    }
  }

  decode(bytes: Uint8Array): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  }

  #bytes(file: string): Uint8Array | undefined {
    const content = this.#files[file];
    return typeof content === 'string' ? Buffer.from(content) : content;
  }
}

export const noHub: DataSetHub = {
  isId: (text) => /^[\w.-]+(?:\/[\w.-]+)?$/.test(text),
  open: () => Promise.reject(new Error('the hub was asked')),
};

export interface Place {
  /** `dataset_path`; relative ones start from `/project`. */
  readonly path: string;
  readonly split?: string;
  /** By absolute path. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly piece?: number;
}

/** A source of `huggingface_dat_repo` whose training split is the one given. */
export async function dataSetSource({ path: place, split = 'train', files, piece }: Place): Promise<{
  source: TaskSource;
  parts: CountedParts;
}> {
  const { config } = await composeText(`ajet:
  task_reader:
    type: huggingface_dat_repo
    huggingface_dat_repo:
      dataset_path: ${JSON.stringify(place)}
      training_split: ${JSON.stringify(split)}
`);
  const parts = new CountedParts(files, piece);
  const texts = Object.fromEntries(
    Object.entries(files).map(([file, content]) => [file, typeof content === 'string' ? content : '']),
  );
  const source: TaskSource = {
    config,
    split: 'training',
    files: { ...memoryFiles(texts), lines: (file) => linesOf(texts[file] ?? '') } satisfies FileReader,
    resolveFile: (file) => Promise.resolve(path.posix.resolve('/project', file)),
    ...unasked,
    dataSets: { parts, hub: noHub },
  };
  return { source, parts };
}

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* await Promise.resolve(text.split(/\r?\n/));
}
