import * as z from 'zod/mini';
import { largestWindow } from './protocol/traceRpc.ts';
import { clip } from './clip.ts';
import { traceErrors } from './errors.ts';
import { listedQueryLength } from './layout.ts';
import type { StoredTrace } from './stored.ts';

/** What a task is known by in another run. */
export interface Task {
  readonly taskId: string;
  readonly query: string;
}

export interface SameTask {
  /** In order, at most `largestWindow.episodes`; there is one. */
  readonly episodes: readonly number[];
  readonly sameQuery: boolean;
}

const candidate = z.object({ episode: z.number(), query: z.string() });
type Candidate = z.infer<typeof candidate>;

/**
 * The episodes of a task. Ids are often places in a data set, which may have been another one: a task that says the same
 * wins over one that only has the same id.
 */
export function sameTask(trace: StoredTrace, { taskId, query }: Task): SameTask {
  const where = (condition: string, value: string): readonly Candidate[] => {
    const statement = `SELECT episode, query FROM episodes WHERE ${condition} = :value ORDER BY episode
      LIMIT ${largestWindow.episodes}`;
    return trace.rows.all(candidate, statement, { value });
  };
  // An episode's row has long ones only in part.
  const saysTheSame = (one: Candidate): boolean => (trace.query(one.episode) ?? one.query) === query;
  const found = (candidates: readonly Candidate[], sameQuery: boolean): SameTask => {
    return { episodes: candidates.map(({ episode }) => episode), sameQuery };
  };
  const byId = where('taskId', taskId);
  if (byId[0] && saysTheSame(byId[0])) return found(byId, true);
  const byQuery = query === '' ? [] : where('query', clip(query, listedQueryLength)).filter(saysTheSame);
  if (byQuery.length > 0) return found(byQuery, true);
  if (byId.length > 0) return found(byId, false);
  throw traceErrors.noSuchTask(trace.rows.file, taskId);
}
