import { createHash } from 'node:crypto';
import { CodedError } from '../../../src/base/core/errors.ts';
import { Emitter } from '../../../src/base/core/event.ts';
import type { GpuSample, RunEvent, RunRecord } from '../../../src/training/core/protocol/runs.ts';
import { eventsFrame } from '../../../src/training/core/protocol/hostRpc.ts';
import { systemClock } from '../../../src/base/node/clock.ts';
import { TinkerCalls } from '../../../src/training/node/host/tinker/tinkerCalls.ts';
import type { ByteSink, EventReader, HostServices, RunFiles } from '../../../src/training/core/contracts.ts';

export const theRun = '20261123-070000-abcdef';

/** What a host would serve, with one run whose events a test writes: for tests of what carries it. */
export class ScriptedServices {
  readonly events: RunEvent[] = [];
  /** Contents that were kept, by their sum. */
  readonly kept = new Map<string, Buffer>();
  readonly gpuSamples: GpuSample[] = [];
  configText = '';
  readonly files = new Map<string, Buffer>();
  readonly rolloutLogs = new Map<string, Buffer>();
  /** The port of the Tinker server of its run. */
  tinkerPort = 0;
  readonly tinkerCalls = new TinkerCalls({ portOf: () => this.tinkerPort, clock: systemClock });
  /** Of files from here on, nothing comes any more. */
  stuckAt = Infinity;
  /** Events that were read for clients. */
  read = 0;
  /** Readers that are open. */
  readers = 0;
  /** Sinks that are open. */
  open = 0;
  readonly cancelledBy: string[] = [];
  /** What keeps events from being read. */
  unreadable: Error | undefined;
  readonly #more = new Emitter<undefined>();
  readonly #changed = new Emitter<RunRecord>();
  readonly #removed = new Emitter<string>();
  #record: RunRecord = record;
  #isRemoved = false;

  add(events: readonly RunEvent[]): void {
    for (const event of events) this.events.push(event);
    const last = events.at(-1);
    const state = last?.type === 'state' ? last.state : this.#record.state;
    this.#record = { ...this.#record, events: this.events.length, state };
    this.#more.fire(undefined);
    this.#changed.fire(this.#record);
  }

  /** Lines of a log, numbered by their events. */
  lines(count: number, more = ''): void {
    const first = this.events.length + 1;
    this.add(Array.from({ length: count }, (_, index) => line(first + index, more)));
  }

  /** What its run is told to be from now on. */
  change(changes: Partial<RunRecord>): void {
    this.#record = { ...this.#record, ...changes };
    this.#changed.fire(this.#record);
  }

  finish(): void {
    const seq = this.events.length + 1;
    this.add([{ type: 'state', seq, at: 2, state: 'finished' }]);
  }

  /** Somebody has its run removed; a client that asks for that changes nothing. */
  remove(): void {
    this.#isRemoved = true;
    this.#removed.fire(theRun);
  }

