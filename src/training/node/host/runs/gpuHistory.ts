import { constants } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Disposable } from '../../../../base/core/disposable.ts';
import { toReport } from '../../../../base/core/errors.ts';
import type { Clock, Logger } from '../../../../base/core/ports.ts';
import { gpuSample, type GpuSample, type RunRecord } from '../../../core/protocol/runs.ts';
import type { GpuReading } from '../../../core/launch/nvidiaSmi.ts';
import { completeSamples, addGpuSample } from '../../../core/runs/gpuSampling.ts';
import { parseJson } from '../../../../base/core/parseJson.ts';
import { writeFileAtomic } from '../../../../base/node/atomicFile.ts';
import { readRegular } from '../../../../base/node/regularFile.ts';

export interface GpuHistoryOptions {
  readonly runs: { list(): readonly RunRecord[]; get(run: string): RunRecord };
  readonly folderOf: (run: string) => string;
  /** Returns the GPUs. Null: the driver does not answer. */
  readonly gpus: () => Promise<readonly GpuReading[] | null>;
  readonly clock: Pick<Clock, 'now' | 'every'>;
  readonly logger: Logger;
}

/** Milliseconds between two samples. */
const interval = 15_000;
const fileName = 'gpus.ndjson';
/** A pipe in place of the file is an error, and not waited for. */
const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

/**
 * Records the GPU use of active runs in a file in each run folder. It is separate from the events, which other
 * versions must be able to read.
 * {@link addGpuSample} limits the number of samples. A kill loses the samples that are not complete yet.
 */
export class GpuHistory {
  readonly #options: GpuHistoryOptions;
  readonly #known = new Map<string, GpuSample[]>();
  readonly #timer: Disposable;
  #work: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: GpuHistoryOptions) {
    this.#options = options;
    this.#timer = options.clock.every(interval, () => {
      if (this.#isClosed) return;
      this.#work ??= this.#look()
        .catch((error: unknown) => {
          const { message } = toReport(error, 'host/gpus');
          options.logger.log('warn', `Cannot write the GPU load of runs: ${message}`);
        })
        .finally(() => (this.#work = undefined));
    });
  }

  /** Returns the samples in order of time. Rejects with `host/no-run`. */
  async of(run: string): Promise<readonly GpuSample[]> {
    this.#options.runs.get(run);
    return this.#known.get(run) ?? (await this.#read(run));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer.dispose();
    await this.#work;
  }

  async #look(): Promise<void> {
    const { runs, gpus, clock } = this.#options;
    const active = runs.list().filter(({ state, devices }) => going.includes(state) && devices.length > 0);
    const ids = new Set(active.map(({ id }) => id));
    for (const run of this.#known.keys()) if (!ids.has(run)) this.#known.delete(run);
    if (active.length === 0) return;
    const found = await gpus();
    for (const { id, devices } of active) {
      const readings = (found ?? [])
        .filter(({ index, load, used }) => devices.includes(index) && (load !== null || used !== null))
        .map(({ index, load, used, memory }) => ({ index, load, used, memory }));
      if (readings.length > 0) await this.#add(id, { at: clock.now(), looks: 1, gpus: readings });
    }
  }

  async #add(run: string, look: GpuSample): Promise<void> {
    const before = this.#known.get(run) ?? (await this.#read(run));
    const after = addGpuSample(before, look);
    this.#known.set(run, after);
    const whole = completeSamples(after);
    const last = whole.at(-1);
    if (after.length < before.length) await writeFileAtomic(this.#file(run), whole.map(lineOf).join(''));
    else if (last !== undefined && last === after.at(-1)) {
      await writeFile(this.#file(run), lineOf(last), { mode: 0o600, flag: appending });
    }
  }

  async #read(run: string): Promise<GpuSample[]> {
    const text = String(await readRegular(this.#file(run)).catch(() => ''));
    // A line can be partial or empty.
    return text.split('\n').flatMap((line) => gpuSample.safeParse(parseJson(line)).data ?? []);
  }

  #file(run: string): string {
    return path.join(this.#options.folderOf(run), fileName);
  }
}

const going: readonly RunRecord['state'][] = ['running', 'cancelling'];

/** Starts with a line break, which ends a partial line of an earlier host. */
function lineOf(sample: GpuSample): string {
  return `\n${JSON.stringify(sample)}`;
}
