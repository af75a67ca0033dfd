import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as z from 'zod/mini';
import type { Disposable } from '../../../../base/core/disposable.ts';
import { messageOf, toReport } from '../../../../base/core/errors.ts';
import { Emitter } from '../../../../base/core/event.ts';
import { readJson, writeFileAtomic } from '../../../../base/node/atomicFile.ts';
import {
  finalStates,
  type EffectiveConfig,
  runId,
  type RunOrder,
  type RunRecord,
  type RunStage,
} from '../../../core/protocol/runs.ts';
import type { EventReader, HostRuns, TinkerRequest } from '../../../core/contracts.ts';
import { tinkerCallErrors } from '../../../core/tinker/failures.ts';
import { runErrors } from '../../../core/runs/failures.ts';
import { rayUse, planQueue, rayClaims, type RayClaims } from '../../../core/runs/queue.ts';
import type { OtherRuns } from '../../../core/launch/preflight.ts';
import { asDiskFull } from '../sync/contentStore.ts';
import { RecentProcesses } from './family.ts';
import {
  FoldersInUse,
  jobFolderAccess,
  type JobFolderAccess,
  isUpstreamEntry,
  partsOf,
} from './jobFolder.ts';
import type { HostLaunch } from '../launch/hostLaunch.ts';
import { KnownRun } from './knownRun.ts';
import type { Run, RunContext } from './run.ts';
import { RunFolder, type StoredRun } from './runFolder.ts';

export interface HostRunsOptions extends Omit<
  RunContext,
  'recordOf' | 'takeJobFolder' | 'stop' | 'processes' | 'launch'
> {
  readonly launch: RunContext['launch'] & Pick<HostLaunch, 'chooseTinker'>;
  /** The data folder, with the runs in `runs/`. */
  readonly dataFolder: string;
  /** The home folder of the user of the host, by default of this process. */
  readonly home?: string;
  /** Milliseconds after INT, TERM and KILL; by default 20,000, 10,000 and 5,000. */
  readonly stop?: RunContext['stop'];
  /** Milliseconds between two checks of the running processes; by default 250. */
  readonly interval?: number;
  /** Milliseconds between two scans of all processes; by default 3,000. */
  readonly familyInterval?: number;
  /** Milliseconds between two checks for free GPUs; by default 5,000. */
  readonly gpuInterval?: number;
}

/** Takes over the runs of an earlier host, and starts queued runs. */
export async function openHostRuns(options: HostRunsOptions): Promise<NodeHostRuns> {
  const folder = path.join(options.dataFolder, 'runs');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const runs = new NodeHostRuns(folder, options);
  await runs.load();
  return runs;
}

interface Loaded {
  readonly known: KnownRun;
  readonly stored: StoredRun | undefined;
}

/** Milliseconds between two notifications in which only numbers have changed. */
const notifyInterval = 500;

