import { Buffer } from 'node:buffer';
import { stat, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Dirent } from 'node:fs';
import { LineCutter, withoutTerminalCodes, type RawLine } from '../../../core/runs/lines.ts';
import type { RunEventBody } from '../../../core/runs/fold.ts';
import { latestStep } from '../launch/folder.ts';
import type { EventLog } from './eventLog.ts';
import { partsOf, type JobLayout, type JobPart } from './jobFolder.ts';
import { openRegular } from '../../../../base/node/regularFile.ts';
import { companionSource } from '../../../core/runs/markers.ts';

/** The pattern is `<tag>.<hash>.<machine>.log`, in the working folder of the launcher. */
const folder = 'saved_experiments/companion_logs/companion';
const named = /^(?<tag>.+)\.(?<hash>[0-9a-f]{8})\..+\.log$/;

/** Returns logs by source of Ray (`--with-ray`) and of environment services. `code` is where the launcher was started. */
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

const pieceSize = 256 * 1024;
/** The largest number of logs of runners (one per parallel episode), and of others, for a job or stage. Each is polled. */
const mostLogs = 100;
const runnerLog = /(?:^|\/)explorer_runner_\d+$/;
const inOrder = new Intl.Collator('en', { numeric: true });

export interface TailOptions {
  readonly events: EventLog;
  readonly launcherLog: string;
  readonly code: string;
  readonly redact: (line: string) => string;
}

/** Turns the logs of a run into events, each line exactly once. */
export class RunTails {
  readonly #options: TailOptions;
  readonly #tails: Tail[];
  /** Known logs by folder, separately for runners. */
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

  /** Reads the available output. Rejects if it cannot be read. */
  async pump(): Promise<void> {
    await this.#look();
    for (let isMore = true; isMore;) {
      isMore = false;
      for (const tail of this.#tails) isMore = (await tail.pump()) || isMore;
    }
  }

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
    const firstSkipped = this.#follow(await logsOf(part), part);
    if (firstSkipped !== undefined && !this.#hasReportedTooMany) {
      this.#hasReportedTooMany = true;
      const text = `The job has more logs than can be followed (${mostLogs} of runners, ${mostLogs} others). ${firstSkipped}.log and later logs are only in ${path.join(folder, 'log')} on the host.`;
      await events.append([{ type: 'notice', text }]);
    }
    const step = await latestStep(folder);
    if (step === null || events.fold.hasCheckpoint(step, stage)) return;
    const isFirst = !events.fold.state.checkpoints.some((one) => one.stage === (stage ?? null));
    const { before } = this.#job;
    if (isFirst && step === (stage === undefined ? before.step : before.stages?.[part.name])) return;
    await events.append([{ type: 'checkpoint', step, ...(stage !== undefined && { stage }) }]);
  }

  /** Returns the source of the first log over the limit. `part` is undefined for processes in addition to training. */
  #follow(logs: Awaited<ReturnType<typeof logsOf>>, part?: JobPart): string | undefined {
    const { to } = this.#options.events.fold.state;
    // Logs that an earlier host followed come first.
    const begun = ([source]: (typeof logs)[number]): number => (to[source] === undefined ? 1 : 0);
    const sorted = logs.toSorted(
      (one, other) => begun(one) - begun(other) || inOrder.compare(one[0], other[0]),
    );
    let firstSkipped: string | undefined;
    for (const [source, file] of sorted) {
      const kind = `${part?.folder ?? ''} ${runnerLog.test(source) ? 'runners' : 'others'}`;
      const known = this.#known.get(kind) ?? new Set();
      this.#known.set(kind, known);
      if (known.has(file)) continue;
      if (known.size >= mostLogs) {
        firstSkipped ??= source;
        continue;
      }
      known.add(file);
      const start = this.#job.before.logs[source] ?? 0;
      this.#tails.push(new Tail(source, file, start, this.#options, part?.stage));
    }
    return firstSkipped;
  }
}

/** Returns the logs of a job by source. Each node of several has its own folder. */
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

export async function snapshotJobFolder(
  jobFolder: string,
  stages?: JobLayout['stages'],
): Promise<JobLayout['before']> {
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
  /** Only the keeper writes this log. If it becomes shorter after a power failure, the lost part was already read. */
  readonly #isKeepers: boolean;
  #cutter: LineCutter;
  #inode: number | undefined;

  /** @param start the offset where the part of this run starts */
  constructor(source: string, file: string, start: number, options: TailOptions, stage?: number) {
    this.#source = source;
    this.#file = file;
    this.#options = options;
    this.#stage = stage;
    this.#isKeepers = file === options.launcherLog;
    this.#cutter = new LineCutter(options.events.fold.state.to[source] ?? start, this.#isSafeCut);
  }

  /** Reads a piece. Returns whether there is more. */
  async pump(): Promise<boolean> {
    const file = await openRegular(this.#file).catch(() => undefined);
    if (file === undefined) return false; // not there yet, or not a file
    try {
      const { size, ino } = await file.stat();
      const isAnother = this.#inode !== undefined && ino !== this.#inode;
      // Rotated or truncated: start from the beginning.
      if (isAnother || size < this.#cutter.read) {
        this.#cutter = new LineCutter(this.#isKeepers ? size : 0, this.#isSafeCut);
      }
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

  readonly #isSafeCut = (before: Uint8Array, after: Uint8Array): boolean =>
    this.#clean(before) + this.#clean(after) === this.#clean(Buffer.concat([before, after]));

  #clean(bytes: Uint8Array): string {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
    return this.#options.redact(withoutTerminalCodes(text));
  }

  #event({ bytes, to, part }: RawLine): RunEventBody {
    const clean = this.#clean(bytes);
    const stage = this.#stage === undefined ? {} : { stage: this.#stage };
    return { type: 'log', source: this.#source, lines: [clean], to, ...(part && { part }), ...stage };
  }
}

export function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