  get services(): HostServices {
    return {
      identity: { id: 'a-host', name: 'tests', version: '0' },
      status: () => Promise.reject(new Error('secret inner workings')),
      gpus: () => Promise.resolve(this.gpuSamples),
      config: () => Promise.resolve({ text: this.configText }),
      preflight: () => Promise.resolve([]),
      runs: {
        start: () => Promise.resolve(this.#record),
        serve: () => Promise.resolve(this.#record),
        list: () => (this.#isRemoved ? [] : [this.#record]),
        get: (run) => this.#get(run),
        cancel: (run, by) => {
          this.cancelledBy.push(by);
          return Promise.resolve(this.#get(run));
        },
        remove: () => Promise.resolve(),
        follow: (run, after, sources) => this.#follow(run, after, sources),
        onChanged: this.#changed.event,
        onRemoved: this.#removed.event,
      },
      sync: {
        lacks: (contents) => Promise.resolve(contents.filter((one) => !this.kept.has(one))),
        put: (sha256, bytes) => Promise.resolve(this.#sink(sha256, bytes)),
        pack: (bytes) => Promise.resolve(this.#sink(undefined, bytes)),
        manifest: (_client, { done }) => Promise.resolve(done),
        has: () => Promise.resolve(false),
        entries: () => Promise.resolve([]),
        get: (sha256, offset) => Promise.resolve(this.#source(this.kept.get(sha256), offset)),
        materialize: () => Promise.resolve(),
      },
      files: { checkpoints: () => Promise.resolve([]), ...this.#filesOf(this.files) },
      rolloutLogs: this.#filesOf(this.rolloutLogs),
      tinkerCalls: this.tinkerCalls,
    };
  }

  #filesOf(files: ReadonlyMap<string, Buffer>): RunFiles {
    return {
      list: async function* () {
        await Promise.resolve();
        for (const [path, { length: bytes }] of files) yield { path, bytes, modifiedAt: 0 };
      },
      open: (_run, path, offset, length) => Promise.resolve(this.#source(files.get(path), offset, length)),
      sum: (_run, path) => Promise.resolve({ sha256: sumOf(files.get(path)), bytes: 0 }),
    };
  }

  #get(run: string): RunRecord {
    if (run !== theRun || this.#isRemoved)
      throw new CodedError({ code: 'host/no-run', message: `There is no run ${run}.` });
    return this.#record;
  }

  #follow(run: string, from: number, sources?: readonly string[]): EventReader {
    this.#get(run);
    let upTo = from;
    this.readers += 1;
    return {
      next: () => {
        if (this.unreadable !== undefined) return Promise.reject(this.unreadable);
        const block = this.events.slice(upTo, upTo + 500);
        if (block.length === 0) return Promise.resolve(undefined);
        upTo += block.length;
        this.read += block.length;
        const asked = block.filter((one) => one.type !== 'log' || (sources?.includes(one.source) ?? true));
        const { before, after } = eventsFrame(run);
        const events = Buffer.from(asked.map((one) => JSON.stringify(one)).join(','));
        const message = asked.length === 0 ? undefined : Buffer.concat([before, events, after]);
        return Promise.resolve({ message, upTo });
      },
      onMore: (listener) => this.#more.event(() => listener()),
      dispose: () => {
        this.readers -= 1;
      },
    };
  }

  #sink(sha256: string | undefined, bytes: number): ByteSink {
    const whole = Buffer.alloc(bytes);
    this.open += 1;
    let isOpen = true;
    const close = (): void => {
      if (isOpen) this.open -= 1;
      isOpen = false;
    };
    return {
      write: (piece, offset) => {
        whole.set(piece, offset);
        return Promise.resolve();
      },
      end: () => {
        if (sha256 !== undefined && sumOf(whole) !== sha256) {
          // Given up by who opened it.
          return Promise.reject(
            new CodedError({ code: 'host/other-content', message: 'Not what was told.' }),
          );
        }
        this.kept.set(sumOf(whole), whole);
        close();
        return Promise.resolve();
      },
      abort: () => {
        close();
        return Promise.resolve();
      },
    };
  }

  #source(
    whole: Buffer | undefined,
    offset: number,
    length = Infinity,
  ): { readonly bytes: number; readonly pieces: AsyncIterable<Uint8Array> } {
    if (whole === undefined)
      throw new CodedError({ code: 'host/no-file', message: 'There is no such file.' });
    const part = whole.subarray(offset, Math.min(whole.length, offset + length));
    return { bytes: part.length, pieces: this.#untilStuck(piecesOf(part)) };
  }

  async *#untilStuck(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let sent = 0;
    for await (const piece of pieces) {
      if (sent >= this.stuckAt) await new Promise(() => undefined);
      sent += piece.length;
      yield piece;
    }
  }
}

/** The bytes in pieces of odd sizes. */
export async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 300_001) {
    await Promise.resolve();
    yield bytes.subarray(at, at + 300_001);
  }
}

export function sumOf(bytes: Uint8Array | undefined): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex');
}

function line(seq: number, more: string): RunEvent {
  return {
    type: 'log',
    seq,
    at: 1,
    source: seq % 7 === 0 ? 'trainer' : 'launcher',
    lines: [`line ${seq}${more}`],
    to: seq * 10,
  };
}

export const record: RunRecord = {
  id: theRun,
  name: 'a run',
  launcher: 'trinity',
  backbone: 'trinity',
  config: 'train.yaml',
  snapshot: '0'.repeat(64),
  flags: [],
  env: [],
  gpus: 0,
  devices: [],
  state: 'running',
  reason: null,
  phase: null,
  exitCode: null,
  step: null,
  totalSteps: null,
  reward: null,
  jobFolder: null,
  createdAt: 0,
  startedAt: 0,
  endedAt: null,
  events: 0,
  from: null,
  owner: 'me',
};
