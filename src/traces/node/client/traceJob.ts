import * as z from 'zod/mini';
import { CodedError } from '../../../base/core/errors.ts';
import { errorReport } from '../../../base/core/errorReport.ts';
import { LineSplitter } from '../../../base/core/lineSplitter.ts';
import type { ExportFormat } from '../../core/export/formats.ts';
import type { JobOptions } from '../export/exportFile.ts';
import { clientErrors } from './errors.ts';
import { endServer, type SpawnTraceServer } from './serverProcess.ts';

/** A job of a separate process. Filters are in the viewer's syntax; empty or absent: all episodes. */
export type Job =
  | { readonly kind: 'import'; readonly file: string; readonly cacheFolder: string }
  | {
      readonly kind: 'export';
      readonly trace: string;
      readonly format: ExportFormat;
      readonly out: string;
      readonly redactTexts: boolean;
      readonly filter?: string | undefined;
    }
  | { readonly kind: 'secrets'; readonly trace: string; readonly filter?: string | undefined };

const outcome = z.object({
  /** The file that was written, or the file that was searched for secrets. */
  file: z.string(),
  /** Only for an export. */
  note: z.optional(z.object({ episodes: z.number(), incomplete: z.number(), isDamaged: z.boolean() })),
  /** Only for a search for secrets. */
  secrets: z.optional(
    z.readonly(
      z.array(z.object({ kind: z.string(), count: z.number(), episodes: z.readonly(z.array(z.number())) })),
    ),
  ),
});
export type TraceJobOutcome = z.infer<typeof outcome>;

/** A message of a job, one JSON line each. */
const jobMessage = z.union([z.object({ progress: z.number() }), z.object({ error: errorReport }), outcome]);

/** Runs a job in a separate process, which cancellation kills. Rejects with a CodedError. */
export async function runTraceJob(
  spawn: SpawnTraceServer,
  job: Job,
  { cancellation, onProgress }: Required<JobOptions>,
): Promise<TraceJobOutcome> {
  const child = await spawn(['--job', JSON.stringify(job)]);
  let said = '';
  child.stderr.on('data', (text: string) => (said += text));
  const splitter = new LineSplitter();
  const subscription = cancellation.onCancelled(() => endServer(child));
  try {
    return await new Promise<TraceJobOutcome>((resolve, reject) => {
      child.stdout.on('data', (text: string) => {
        for (const line of splitter.push(text)) {
          const message = jobMessage.safeParse(JSON.parse(line));
          if (!message.success) continue;
          if ('progress' in message.data) onProgress(message.data.progress);
          else if ('error' in message.data) reject(new CodedError(message.data.error));
          else resolve(message.data);
        }
      });
      child.once('close', (code, signal) =>
        reject(clientErrors.died(said.trim() === '' ? (signal ?? `exit code ${String(code)}`) : said.trim())),
      );
    });
  } finally {
    subscription.dispose();
    child.stdin.end();
  }
}
