/** Real files, written and read as a run and a server do it, in the place of a scripted trace. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { CodedError } from '../../../src/base/core/errors.ts';
import { systemClock } from '../../../src/base/node/clock.ts';
import { TraceService } from '../../../src/traces/node/server/service.ts';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import type { TracedRun } from '../../../src/tracking/core/records/tracedRun.ts';
import type { TraceWriter } from '../../../src/tracking/core/records/trace.ts';
import type { TraceRequest } from '../../../src/traces/core/protocol/traceRpc.ts';
import { ScriptedTrace } from './scriptedTrace.ts';
import { smallRun } from './samples.ts';

/** A trace on disk as the harness opens one. Its file goes with the test. */
export class RealTrace extends ScriptedTrace {
  readonly #file: string;
  readonly #others: Readonly<Record<string, RealTrace>>;

  /** @param others that it may be compared with, by what the page knows them by */
  constructor(
    run: TracedRun,
    write: (writer: TraceWriter) => void,
    others: Readonly<Record<string, RealTrace>> = {},
  ) {
    super(smallRun());
    this.#others = others;
    const folder = mkdtempSync(path.join(tmpdir(), 'agentjet-viewer-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    this.#file = path.join(folder, 'real.ajtrace');
    const writer = openTraceWriter(this.#file, run);
    write(writer);
    writer.runEnded({ status: 'completed', error: null, endedAt: run.startedAt + 60_000 });
  }

  override answer(request: TraceRequest): Promise<unknown> {
    this.requests.push(request);
    if (request.method === 'watch' || request.method === 'unwatch') return Promise.resolve(null);
    const service = new TraceService({ open: openTraceReader, stampOf: () => '' }, systemClock);
    const fileOf = (trace: string): string => (this.#others[trace] ?? this).#file;
    const connection = service.connect(undefined, fileOf, Object.keys(this.#others));
    const reply = connection.answer(JSON.stringify({ id: 1, request }));
    connection.dispose();
    service.dispose();
    if ('error' in reply) throw new CodedError(reply.error);
    return Promise.resolve('result' in reply ? reply.result : null);
  }
}
