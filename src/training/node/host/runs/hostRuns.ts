import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Disposable } from '../../../../base/core/disposable.ts';
import { toReport } from '../../../../base/core/errors.ts';
import { Emitter } from '../../../../base/core/event.ts';
import { type EffectiveConfig, runId, type RunOrder, type RunRecord } from '../../../core/protocol/runs.ts';
import type { EventReader, HostRuns } from '../../../core/contracts.ts';
import {
  badJobFolder,
  folderShared,
  noConfig,
  noRun,
  noSnapshot,
  runActive,
  runNeeded,
} from '../../../core/runs/failures.ts';
import { rayUse, planQueue, rayClaims, type RayClaims } from '../../../core/runs/queue.ts';
import type { OtherRuns } from '../../../core/launch/preflight.ts';
import { asDiskFull } from '../sync/contentStore.ts';
import { RecentProcesses } from './family.ts';
import { FoldersInUse } from './foldersInUse.ts';
import { jobPlace, type JobPlace } from './jobFolder.ts';
import { KnownRun } from './knownRun.ts';
import { removeCheckpoints } from './removal.ts';
import type { Run, RunContext } from './run.ts';
import { RunFolder, type StoredRun } from './runFolder.ts';

export interface HostRunsOptions extends Omit<
  RunContext,
  'recordOf' | 'takeJobFolder' | 'stop' | 'processes'
> {
  /** Runs are in its `runs/`. */
  readonly dataFolder: string;
  /** Of the user that the host runs as; default that of the process's. */
  readonly home?: string;
  /** Milliseconds after INT, TERM and KILL; default 20,000, 10,000 and 5,000. */
  readonly stop?: RunContext['stop'];
  /** Milliseconds between two looks at what runs; default 250. */
  readonly interval?: number;
  /** Milliseconds between two looks at all processes, for those that belong to runs; default 3,000. */
  readonly familyInterval?: number;
  /** Milliseconds between two looks at GPUs that are waited for; default 5,000. */
  readonly gpuInterval?: number;
}

/** Takes over what an earlier host has left, and starts what waits. */
export async function openHostRuns(options: HostRunsOptions): Promise<NodeHostRuns> {
  const folder = path.join(options.dataFolder, 'runs');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const runs = new NodeHostRuns(folder, options);
  await runs.load();
  return runs;
}

/** Milliseconds between two tellings of a record in which nothing but numbers has changed. */
const tellInterval = 500;

/** The runs of this machine. They go on when it is closed, and when its process is killed. */
export class NodeHostRuns implements HostRuns {
  readonly #folder: string;
  readonly #options: HostRunsOptions;
  readonly #context: RunContext;
  readonly #runs = new Map<string, KnownRun>();
  /** By owner and key of the request; a run that is being made counts, and one that was removed. */
  readonly #asked = new Map<string, Promise<KnownRun>>();
  /** Those that are being removed: killed meanwhile, the next host has them again. */
  readonly #leaving = new Set<KnownRun>();
  readonly #folders = new FoldersInUse((run) => this.#runs.get(run)?.record);
  readonly #changed = new Emitter<RunRecord>();
  readonly onChanged = this.#changed.event;
  readonly #removed = new Emitter<string>();
  readonly onRemoved = this.#removed.event;
  #timer: Disposable | undefined;
  #newest = 0;
  #isOneUnreadable = false;
  /** GPUs that were ever seen at once. */
  #most = 0;
  #scheduling: Promise<void> | undefined;
  #isAskedAgain = false;
  #lookedAt = -Infinity;
  #isClosed = false;

  constructor(folder: string, options: HostRunsOptions) {
    const stop = options.stop ?? { interrupt: 20_000, terminate: 10_000, kill: 5_000 };
    this.#folder = folder;
    this.#options = options;
    const recordOf = (run: string): RunRecord | undefined => this.#runs.get(run)?.record;
    const takeJobFolder: RunContext['takeJobFolder'] = (run, folder, use = 'alone') => {
      const place = this.placeOf(run, folder);
      if (place.kind === 'refused') throw badJobFolder(folder, place.problem);
      this.#folders.claim(run, folder, use);
    };
    const processes = new RecentProcesses(options.clock, options.familyInterval);
    this.#context = { ...options, stop, processes, recordOf, takeJobFolder };
  }

