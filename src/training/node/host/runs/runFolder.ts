import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { Buffer } from 'node:buffer';
import { createHmac, randomBytes } from 'node:crypto';
import {
  runBackbones,
  runLaunchers,
  runOrder,
  runRecord,
  tinkerService,
  type RunOrder,
} from '../../../core/protocol/runs.ts';
import {
  secretMarks,
  LogRedactor,
  marksOf,
  secretsIn,
  type Digest,
  type SecretMarks,
} from '../../../core/runs/secrets.ts';
import { hasCode } from '../../../../base/core/errors.ts';
import { readJson, writeFileAtomic } from '../../../../base/node/atomicFile.ts';
import { readRegular } from '../../../../base/node/regularFile.ts';
import { runErrors } from '../../../core/runs/failures.ts';
import { raySpecFile } from '../ray/raySpec.ts';
import { jobLayout } from './jobFolder.ts';
import { keeperFiles, keptExit, writeNote, type KeeperOrder, type NotedExit } from './keeper.ts';
import { markedProcesses, notedProcess, type NotedProcess } from './processes.ts';

const digest: Digest = (salt, text) => createHmac('sha256', salt).update(text).digest('hex');

/** Returns marks of the secrets in variables and of `others`, from which the secrets cannot be read. */
export function marksOfSecrets(
  env: Readonly<Record<string, string | undefined>>,
  others: readonly string[] = [],
): SecretMarks {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return marksOf([...secretsIn(env), ...others], randomBytes(16).toString('hex'), digest, base64);
}

export function redactorOf(marks: SecretMarks | null): LogRedactor {
  return new LogRedactor(marks ?? { salt: '', starts: [], digests: [] }, digest);
}

/** The record of a run in its folder. It has only the names of the variables. */
const storedRun = z.extend(jobLayout, {
  id: z.string(),
  owner: z.string(),
  key: z.optional(z.string()),
  createdAt: z.number(),
  order: z.extend(z.omit(runOrder, { env: true }), {
    name: z.string(),
    env: z.array(z.string()),
    launcher: z.enum(runLaunchers),
    backbone: z.enum(runBackbones),
    config: z.string(),
  }),
  /** The port of loopback; null: it has not been prepared. */
  tinker: z.optional(z.extend(tinkerService, { port: z.nullable(z.int()) })),
  /** The runs that it continues from, nearest first, including removed ones. */
  lineage: z.optional(z.array(z.string())),
  devices: z.array(z.int()),
  startedAt: z.nullable(z.number()),
  endedAt: z.nullable(z.number()),
  totalSteps: z.nullable(z.int()),
  /** True if its keeper was started, or was about to be. */
  launched: z.boolean(),
  secrets: z.nullable(secretMarks),
  cancelledBy: z.nullable(z.string()),
  final: z.nullable(runRecord),
});
export type StoredRun = z.infer<typeof storedRun>;

const names = {
  record: 'run.json',
  /** A copy of the record, which is written first. */
  copy: 'run.copy.json',
  values: 'order.json',
  family: 'family.json',
  code: 'code',
  effective: 'effective.yaml',
} as const;
const values = z.record(z.string(), z.string());
const family = z.array(notedProcess);

