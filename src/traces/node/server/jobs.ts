import process from 'node:process';
import { CancellationSource } from '../../../base/core/cancellation.ts';
import type { ExportFormat } from '../../core/export/formats.ts';
import { reportOf } from '../../core/errors.ts';
import { exportTrace, secretsOf, filterOf } from '../export/exportFile.ts';
import { traceOf } from '../import/importTrace.ts';

export type Job =
  | { readonly kind: 'import'; readonly file: string; readonly cacheFolder: string }
  | {
      readonly kind: 'export';
      readonly trace: string;
      readonly format: ExportFormat;
      readonly out: string;
      readonly redactTexts: boolean;
      /** A filter in the viewer's syntax; absent: all episodes. */
      readonly filter?: string | undefined;
    }
  | { readonly kind: 'secrets'; readonly trace: string; readonly filter?: string | undefined };

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
  const common = { cancellation: source.token, onProgress };
  try {
    tell(await outcomeOf(job, common));
  } catch (error) {
    tell({ error: reportOf(error) });
  }
}

type Common = Pick<Parameters<typeof traceOf>[1], 'cancellation'> & {
  readonly onProgress: (share: number) => void;
};

async function outcomeOf(job: Job, common: Common): Promise<object> {
  switch (job.kind) {
    case 'import':
      return { done: await traceOf(job.file, { ...common, cacheFolder: job.cacheFolder }) };
    case 'secrets':
      return { done: job.trace, secrets: await secretsOf(job.trace, filterOf(job.filter), common) };
    case 'export': {
      const { trace, format, out, redactTexts } = job;
      const redaction = { texts: redactTexts, patterns: [] };
      const filter = filterOf(job.filter);
      const note = await exportTrace(trace, out, { ...common, format, redaction, filter });
      return { done: out, note };
    }
  }
}

function tell(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