  /** Once, before all else. */
  async load(): Promise<void> {
    const found: { readonly folder: RunFolder; readonly stored: StoredRun }[] = [];
    for (const name of await readdir(this.#folder)) {
      const folder = new RunFolder(path.join(this.#folder, name));
      if (!runId.safeParse(name).success) {
        if (name.endsWith(removedEnding)) await rm(folder.path, { recursive: true, force: true });
        continue;
      }
      const stored = await folder.readRecord();
      if (stored !== undefined) found.push({ folder, stored });
      else await this.#withoutRecord(folder);
    }
    found.sort((a, b) => a.stored.createdAt - b.stored.createdAt);
    for (const { folder, stored } of found) {
      this.#newest = Math.max(this.#newest, stored.createdAt);
      const known = await KnownRun.open(this.#context, folder, stored);
      this.#know(known);
      if (stored.key !== undefined) {
        this.#asked.set(requestOf(stored.owner, stored.key), Promise.resolve(known));
      }
    }
    for (const { run, record } of this.#runs.values()) {
      if (run === undefined) continue;
      const folder = record.jobFolder ?? this.#folders.resumedBy(record.from);
      // They have it already: what else there is in it has been judged when they took it.
      if (folder !== undefined) this.#folders.claim(record.id, folder, 'beside');
      void run.adopt();
    }
    // Who looks at a run before it is taken over does not know of its logs.
    const { clock, interval = 250 } = this.#options;
    this.#timer = clock.every(interval, () => this.#tick());
    this.#schedule();
  }

  async start(order: RunOrder, owner: string, key?: string): Promise<RunRecord> {
    const request = key === undefined ? undefined : requestOf(owner, key);
    const before = request === undefined ? undefined : this.#asked.get(request);
    if (before !== undefined) return this.get((await before).record.id);
    const made = this.#make(order, owner, key);
    if (request !== undefined) {
      this.#asked.set(request, made);
      made.catch(() => this.#asked.delete(request));
    }
    return (await made).record;
  }

  async #make(order: RunOrder, owner: string, key: string | undefined): Promise<KnownRun> {
    const source = order.from && this.#known(order.from.run);
    const lineage = source === undefined ? [] : [source.record.id, ...source.lineage];
    if (!(await this.#options.sync.has(order.snapshot))) throw noSnapshot(order.snapshot);
    const createdAt = Math.max(this.#options.clock.now(), this.#newest + 1);
    this.#newest = createdAt;
    const id = newId(createdAt);
    this.#folders.resume(id, order.from);
    try {
      return await this.#madeAs(id, createdAt, order, { owner, key, lineage });
    } catch (error) {
      this.#folders.release(id);
      throw error;
    }
  }

  async #madeAs(
    id: string,
    createdAt: number,
    order: RunOrder,
    { owner, key, lineage }: { owner: string; key: string | undefined; lineage: string[] },
  ): Promise<KnownRun> {
    const folder = new RunFolder(path.join(this.#folder, id));
    const { env, ...rest } = order;
    const stored: StoredRun = {
      ...unstarted,
      ...{ id, owner, createdAt, lineage },
      ...(key !== undefined && { key }),
      order: { ...rest, env: Object.keys(env) },
    };
    let known: KnownRun | undefined;
    try {
      await folder.create();
      await folder.writeValues(env);
      known = await KnownRun.open(this.#context, folder, stored);
      // From here on it is there, whatever becomes of this process.
      await folder.writeRecord(stored);
    } catch (error) {
      await known?.close();
      await rm(folder.path, { recursive: true, force: true });
      throw asDiskFull(error);
    }
    // Whoever asked for it does not wait until there is room on the disk for events.
    void known.run?.events.append([{ type: 'state', state: 'queued' }]);
    this.#know(known);
    this.#tell(known);
    this.#schedule();
    return known;
  }

  /** Those that runs have, ended or not; undefined: there is a run of which that cannot be told. */
  snapshots(): ReadonlySet<string> | undefined {
    if (this.#isOneUnreadable) return undefined;
    return new Set([...this.#runs.values(), ...this.#leaving].map(({ record }) => record.snapshot));
  }

  list(): readonly RunRecord[] {
    return [...this.#runs.values()].map(({ record }) => record);
  }

  get(run: string): RunRecord {
    return this.#known(run).record;
  }

  /** What it was started with. Rejects with `host/no-config` where none is kept. */
  async effectiveConfig(run: string): Promise<EffectiveConfig> {
    const { folder, record } = this.#known(run);
    const text = await folder.readEffectiveConfig();
    if (text === undefined) throw noConfig(record);
    return { text };
  }

  /** For the preflight of an order. */
  readonly beside: OtherRuns = {
    userOf: ({ from }, folder) => this.#folders.userFor(from, folder),
    rayHolder: () => this.#rays().holder,
  };

  /** What a folder is to a run, by its path alone. @param folder absolute */
  placeOf(run: string, folder: string): JobPlace {
    const runs = new Set([run]);
    for (const one of runs) {
      for (const from of this.#runs.get(one)?.lineage ?? []) runs.add(from);
    }
    const { dataFolder, home = os.homedir() } = this.#options;
    return jobPlace(folder, [...runs], { dataFolder, home });
  }

  async cancel(run: string, by: string): Promise<RunRecord> {
    const known = this.#known(run);
    await known.run?.cancel(by);
    return known.record;
  }

  async remove(run: string, { checkpoints }: { readonly checkpoints: boolean }): Promise<void> {
    const known = this.#known(run);
    // Its end is told before it is on the disk.
    if (known.run?.isFinal === true) await known.run.tick();
    if (known.run !== undefined) throw runActive(run);
    const { jobFolder, stages } = known.record;
    const others = [...this.#runs.values()].filter((other) => other !== known);
    const unstarted = others.find(({ record: { from, state } }) => {
      return from?.run === run && (state === 'queued' || state === 'preparing');
    });
    if (unstarted !== undefined) throw runNeeded(run, unstarted.record.id);
    const sharing = others.find(({ record }) => record.jobFolder === jobFolder);
    if (checkpoints && jobFolder !== null && sharing !== undefined) {
      throw folderShared(run, sharing.record.id);
    }
    const isItsOwn = jobFolder !== null && this.placeOf(run, jobFolder).kind !== 'refused';
    this.#runs.delete(run);
    this.#leaving.add(known);
    try {
      await known.close();
      if (checkpoints && isItsOwn) await removeCheckpoints(jobFolder, stages);
      await known.folder.remove(checkpoints ? undefined : (jobFolder ?? undefined), removedEnding);
      this.#leaving.delete(known);
    } finally {
      // Whatever is left of it on the disk.
      this.#removed.fire(run);
    }
  }

  follow(run: string, after: number, sources?: readonly string[]): EventReader {
    return this.#known(run).follow(after, sources);
  }

  /** The runs go on; the next host takes them over. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.dispose();
    await this.#scheduling;
    await Promise.all([...this.#runs.values()].map((known) => known.close()));
    this.#changed.dispose();
    this.#removed.dispose();
  }

  #known(run: string): KnownRun {
    const known = this.#runs.get(run);
    if (known === undefined) throw noRun(run);
    return known;
  }

  #know(known: KnownRun): void {
    this.#runs.set(known.record.id, known);
    known.run?.onChanged(() => this.#tell(known));
  }

  /** One whose order nobody was answered, or whose checkpoints alone were kept: its variables may not stay. */
  async #withoutRecord(folder: RunFolder): Promise<void> {
    if (await folder.hasRecord()) {
      this.#isOneUnreadable = true;
      this.#options.logger.log('error', `The record of the run in ${folder.path} cannot be read.`);
    } else {
      await folder.forgetValues();
    }
  }

  #tell(known: KnownRun): void {
    if (this.#isClosed) return;
    const isSettled = known.run?.isSettled === true;
    const record = known.changed(this.#options.clock.monotonic(), isSettled ? 0 : tellInterval);
    if (record !== undefined) this.#changed.fire(record);
    if (!isSettled) return;
    known.settle();
    this.#folders.release(known.record.id);
    this.#schedule();
  }

  #tick(): void {
    let isAnybodyWaiting = false;
    for (const known of this.#runs.values()) {
      void known.run?.tick();
      isAnybodyWaiting ||= known.run?.isWaiting === true;
    }
    const { clock, gpuInterval = 5_000 } = this.#options;
    if (isAnybodyWaiting && clock.monotonic() - this.#lookedAt >= gpuInterval) this.#schedule();
  }

  #schedule(): void {
    if (this.#isClosed) return;
    if (this.#scheduling !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    this.#lookedAt = this.#options.clock.monotonic();
    const failed = (error: unknown): void => {
      this.#options.logger.log('error', `The queue: ${toReport(error, 'host/queue').message}`);
    };
    const done = this.#startThose().catch(failed);
    this.#scheduling = done.finally(() => {
      this.#scheduling = undefined;
      if (!this.#isAskedAgain) return;
      this.#isAskedAgain = false;
      this.#schedule();
    });
  }

  #rays(): RayClaims {
    const going = [...this.#runs.values()].filter(({ run }) => run?.isFinal === false && !run.isWaiting);
    return rayClaims(
      going.map(({ record }) => record),
      this.#options.env['RAY_ADDRESS'],
    );
  }

  async #startThose(): Promise<void> {
    const waiting = (): Run[] =>
      [...this.#runs.values()].flatMap(({ run }) => (run?.isWaiting === true ? [run] : []));
    const wantsGpus = waiting().some(({ wantedGpus }) => wantedGpus > 0);
    const gpus = wantsGpus ? await this.#options.launch.gpus() : [];
    if (this.#isClosed) return;
    this.#most = Math.max(this.#most, gpus?.length ?? 0);
    const runs = new Map(waiting().map((run) => [run.id, run]));
    const address = this.#options.env['RAY_ADDRESS'];
    const taken = new Set([...this.#runs.values()].flatMap(({ run }) => run?.devices ?? []));
    const queue = [...runs.values()]
      // One that came while the GPUs were asked for waits for the next look.
      .filter(({ wantedGpus }) => wantsGpus || wantedGpus === 0)
      .map(({ id, wantedGpus, record }) => ({ id, gpus: wantedGpus, ray: rayUse(record, address) }));
    const plan = planQueue(queue, gpus, taken, this.#most, this.#rays());
    for (const { id, reason } of plan.wait) runs.get(id)?.waits(reason);
    for (const { id, reason } of plan.fail) void runs.get(id)?.refuse(reason);
    for (const { id, devices } of plan.start) void runs.get(id)?.start(devices);
  }
}

function requestOf(owner: string, key: string): string {
  return `${key} ${owner}`;
}

const removedEnding = '.removed';

const unstarted = {
  devices: [],
  startedAt: null,
  endedAt: null,
  jobFolder: null,
  totalSteps: null,
  launched: false,
  before: { logs: {}, step: null },
  secrets: null,
  cancelledBy: null,
  final: null,
};

/** `20260314-092653-5f3a9c`: the time in UTC, and what tells runs of one second apart. */
function newId(at: number): string {
  const [date = '', time = ''] = new Date(at).toISOString().split('T');
  const clock = time.slice(0, 8).replaceAll(':', '');
  return `${date.replaceAll('-', '')}-${clock}-${randomBytes(3).toString('hex')}`;
}
