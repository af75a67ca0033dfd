import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { runOrder, runRecord, runStage, type RunOrder } from '../../../core/protocol/runs.ts';
import type { RunExit } from '../../../core/runs/outcome.ts';
import { secretMarks } from '../../../core/runs/secrets.ts';
import { readJson, writeFileAtomic } from '../../../../base/node/atomicFile.ts';
import { raySpecFile } from '../ray/raySpec.ts';
import { keeperFiles, keptExit, type KeeperOrder } from './keeper.ts';
import { notedProcess, type NotedProcess } from './processes.ts';

/** What a host keeps of a run besides its events. Of the order's variables it has the names alone. */
const storedRun = z.object({
  id: z.string(),
  owner: z.string(),
  /** Of the request that started it. */
  key: z.optional(z.string()),
  createdAt: z.number(),
  order: z.extend(z.omit(runOrder, { env: true }), { env: z.array(z.string()) }),
  /** The run that it goes on from, the one that that goes on from, and so on: also of those that are removed since. */
  lineage: z.optional(z.array(z.string())),
  devices: z.array(z.int()),
  startedAt: z.nullable(z.number()),
  endedAt: z.nullable(z.number()),
  jobFolder: z.nullable(z.string()),
  totalSteps: z.nullable(z.int()),
  /** Of a training that has several. */
  stages: z.optional(z.array(runStage)),
  /** Its keeper was told to start, or was about to be. */
  launched: z.boolean(),
  before: z.object({
    logs: z.record(z.string(), z.int()),
    step: z.nullable(z.int()),
    stages: z.optional(z.record(z.string(), z.nullable(z.int()))),
  }),
  /** By what the values of its secrets are known again in its logs. */
  secrets: z.nullable(secretMarks),
  cancelledBy: z.nullable(z.string()),
  /** What is told of it once it has ended. */
  final: z.nullable(runRecord),
});
export type StoredRun = z.infer<typeof storedRun>;

const names = {
  record: 'run.json',
  values: 'order.json',
  family: 'family.json',
  code: 'code',
  effective: 'effective.yaml',
} as const;
const values = z.record(z.string(), z.string());
const family = z.array(notedProcess);

/** The files of one run. */
export class RunFolder {
  readonly path: string;
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: string) {
    this.path = folder;
  }

  /** The run that it is named for. */
  get id(): string {
    return path.basename(this.path);
  }

  /** Where the snapshot's files are; the launcher's working folder. */
  get code(): string {
    return path.join(this.path, names.code);
  }

  get log(): string {
    return path.join(this.path, keeperFiles.log);
  }

  get keeperOrder(): string {
    return path.join(this.path, keeperFiles.order);
  }

  /** A new one; rejects where it is there. */
  async create(): Promise<void> {
    await mkdir(this.path, { mode: 0o700 });
  }

  /** Undefined: it has none that can be read. */
  async readRecord(): Promise<StoredRun | undefined> {
    return storedRun.safeParse(await readJson(path.join(this.path, names.record))).data;
  }

  /** One after another, so that the last one told is the one that stays. */
  writeRecord(record: StoredRun): Promise<void> {
    const written = this.#writing.then(() =>
      writeFileAtomic(path.join(this.path, names.record), JSON.stringify(record)),
    );
    this.#writing = written.catch(() => undefined); // told to whoever asked for it
    return written;
  }

  /** The values of the order's variables, until it has started. */
  async readValues(): Promise<RunOrder['env']> {
    return values.safeParse(await readJson(path.join(this.path, names.values))).data ?? {};
  }

  async hasRecord(): Promise<boolean> {
    return (await readJson(path.join(this.path, names.record))) !== undefined;
  }

  async writeValues(env: RunOrder['env']): Promise<void> {
    await writeFileAtomic(path.join(this.path, names.values), JSON.stringify(env));
  }

  async forgetValues(): Promise<void> {
    await rm(path.join(this.path, names.values), { force: true });
    await rm(this.keeperOrder, { force: true });
  }

  /** All that only starting it needs, now that it has ended. */
  async forgetOrder(): Promise<void> {
    await this.forgetValues();
    await rm(raySpecFile(this.path), { force: true });
  }

  async writeKeeperOrder(order: KeeperOrder): Promise<void> {
    await writeFileAtomic(this.keeperOrder, JSON.stringify(order));
  }

  async writeEffectiveConfig(text: string): Promise<void> {
    await writeFileAtomic(path.join(this.path, names.effective), text);
  }

  /** Undefined: it was not started yet, or by a host of a version that kept none. */
  async readEffectiveConfig(): Promise<string | undefined> {
    return readFile(path.join(this.path, names.effective), 'utf8').catch(() => undefined);
  }

  async emptyCode(): Promise<string> {
    await rm(this.code, { recursive: true, force: true });
    await mkdir(this.code, { mode: 0o700 });
    return this.code;
  }

  async keeper(): Promise<NotedProcess | undefined> {
    return notedProcess.safeParse(await readJson(path.join(this.path, keeperFiles.keeper))).data;
  }

  async launcher(): Promise<NotedProcess | undefined> {
    return notedProcess.safeParse(await readJson(path.join(this.path, keeperFiles.launcher))).data;
  }

  /** Who was seen to belong to the launcher. */
  async family(): Promise<NotedProcess[]> {
    return family.safeParse(await readJson(path.join(this.path, names.family))).data ?? [];
  }

  async writeFamily(processes: readonly NotedProcess[]): Promise<void> {
    await writeFileAtomic(path.join(this.path, names.family), JSON.stringify(processes));
  }

  /** Forgets the processes that have ended. The keeper's note goes last: without it the next host starts the new one. */
  async replaceProcesses(order: KeeperOrder): Promise<void> {
    await this.writeKeeperOrder(order);
    for (const name of [keeperFiles.exit, keeperFiles.launcher, keeperFiles.keeper]) {
      await rm(path.join(this.path, name), { force: true });
    }
  }

  async exit(): Promise<(RunExit & { readonly endedAt: number }) | undefined> {
    return keptExit.safeParse(await readJson(path.join(this.path, keeperFiles.exit))).data;
  }

  /**
   * All of it but a folder inside it. It has another name meanwhile: who finds that later goes on with it.
   *
   * @param kept absolute
   */
  async remove(kept: string | undefined, ending: string): Promise<void> {
    if (kept?.startsWith(this.path + path.sep) === true && (await isFolder(kept))) {
      await removeAllBut(this.path, kept);
      return;
    }
    const going = `${this.path}${ending}`;
    await rename(this.path, going);
    await rm(going, { recursive: true, force: true, maxRetries: 3 });
  }
}

function isFolder(place: string): Promise<boolean> {
  return stat(place).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** The record goes with the first: without it there is no run any more. */
async function removeAllBut(folder: string, kept: string): Promise<void> {
  if (kept === folder) return;
  if (!kept.startsWith(folder + path.sep)) {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    return;
  }
  for (const name of await readdir(folder)) await removeAllBut(path.join(folder, name), kept);
}