export class RunFolder {
  readonly path: string;
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: string) {
    this.path = folder;
  }

  get id(): string {
    return path.basename(this.path);
  }

  /** The folder of the snapshot, in which the launcher starts. */
  get code(): string {
    return this.#in(names.code);
  }

  get log(): string {
    return this.#in(keeperFiles.log);
  }

  get keeperOrder(): string {
    return this.#in(keeperFiles.order);
  }

  /** Creates the folder. Rejects if it exists. */
  async create(): Promise<void> {
    await mkdir(this.path, { mode: 0o700 });
  }

  /**
   * Reads the record, or its copy if the record is damaged. Undefined: the run was never confirmed. Rejects with
   * `host/record-unreadable`.
   */
  async readRecord(): Promise<StoredRun | undefined> {
    try {
      return await this.#readWhole(names.record);
    } catch (cause) {
      if (hasCode(cause, 'ENOENT') && markedProcesses(this.id, undefined).length === 0) return undefined;
      return this.#readWhole(names.copy).catch(() => {
        throw runErrors.recordUnreadable(this.#in(names.record), cause);
      });
    }
  }

  async #readWhole(name: string): Promise<StoredRun> {
    return z.parse(storedRun, JSON.parse((await readRegular(this.#in(name))).toString('utf8')));
  }

  /** Writes are serialized, so that the last one wins. */
  writeRecord(record: StoredRun): Promise<void> {
    const written = this.#writing.then(async () => {
      await this.#write(names.copy, record);
      await this.#write(names.record, record);
    });
    this.#writing = written.catch(() => undefined); // the caller gets the error
    return written;
  }

  /** Returns the values of the variables until the run has started. */
  async readValues(): Promise<RunOrder['env']> {
    return (await this.#read(names.values, values)) ?? {};
  }

  writeValues(env: RunOrder['env']): Promise<void> {
    return this.#write(names.values, env);
  }

  async forgetValues(): Promise<void> {
    await this.#remove(names.values, keeperFiles.order);
  }

  /** Removes the files that only the start needs. */
  async forgetOrder(): Promise<void> {
    await this.forgetValues();
    await rm(raySpecFile(this.path), { force: true });
  }

  writeKeeperOrder(order: KeeperOrder): Promise<void> {
    return this.#write(keeperFiles.order, order);
  }

  async writeEffectiveConfig(text: string): Promise<void> {
    await writeFileAtomic(this.#in(names.effective), text);
  }

  /** Undefined: the run has not started, or an earlier version of the host kept no config. */
  async readEffectiveConfig(): Promise<string | undefined> {
    return readRegular(this.#in(names.effective)).then(
      (bytes) => bytes.toString('utf8'),
      () => undefined,
    );
  }

  async emptyCode(): Promise<string> {
    await rm(this.code, { recursive: true, force: true });
    await mkdir(this.code, { mode: 0o700 });
    return this.code;
  }

  keeper(): Promise<NotedProcess | undefined> {
    return this.#read(keeperFiles.keeper, notedProcess);
  }

  launcher(): Promise<NotedProcess | undefined> {
    return this.#read(keeperFiles.launcher, notedProcess);
  }

  async family(): Promise<NotedProcess[]> {
    return (await this.#read(names.family, family)) ?? [];
  }

  writeFamily(processes: readonly NotedProcess[]): Promise<void> {
    return this.#write(names.family, processes);
  }

  /** The note of the keeper goes last: without it the next host starts a new one. */
  async replaceProcesses(order: KeeperOrder): Promise<void> {
    await this.writeKeeperOrder(order);
    await this.#remove(keeperFiles.exit, keeperFiles.launcher, keeperFiles.keeper);
  }

  exit(): Promise<NotedExit | undefined> {
    return this.#read(keeperFiles.exit, keptExit);
  }

  /** Removes all but `kept` (absolute). The folder is renamed first, so that a later host can finish the removal. */
  async remove(kept: string | undefined, ending: string): Promise<void> {
    const isInside = kept?.startsWith(this.path + path.sep) === true;
    if (isInside && (await stat(kept).catch(() => undefined))?.isDirectory() === true) {
      await removeAllBut(this.path, kept);
      return;
    }
    const going = `${this.path}${ending}`;
    await rename(this.path, going);
    await rm(going, { recursive: true, force: true, maxRetries: 3 });
  }

  #in(name: string): string {
    return path.join(this.path, name);
  }

  async #read<T>(name: string, schema: z.ZodMiniType<T>): Promise<T | undefined> {
    return schema.safeParse(await readJson(this.#in(name))).data;
  }

  #write(name: string, value: unknown): Promise<void> {
    return writeNote(this.#in(name), value);
  }

  async #remove(...files: readonly string[]): Promise<void> {
    for (const name of files) await rm(this.#in(name), { force: true });
  }
}

/** Removes all but a folder. The record goes first, and without it the run does not exist. */
async function removeAllBut(folder: string, kept: string): Promise<void> {
  if (kept === folder) return;
  if (!kept.startsWith(folder + path.sep)) {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    return;
  }
  for (const name of await readdir(folder)) await removeAllBut(path.join(folder, name), kept);
}