/** The runs of this machine. They continue when the host closes or is killed. */
export class NodeHostRuns implements HostRuns {
  readonly #folder: string;
  readonly #options: HostRunsOptions;
  readonly #context: RunContext;
  readonly #runs = new Map<string, KnownRun>();
  /** Ids of runs by owner and request key, including removed runs and those that are being created. */
  readonly #asked = new Map<string, Promise<string>>();
  /** Runs that are being removed. After a kill, the next host has them again. */
  readonly #leaving = new Set<KnownRun>();
  readonly #folders = new FoldersInUse((run) => this.#runs.get(run)?.record);
  readonly #changed = new Emitter<RunRecord>();
  readonly onChanged = this.#changed.event;
  readonly #removed = new Emitter<string>();
  readonly onRemoved = this.#removed.event;
  #timer: Disposable | undefined;
  /** Tinker servers are started one after the other, so that each model has one. */
  #serving: Promise<unknown> = Promise.resolve();
  #newest = 0;
  /** The largest number of GPUs seen at once. */
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
      const place = this.folderAccess(run, folder);
      if (place.kind === 'refused') throw runErrors.badJobFolder(folder, place.problem);
      this.#folders.claim(run, folder, use);
    };
    const processes = new RecentProcesses(options.clock, options.familyInterval);
    this.#context = { ...options, stop, processes, recordOf, takeJobFolder };
  }

  /** Loads the runs. Call it once, first. */
  async load(): Promise<void> {
    const found: Loaded[] = [];
    for (const name of await readdir(this.#folder)) {
      const folder = new RunFolder(path.join(this.#folder, name));
      if (!runId.safeParse(name).success) {
        if (name.endsWith(removedEnding))
          await this.#tolerantly(rm(folder.path, { recursive: true, force: true }));
        continue;
      }
      const loaded = await this.#load(folder);
      if (loaded !== undefined) found.push(loaded);
    }
    found.sort((a, b) => a.known.record.createdAt - b.known.record.createdAt);
    for (const { known, stored } of found) {
      this.#newest = Math.max(this.#newest, known.record.createdAt);
      this.#know(known);
      if (stored?.key !== undefined) {
        this.#asked.set(requestOf(stored.owner, stored.key), Promise.resolve(known.record.id));
      }
    }
    for (const [request, { run }] of Object.entries(await this.#removedRequests())) {
      this.#asked.set(request, Promise.resolve(run));
    }
    for (const { run, unreadable, record } of this.#runs.values()) {
      if (run === undefined && unreadable === undefined) continue;
      const folder = record.jobFolder ?? this.#folders.resumedBy(record.from);
      // They have the folder already. Its other content was checked when they took it.
      if (folder !== undefined) this.#folders.claim(record.id, folder, 'beside');
      void run?.adopt();
    }
    // Before the takeover, a check would not know the logs of the run.
    const { clock, interval = 250 } = this.#options;
    this.#timer = clock.every(interval, () => this.#tick());
    this.#schedule();
  }

  /** Opens a run. One that cannot be read affects no other. Undefined: it does not exist. */
  async #load(folder: RunFolder): Promise<Loaded | undefined> {
    let stored: StoredRun | undefined;
    try {
      stored = await folder.readRecord();
      if (stored !== undefined) return { known: await KnownRun.open(this.#context, folder, stored), stored };
      // The order was never confirmed, or only checkpoints were kept. The variables must not stay.
      await this.#tolerantly(folder.forgetValues());
      return undefined;
    } catch (error) {
      const known = KnownRun.unreadable(this.#context, folder, stored, error);
      this.#options.logger.log('error', `Run ${folder.id}: ${known.record.reason}`);
      return { known, stored };
    }
  }

  /** Waits for cleanup that the next host repeats if it fails. */
  #tolerantly(work: Promise<void>): Promise<void> {
    return work.catch((error: unknown) => this.#options.logger.log('warn', messageOf(error)));
  }

  start(order: RunOrder, owner: string, key?: string): Promise<RunRecord> {
    return this.#once(owner, key, () => this.#make(order, owner, key));
  }

  serve(wanted: TinkerRequest, owner: string, key: string): Promise<RunRecord> {
    return this.#once(owner, key, () => {
      const served = this.#serving.then(() => this.#serve(wanted, owner, key));
      this.#serving = served.catch(() => undefined);
      return served;
    });
  }

  async #serve(wanted: TinkerRequest, owner: string, key: string): Promise<KnownRun> {
    const { server, model, gpus } = this.#options.launch.chooseTinker(wanted);
    const active = [...this.#runs.values()].find(({ record: { tinker, state } }) => {
      return tinker?.server === server && tinker.model === model && !finalStates.includes(state);
    });
    if (active?.record.state === 'cancelling') throw tinkerCallErrors.ending(active.record.id);
    if (active !== undefined) return active;
    const order: NewOrder = {
      // A model can be a folder.
      name: model.startsWith('/') ? path.basename(model) || model : model,
      launcher: 'tinker',
      backbone: 'tinker',
      config: '',
      snapshot: emptySnapshot,
      flags: [],
      env: {},
      gpus,
    };
    return this.#make(order, owner, key, { server, model, port: null });
  }

  /** Returns the port of loopback of the Tinker server of a run. Throws `host/tinker-…` if it does not serve. */
  tinkerPort(run: string): number {
    const known = this.#known(run);
    const { tinker, state, reason } = known.record;
    if (tinker === undefined) throw tinkerCallErrors.notServer(run);
    if (finalStates.includes(state)) throw tinkerCallErrors.ended(run, reason ?? `its state is "${state}".`);
    const port = known.run?.tinkerPort ?? null;
    if (port === null) throw tinkerCallErrors.notReady(run);
    return port;
  }

  async #once(owner: string, key: string | undefined, make: () => Promise<KnownRun>): Promise<RunRecord> {
    const request = key === undefined ? undefined : requestOf(owner, key);
    const before = request === undefined ? undefined : this.#asked.get(request);
    if (before !== undefined) return this.get(await before);
    const made = make();
    if (request !== undefined) {
      const id = made.then(({ record }) => record.id);
      this.#asked.set(request, id);
      id.catch(() => this.#asked.delete(request));
    }
    return (await made).record;
  }

  async #make(
    order: NewOrder,
    owner: string,
    key: string | undefined,
    tinker?: StoredRun['tinker'],
  ): Promise<KnownRun> {
    const source = order.from && this.#known(order.from.run);
    const lineage = source === undefined ? [] : [source.record.id, ...source.lineage];
    if (tinker === undefined && !(await this.#options.sync.has(order.snapshot)))
      throw runErrors.noSnapshot(order.snapshot);
    const now = this.#options.clock.now();
    // A clock that was far ahead and is right again is not followed.
    const createdAt = this.#newest - now > mostAhead ? now : Math.max(now, this.#newest + 1);
    this.#newest = createdAt;
    const id = newId(createdAt);
    this.#folders.resume(id, order.from);
    const folder = new RunFolder(path.join(this.#folder, id));
    const { env, ...rest } = order;
    const stored: StoredRun = {
      ...unstarted,
      ...{ id, owner, createdAt, lineage },
      ...(key !== undefined && { key }),
      order: { ...rest, env: Object.keys(env) },
      ...(tinker && { tinker }),
    };
    let known: KnownRun | undefined;
    try {
      await folder.create();
      await folder.writeValues(env);
      known = await KnownRun.open(this.#context, folder, stored);
      // From here on the run exists, even if this process ends.
      await folder.writeRecord(stored);
    } catch (error) {
      this.#folders.release(id);
      await known?.close();
      await rm(folder.path, { recursive: true, force: true });
      throw asDiskFull(error);
    }
    // The caller does not wait for disk space for events.
    void known.run?.events.append([{ type: 'state', state: 'queued' }]);
    this.#know(known);
    this.#notify(known);
    this.#schedule();
    return known;
  }

  /** Returns the snapshots of all runs. Undefined: a run has an unreadable record. */
  snapshots(): ReadonlySet<string> | undefined {
    const all = [...this.#runs.values(), ...this.#leaving];
    if (all.some(({ unreadable }) => unreadable !== undefined)) return undefined;
    return new Set(all.map(({ record }) => record.snapshot));
  }

  list(): readonly RunRecord[] {
    return [...this.#runs.values()].map(({ record }) => record);
  }

  get(run: string): RunRecord {
    return this.#known(run).record;
  }

  /** Returns the effective config of a run. Rejects with `host/no-config` if there is none. */
  async effectiveConfig(run: string): Promise<EffectiveConfig> {
    const { folder, record } = this.#known(run);
    const text = await folder.readEffectiveConfig();
    if (text === undefined) throw runErrors.noConfig(record);
    return { text };
  }

  readonly beside: OtherRuns = {
    userOf: ({ from }, folder) => this.#folders.userFor(from, folder),
    rayHolder: () => this.#rays().holder,
  };

  /** Returns the access of a run to an absolute folder, by its path alone. */
  folderAccess(run: string, folder: string): JobFolderAccess {
    const runs = new Set([run]);
    for (const one of runs) {
      for (const from of this.#runs.get(one)?.lineage ?? []) runs.add(from);
    }
    const { dataFolder, home = os.homedir() } = this.#options;
    return jobFolderAccess(folder, [...runs], { dataFolder, home });
  }

  async cancel(run: string, by: string): Promise<RunRecord> {
    const known = this.#known(run);
    await (known.run ?? known.unreadable)?.cancel(by);
    return known.record;
  }

  async remove(run: string, { checkpoints }: { readonly checkpoints: boolean }): Promise<void> {
    const known = this.#known(run);
    // A run is reported as ended before its record is on the disk.
    if (known.run?.isFinal === true) await known.run.tick();
    if (known.run !== undefined || known.unreadable?.isAlive === true) throw runErrors.runActive(run);
    const { jobFolder, stages } = known.record;
    const others = [...this.#runs.values()].filter((other) => other !== known);
    const unstarted = others.find(({ record: { from, state } }) => {
      return from?.run === run && (state === 'queued' || state === 'preparing');
    });
    if (unstarted !== undefined) throw runErrors.runNeeded(run, unstarted.record.id);
    const sharing = others.find(({ record }) => record.jobFolder === jobFolder);
    if (checkpoints && jobFolder !== null && sharing !== undefined) {
      throw runErrors.folderShared(run, sharing.record.id);
    }
    const isItsOwn = jobFolder !== null && this.folderAccess(run, jobFolder).kind !== 'refused';
    this.#runs.delete(run);
    this.#leaving.add(known);
    try {
      await known.close();
      await this.#tolerantly(this.#keepRequest(run));
      if (checkpoints && isItsOwn) await removeCheckpoints(jobFolder, stages);
      await known.folder.remove(checkpoints ? undefined : (jobFolder ?? undefined), removedEnding);
      this.#leaving.delete(known);
    } finally {
      // Fired even if files remain on the disk.
      this.#removed.fire(run);
    }
  }

  /** Keeps the request of a removed run for a day, so that a client that repeats it does not start it again. */
  async #keepRequest(run: string): Promise<void> {
    const kept = await this.#removedRequests();
    for (const [request, id] of this.#asked) {
      if ((await id) === run) kept[request] = { run, at: this.#options.clock.now() };
    }
    await writeFileAtomic(path.join(this.#folder, requestsFile), JSON.stringify(kept));
  }

  async #removedRequests(): Promise<z.infer<typeof removedRequests>> {
    const read = await readJson(path.join(this.#folder, requestsFile)).catch(() => undefined);
    const now = this.#options.clock.now();
    const all = Object.entries(removedRequests.safeParse(read).data ?? {});
    return Object.fromEntries(all.filter(([, { at }]) => Math.abs(now - at) < 24 * 3_600_000));
  }

  follow(run: string, after: number, sources?: readonly string[]): EventReader {
    return this.#known(run).follow(after, sources);
  }

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
    if (known === undefined) throw runErrors.noRun(run);
    return known;
  }

  #know(known: KnownRun): void {
    this.#runs.set(known.record.id, known);
    known.run?.onChanged(() => this.#notify(known));
  }

  #notify(known: KnownRun): void {
    if (this.#isClosed) return;
    const isSettled = known.run?.isSettled === true;
    const record = known.changed(this.#options.clock.monotonic(), isSettled ? 0 : notifyInterval);
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
      if (known.unreadable?.look() === true) {
        this.#notify(known);
        this.#schedule();
      }
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
    const done = this.#startQueued().catch(failed);
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

  async #startQueued(): Promise<void> {
    const waiting = (): Run[] =>
      [...this.#runs.values()].flatMap(({ run }) => (run?.isWaiting === true ? [run] : []));
    const wantsGpus = waiting().some(({ wantedGpus }) => wantedGpus > 0);
    const gpus = wantsGpus ? await this.#options.launch.gpus() : [];
    if (this.#isClosed) return;
    this.#most = Math.max(this.#most, gpus?.length ?? 0);
    const runs = new Map(waiting().map((run) => [run.id, run]));
    const address = this.#options.env['RAY_ADDRESS'];
    const taken = new Set([...this.#runs.values()].flatMap(({ devices }) => devices));
    const queue = [...runs.values()]
      // A run that arrived during the GPU query waits for the next one.
      .filter(({ wantedGpus }) => wantsGpus || wantedGpus === 0)
      .map(({ id, wantedGpus, record }) => ({ id, gpus: wantedGpus, ray: rayUse(record, address) }));
    const plan = planQueue(queue, gpus, taken, this.#most, this.#rays());
    for (const { id, reason } of plan.wait) runs.get(id)?.waits(reason);
    for (const { id, reason } of plan.fail) void runs.get(id)?.refuse(reason);
    for (const { id, devices } of plan.start) void runs.get(id)?.start(devices);
  }
}

type NewOrder = Omit<StoredRun['order'], 'env'> & Pick<RunOrder, 'env'>;

/** The id of the snapshot without files. */
const emptySnapshot = createHash('sha256').update('[]').digest('hex');

function requestOf(owner: string, key: string): string {
  return `${key} ${owner}`;
}

const removedEnding = '.removed';
const requestsFile = 'removed.json';
const removedRequests = z.record(z.string(), z.object({ run: z.string(), at: z.number() }));
/** Milliseconds by which the time of a run may be ahead of the clock, because times never go back. */
const mostAhead = 3_600_000;

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

/** Returns an id such as `20260314-092653-1c8a9c`: the time in UTC, the milliseconds, and a random suffix. */
function newId(at: number): string {
  const [date = '', time = ''] = new Date(at).toISOString().split('T');
  const clock = time.slice(0, 8).replaceAll(':', '');
  const milliseconds = (at % 1_000).toString(16).padStart(3, '0');
  return `${date.replaceAll('-', '')}-${clock}-${milliseconds}${randomBytes(2).toString('hex').slice(1)}`;
}

/** Removes the checkpoints and logs of a job and its stages, and their folders if they are empty then. */
async function removeCheckpoints(jobFolder: string, stages?: readonly RunStage[]): Promise<void> {
  const folders = partsOf(jobFolder, stages).map(({ folder }) => folder);
  for (const folder of new Set([...folders, jobFolder])) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((one) => isUpstreamEntry(one))) {
      await rm(path.join(folder, name), { recursive: true, force: true, maxRetries: 3 });
    }
    await rmdir(folder).catch(() => undefined); // it is not empty
  }
}
