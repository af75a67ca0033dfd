import * as z from 'zod/mini';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError } from '../../../base/core/errors.ts';
import { errorReport } from '../../../base/core/errorReport.ts';
import { LineSplitter } from '../../../base/core/lineSplitter.ts';
import type { FoundSecrets } from '../../core/export/exportTrace.ts';
import { clientErrors } from './errors.ts';
import type { SpawnTraceServer } from './serverProcess.ts';

/** What a job of the server's says, a line of JSON for each. */
const told = z.union([
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

/** How a job ended. */
export interface TraceJobOutcome {
  /** The file that was made; of a search for secrets the one that was searched. */
  readonly file: string;
  /** Of an export. */
  readonly note?: { readonly episodes: number; readonly incomplete: number; readonly isDamaged: boolean };
  /** Of a search for secrets. */
  readonly secrets?: readonly FoundSecrets[];
}

export interface TraceJob {
  /** As the server takes them, see its usage. */
  readonly args: readonly string[];
  readonly cancellation: CancellationToken;
  /** From 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/**
 * Has the server's program import or export a trace, in a process of its own that cancellation ends. Resolves to
 * what it made; rejects with a CodedError.
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
          const message = told.safeParse(JSON.parse(line));
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

type Done = Extract<z.infer<typeof told>, { done: string }>;

function outcomeOf({ done, note, secrets }: Done): TraceJobOutcome {
  return {
    file: done,
    ...(note && {
      note: { episodes: note.episodes, incomplete: note.incomplete, isDamaged: note.damage !== null },
    }),
    ...(secrets && { secrets }),
  };
}
