import { Buffer } from 'node:buffer';
import { open, stat, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Dirent } from 'node:fs';
import { LineCutter, withoutTerminalCodes, type RawLine } from '../../../core/runs/lines.ts';
import type { RunEventBody } from '../../../core/runs/fold.ts';
import { latestStep } from '../launch/folder.ts';
import type { EventLog } from './eventLog.ts';
import { partsOf, type JobFolderSnapshot, type JobLayout, type JobPart } from './jobFolder.ts';
import { companionSource } from '../../../core/runs/sources.ts';

/** `<tag>.<hash>.<machine>.log`, in the launcher's working folder. */
const folder = 'saved_experiments/companion_logs/companion';
const named = /^(?<tag>.+)\.(?<hash>[0-9a-f]{8})\..+\.log$/;

/**
 * The logs of what AgentJet's launcher has started beside training, Ray with `--with-ray` and environment services, by the
 * names of their sources.
 *
 * @param code the launcher's working folder, absolute
 */
async function companionLogs(code: string): Promise<(readonly [source: string, file: string])[]> {
  const found = new Map<string, string>();
  const entries = await entriesOf(path.join(code, folder));
  for (const { name } of entries.filter((entry) => entry.isFile()).sort(byName)) {
    const { tag, hash } = named.exec(name)?.groups ?? {};
    if (tag === undefined || hash === undefined) continue;
    const source = companionSource(tag);
    found.set(found.has(source) ? `${source}.${hash}` : source, path.join(code, folder, name));
  }
  return [...found];
}

const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name < other.name ? -1 : 1;

/** Bytes that are read of a log at a time. */
const pieceSize = 256 * 1024;
/**
 * Logs of a job or of a stage at most, of its runners and of its other actors each: every one is a file that is looked at again and again.
 * There is a runner for each episode at a time (`max_env_worker`), and few others, which tell how training goes.
 */
const mostLogs = 100;
const runnerLog = /(?:^|\/)explorer_runner_\d+$/;
const inOrder = new Intl.Collator('en', { numeric: true });

export interface TailOptions {
  readonly events: EventLog;
  /** What the launcher prints. */
  readonly launcherLog: string;
  /** The launcher's working folder. */
  readonly code: string;
  /** Takes out of a line what must not leave the host. */
  readonly redact: (line: string) => string;
}

/** Makes events of what a run writes: each line once, whenever the host began to read. */
export class RunTails {
  readonly #options: TailOptions;
  readonly #tails: Tail[];
  /** By folder of logs, those of runners apart. */
  readonly #known = new Map<string, Set<string>>();
  #hasReportedTooMany = false;
  #job: JobLayout = { jobFolder: null, before: { logs: {}, step: null } };

  constructor(options: TailOptions) {
    this.#options = options;
    this.#tails = [new Tail('launcher', options.launcherLog, 0, options)];
  }

  followJob(job: JobLayout): void {
    this.#job = job;
  }

  /** Reads what is there. Rejects with what keeps it from being read. */
  async pump(): Promise<void> {
    await this.#look();
    for (let isMore = true; isMore;) {
      isMore = false;
      for (const tail of this.#tails) isMore = (await tail.pump()) || isMore;
    }
  }

  /** Reads to the end: nobody writes any more. */
  async drain(): Promise<void> {
    await this.pump();
    for (const tail of this.#tails) await tail.end();
  }

  async #look(): Promise<void> {
    this.#follow(await companionLogs(this.#options.code));
    const { jobFolder, stages } = this.#job;
    if (jobFolder === null) return;
    for (const part of partsOf(jobFolder, stages)) await this.#lookAt(part);
  }

  async #lookAt(part: JobPart): Promise<void> {
    const { events } = this.#options;
    const { folder, stage } = part;
    const leftOut = this.#follow(await logsOf(part), part);
    if (leftOut !== undefined && !this.#hasReportedTooMany) {
      this.#hasReportedTooMany = true;
      const text = `The job has more logs than the ${mostLogs} of runners, and as many of others, that are followed: ${leftOut}.log and what else comes after them is only in ${path.join(folder, 'log')} on the host.`;
      await events.append([{ type: 'notice', text }]);
    }
    const step = await latestStep(folder);
    if (step === null || events.fold.hasCheckpoint(step, stage)) return;
    const isFirst = !events.fold.state.checkpoints.some((one) => one.stage === (stage ?? null));
    if (isFirst && step === stepBefore(this.#job.before, part)) return;
    await events.append([{ type: 'checkpoint', step, ...(stage !== undefined && { stage }) }]);
  }

  /**
   * Returns the source of the first one for which there is no room.
   * @param part whose they are; undefined: what runs beside training
   */
  #follow(logs: Awaited<ReturnType<typeof logsOf>>, part?: JobPart): string | undefined {
    const { to } = this.#options.events.fold.state;
    // What an earlier host has followed goes on.
    const begun = ([source]: (typeof logs)[number]): number => (to[source] === undefined ? 1 : 0);
    const sorted = logs.toSorted(
      (one, other) => begun(one) - begun(other) || inOrder.compare(one[0], other[0]),
    );
    let leftOut: string | undefined;
    for (const [source, file] of sorted) {
      const known = this.#knownOf(`${part?.folder ?? ''} ${runnerLog.test(source) ? 'runners' : 'others'}`);
      if (known.has(file)) continue;
      if (known.size >= mostLogs) {
        leftOut ??= source;
        continue;
      }
      known.add(file);
      const start = this.#job.before.logs[source] ?? 0;
      this.#tails.push(new Tail(source, file, start, this.#options, part?.stage));
    }
    return leftOut;
  }

  #knownOf(kind: string): Set<string> {
    let known = this.#known.get(kind);
    if (known === undefined) this.#known.set(kind, (known = new Set()));
    return known;
  }
}

