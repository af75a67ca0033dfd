import process from 'node:process';
import { CancellationSource } from '../../../base/core/cancellation.ts';
import { reportOf } from '../../core/errors.ts';
import type { Job, TraceJobOutcome } from '../client/traceJob.ts';
import { exportTrace, secretsOf, filterOf, type JobOptions } from '../export/exportFile.ts';
import { traceOf } from '../import/importTrace.ts';

/** Milliseconds between two progress messages. */
const interval = 100;

/**
 * Runs one job, and prints its progress and its result as JSON lines. The job is canceled when standard input ends,
 * because its caller has ended or has canceled it.
 */
export async function runJob(job: Job): Promise<void> {
  const source = new CancellationSource();
  process.stdin.once('close', () => source.cancel()).once('error', () => source.cancel());
  process.stdin.resume();
  let last = 0;
  const onProgress = (progress: number): void => {
    if (Date.now() - last < interval) return;
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

function tell(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
