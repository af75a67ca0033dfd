/**
 * The trace server, a separate program. Reading is synchronous and may take long, which must not block the editor or a
 * paused run. `--stdio` serves the program that started it. `--http` serves one trace to a browser. In both modes it
 * ends when its standard input ends or its parent process ends.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { CancellationSource } from '../../../base/core/cancellation.ts';
import { formatReport } from '../../../base/core/errors.ts';
import { systemClock } from '../../../base/node/clock.ts';
import { reportOf } from '../../core/errors.ts';
import type { HttpGreeting } from '../errors.ts';
import { exportTrace, filterOf, secretsOf, type JobOptions } from '../export/exportFile.ts';
import { traceOf } from '../import/importTrace.ts';
import { openTraceReader } from '../store/openReader.ts';
import { serverErrors } from './errors.ts';
import { serveOverHttp } from './httpServer.ts';
import type { Job, TraceJobOutcome } from '../client/traceJob.ts';
import { TraceService, serveOverStreams } from './service.ts';

const usage = `Usage: traceServer --stdio | --http --trace FILE [--other FILE …] [--port N] | --job JSON`;

type Mode =
  | { readonly kind: 'stdio' }
  | {
      readonly kind: 'http';
      readonly trace: string;
      readonly others: readonly string[];
      readonly port: number;
    }
  | { readonly kind: 'job'; readonly job: Job };

function readArguments(): Mode {
  const { values } = parseArgs({
    options: {
      stdio: { type: 'boolean' },
      http: { type: 'boolean' },
      trace: { type: 'string' },
      other: { type: 'string', multiple: true },
      port: { type: 'string' },
      job: { type: 'string' },
    },
  });
  const { stdio = false, http = false, trace, other = [], port = '0', job } = values;
  // The editor of the same version passes it.
  if (job !== undefined) return { kind: 'job', job: JSON.parse(job) as Job };
  if (stdio && !http) return { kind: 'stdio' };
  if (!http || trace === undefined) throw serverErrors.wrongUse(`${usage}.`);
  if (!/^\d+$/.test(port) || Number(port) > 65_535) {
    throw serverErrors.wrongUse(`--port must be 0 to 65535, but is ${port}.`);
  }
  const others = other.map(existing);
  return { kind: 'http', trace: existing(trace), others, port: Number(port) };
}

function existing(file: string): string {
  const trace = path.resolve(file);
  if (stampOf(trace) === missing) throw serverErrors.noSuchTrace(trace);
  return trace;
}

const missing = 'missing';

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? missing : `${found.ino} ${found.size} ${found.mtimeMs}`;
}

async function serve(mode: Mode): Promise<void> {
  if (mode.kind === 'job') return runJob(mode.job);
  const service = new TraceService({ open: openTraceReader, stampOf }, systemClock);
  if (mode.kind === 'stdio') {
    await serveOverStreams(service, process.stdin, process.stdout);
  } else {
    const webFolder = path.join(import.meta.dirname, 'webview');
    const textsFolder = path.join(import.meta.dirname, '../media/l10n');
    const { url } = await serveOverHttp(service, { ...mode, webFolder, textsFolder });
    tell({ url });
    await new Promise((resolve) => process.stdin.once('close', resolve).once('error', resolve).resume());
  }
  service.dispose();
}

/** Milliseconds between two progress messages. */
const progressInterval = 100;

/** Prints progress and result as JSON lines. The end of standard input cancels the job: its caller has ended. */
async function runJob(job: Job): Promise<void> {
  const source = new CancellationSource();
  process.stdin.once('close', () => source.cancel()).once('error', () => source.cancel());
  process.stdin.resume();
  let last = 0;
  const onProgress = (progress: number): void => {
    if (Date.now() - last < progressInterval) return;
    last = Date.now();
    tell({ progress });
  };
  try {
    tell(await outcomeOf(job, { cancellation: source.token, onProgress }));
  } catch (error) {
    tell({ error: reportOf(error) });
  }
}

async function outcomeOf(job: Job, options: JobOptions): Promise<TraceJobOutcome> {
  switch (job.kind) {
    case 'import':
      return { file: await traceOf(job.file, { ...options, cacheFolder: job.cacheFolder }) };
    case 'secrets':
      return { file: job.trace, secrets: await secretsOf(job.trace, filterOf(job.filter), options) };
    case 'export': {
      const { trace, format, out, redactTexts } = job;
      const redaction = { texts: redactTexts, patterns: [] };
      const exporting = { ...options, format, redaction, filter: filterOf(job.filter) };
      const { episodes, incomplete, damage } = await exportTrace(trace, out, exporting);
      return { file: out, note: { episodes, incomplete, isDamaged: damage !== null } };
    }
  }
}

function tell(message: HttpGreeting | TraceJobOutcome | { readonly progress: number }): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

// Makes the garbage collector run earlier. Otherwise a long timeline makes the heap three times as large as necessary.
setFlagsFromString('--semi-space-growth-factor=1');

/** Runs in a thread, because a query blocks this one. A system without orphans still has the id of the parent. */
const endWithParent = `
setInterval(() => {
  try {
    if (process.ppid === ${process.ppid} && process.kill(${process.ppid}, 0)) return;
  } catch {}
  process.kill(process.pid, 'SIGKILL');
}, 1000);`;
new Worker(endWithParent, { eval: true }).unref();

try {
  await serve(readArguments());
  process.exit(0);
} catch (error) {
  if (process.argv.includes('--http')) tell({ error: reportOf(error) });
  process.stderr.write(`${formatReport(reportOf(error))}\n`);
  process.exitCode = 2;
}
