import * as z from 'zod/mini';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError } from '../../../base/core/errors.ts';
import { errorReport } from '../../../base/core/errorReport.ts';
import { LineSplitter } from '../../../base/core/lineSplitter.ts';
import type { FoundSecrets } from '../../core/export/exportTrace.ts';
import { clientErrors } from './errors.ts';
import type { SpawnTraceServer } from './serverProcess.ts';

/** A message of a job, one JSON line each. */
const jobMessage = z.union([
  z.object({ progress: z.number() }),
  z.object({
    done: z.string(),
    note: z.optional(
      z.object({ episodes: z.number(), incomplete: z.number(), damage: z.nullable(z.unknown()) }),
    ),
    secrets: z.optional(
      z.array(z.object({ kind: z.string(), count: z.number(), episodes: z.array(z.number()) })),
    ),
  }),
  z.object({ error: errorReport }),
]);

/** The result of a job. */
export interface TraceJobOutcome {
  /** The file that was written, or the file that was searched for secrets. */
  readonly file: string;
  /** Only for an export. */
  readonly note?: { readonly episodes: number; readonly incomplete: number; readonly isDamaged: boolean };
  /** Only for a search for secrets. */
  readonly secrets?: readonly FoundSecrets[];
}

export interface TraceJob {
  /** Arguments for the server; see its usage. */
  readonly args: readonly string[];
  readonly cancellation: CancellationToken;
  /** Receives the progress from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/**
 * Imports or exports a trace in a separate process of the server's program, which cancellation kills. Resolves to the
 * result; rejects with a CodedError.
 */
export async function runTraceJob(spawn: SpawnTraceServer, job: TraceJob): Promise<TraceJobOutcome> {
  const child = await spawn(job.args);
  let said = '';
  child.stderr.on('data', (text: string) => (said += text));
  const splitter = new LineSplitter();
  const subscription = job.cancellation.onCancelled(() => void child.stdin.end());
  try {
    return await new Promise<TraceJobOutcome>((resolve, reject) => {
      child.stdout.on('data', (text: string) => {
        for (const line of splitter.push(text)) {
          const message = jobMessage.safeParse(JSON.parse(line));
          if (!message.success) continue;
          if ('progress' in message.data) job.onProgress(message.data.progress);
          else if ('done' in message.data) resolve(outcomeOf(message.data));
          else reject(new CodedError(message.data.error));
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

type Done = Extract<z.infer<typeof jobMessage>, { done: string }>;

function outcomeOf({ done, note, secrets }: Done): TraceJobOutcome {
  return {
    file: done,
    ...(note && {
      note: { episodes: note.episodes, incomplete: note.incomplete, isDamaged: note.damage !== null },
    }),
    ...(secrets && { secrets }),
  };
}