function stepBefore({ step, stages }: JobFolderSnapshot, { name, stage }: JobPart): number | null {
  return stage === undefined ? step : (stages?.[name] ?? null);
}

/** The logs of a job by the names of their sources; those of several nodes lie in a folder each. */
async function logsOf(part: JobPart): Promise<(readonly [source: string, file: string])[]> {
  const folder = path.join(part.folder, 'log');
  const before = part.name === '' ? '' : `${part.name}/`;
  const found: [string, string][] = [];
  for (const entry of await entriesOf(folder)) {
    const inside = entry.isDirectory() ? await entriesOf(path.join(folder, entry.name)) : [entry];
    for (const file of inside) {
      if (!file.isFile() || !file.name.endsWith('.log')) continue;
      const stem = file.name.slice(0, -'.log'.length);
      found.push([
        before + (entry.isDirectory() ? `${entry.name}/${stem}` : stem),
        path.join(file.parentPath, file.name),
      ]);
    }
  }
  return found.sort(([one], [other]) => (one < other ? -1 : 1));
}

/** What of a job's folder was there before a run. */
export async function snapshotJobFolder(
  jobFolder: string,
  stages?: JobLayout['stages'],
): Promise<JobFolderSnapshot> {
  const logs: Record<string, number> = {};
  const steps: Record<string, number | null> = {};
  for (const part of partsOf(jobFolder, stages)) {
    for (const [source, file] of await logsOf(part)) logs[source] = (await stat(file)).size;
    steps[part.name] = await latestStep(part.folder);
  }
  const { '': step = null, ...ofStages } = steps;
  return { logs, step, ...(stages !== undefined && { stages: ofStages }) };
}

class Tail {
  readonly #source: string;
  readonly #file: string;
  readonly #options: TailOptions;
  readonly #stage: number | undefined;
  /** Whether nobody but the keeper writes it: what it lacks, a machine that lost its power has lost, and it was told before. */
  readonly #isKeepers: boolean;
  #cutter: LineCutter;
  #inode: number | undefined;

  /** @param start where the run's own part of it begins */
  constructor(source: string, file: string, start: number, options: TailOptions, stage?: number) {
    this.#source = source;
    this.#file = file;
    this.#options = options;
    this.#stage = stage;
    this.#isKeepers = file === options.launcherLog;
    this.#cutter = new LineCutter(options.events.fold.state.to[source] ?? start);
  }

  /** Reads a piece; whether there is more. */
  async pump(): Promise<boolean> {
    const file = await open(this.#file, 'r').catch(() => undefined);
    if (file === undefined) return false; // not there yet
    try {
      const { size, ino } = await file.stat();
      const isAnother = this.#inode !== undefined && ino !== this.#inode;
      // Rotated or cut off: it begins anew.
      if (isAnother || size < this.#cutter.read) this.#cutter = new LineCutter(this.#isKeepers ? size : 0);
      this.#inode = ino;
      if (size === this.#cutter.read) return false;
      const piece = Buffer.allocUnsafe(Math.min(pieceSize, size - this.#cutter.read));
      const { bytesRead } = await file.read(piece, 0, piece.length, this.#cutter.read);
      await this.#append(this.#cutter.add(piece.subarray(0, bytesRead)));
      return size > this.#cutter.read;
    } finally {
      await file.close();
    }
  }

  async end(): Promise<void> {
    await this.#append(this.#cutter.end());
  }

  async #append(lines: readonly RawLine[]): Promise<void> {
    if (lines.length === 0) return;
    await this.#options.events.append(lines.map((line) => this.#event(line)));
  }

  #event({ bytes, to, part }: RawLine): RunEventBody {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
    const clean = this.#options.redact(withoutTerminalCodes(text));
    const stage = this.#stage === undefined ? {} : { stage: this.#stage };
    return { type: 'log', source: this.#source, lines: [clean], to, ...(part && { part }), ...stage };
  }
}

/** What is in a folder; nothing, where it is not there. */
export function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
