/** Reads the folder of a training on this machine while it grows. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { CodedError, hasCode, messageOf } from '../../base/core/errors.ts';
import { isRecord } from '../../base/core/isRecord.ts';
import { parseJson } from '../../base/core/parseJson.ts';
import { openRegular } from '../../base/node/regularFile.ts';
import {
  metricsLine,
  trainingFiles,
  trainingState,
  type MetricsLine,
  type TrainingState,
} from '../../backbone/core/trainer/trainerPorts.ts';
import { isWriterAlive } from '../../traces/node/store/writerProcess.ts';

export interface FolderReading {
  readonly state: TrainingState;
  /** The time of the last change of the state. */
  readonly savedAt: number;
  /** True if the process that wrote the state lives. */
  readonly isAlive: boolean;
  /** The names of the traces, without the extension, in order of their steps. */
  readonly traces: readonly string[];
  /** The metrics that are new since the last reading. */
  readonly lines: readonly MetricsLine[];
  /** True if `lines` are all metrics, because the training was resumed at an earlier step. */
  readonly isRewound: boolean;
}

const mostOfState = 16 * 2 ** 20;
/** Bytes of metrics that one reading takes. The next reading continues. */
const mostOfMetrics = 16 * 2 ** 20;

export class FolderReader {
  readonly #folder: string;
  /** The file of metrics that was read last, and the bytes of its complete lines. */
  #metrics = { id: '', offset: 0 };

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Rejects with `training/no-folder` if there is no training, and with `training/unreadable` if it cannot be read. */
  async read(): Promise<FolderReading> {
    try {
      return {
        ...(await this.#readState()),
        ...(await this.#readMetrics()),
        traces: await this.#readTraces(),
      };
    } catch (error) {
      throw error instanceof CodedError ? error : unreadable(this.#folder, error);
    }
  }

  async #readState(): Promise<Pick<FolderReading, 'state' | 'savedAt' | 'isAlive'>> {
    const file = path.join(this.#folder, trainingFiles.state);
    const handle = await openRegular(file, { maxBytes: mostOfState });
    try {
      const { mtimeMs } = await handle.stat();
      const state = trainingState.safeParse(parseJson(await handle.readFile('utf8')));
      if (!state.success) throw damaged(file);
      return { state: state.data, savedAt: mtimeMs, isAlive: isWriterAlive(state.data.writer, mtimeMs) };
    } finally {
      await handle.close();
    }
  }

  async #readMetrics(): Promise<Pick<FolderReading, 'lines' | 'isRewound'>> {
    const file = path.join(this.#folder, trainingFiles.metrics);
    const handle = await openRegular(file).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return undefined; // no step is complete
      throw error;
    });
    if (handle === undefined) return { lines: [], isRewound: false };
    try {
      const { ino, size } = await handle.stat();
      const before = this.#metrics;
      // A training that continues replaces the file.
      const isRewound = before.offset > size || (before.id !== '' && before.id !== String(ino));
      const offset = isRewound ? 0 : before.offset;
      const bytes = Buffer.alloc(Math.min(size - offset, mostOfMetrics));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, offset);
      // The last line may still be written.
      const end = bytes.subarray(0, bytesRead).lastIndexOf('\n') + 1;
      this.#metrics = { id: String(ino), offset: offset + end };
      const text = bytes.toString('utf8', 0, end);
      return { lines: text.split('\n').flatMap((line) => lineOf(line) ?? []), isRewound };
    } finally {
      await handle.close();
    }
  }

  async #readTraces(): Promise<readonly string[]> {
    const names = await readdir(path.join(this.#folder, trainingFiles.traces)).catch(() => []);
    const found = names.flatMap((name) => {
      const [, trace, step] = /^((?:step|validation)-(\d{1,9}))\.ajtrace$/.exec(name) ?? [];
      return trace === undefined ? [] : [{ trace, step: Number(step) }];
    });
    return found.sort((a, b) => a.step - b.step || (a.trace < b.trace ? -1 : 1)).map(({ trace }) => trace);
  }
}

/** Returns undefined for a line that is not a line of metrics. JSON has null for a number that is not finite. */
function lineOf(text: string): MetricsLine | undefined {
  const value = parseJson(text);
  if (!isRecord(value) || !isRecord(value['values'])) return undefined;
  const values = Object.entries(value['values']).filter(([, one]) => Number.isFinite(one));
  return metricsLine.safeParse({ ...value, values: Object.fromEntries(values) }).data;
}

function unreadable(folder: string, cause: unknown): CodedError {
  const isGone = hasCode(cause, 'ENOENT') || hasCode(cause, 'ENOTDIR');
  return new CodedError({
    code: isGone ? 'training/no-folder' : 'training/unreadable',
    message: `The training in ${folder} cannot be read: ${messageOf(cause)}.`,
    hint: `Select the folder of a training run, which has a ${trainingFiles.state}.`,
    cause,
  });
}

function damaged(file: string): CodedError {
  return new CodedError({
    code: 'training/unreadable',
    message: `${file} is damaged.`,
    hint: 'Start a new training. The checkpoints are still on the server.',
  });
}
