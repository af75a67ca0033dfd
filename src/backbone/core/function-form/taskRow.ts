import type { FunctionLogger, Task, TaskRow } from '../../../sdk/core/index.ts';

/** The queries that readers write for a row without one. */
export const noQuery: ReadonlySet<unknown> = new Set(['', '[not defined]', 'Empty']);

/**
 * Returns the row that functions receive: the task's metadata, which is the whole row of most data sets. In AgentJet's own
 * format the query is next to the metadata, so it is added.
 */
export function rowOf({ main_query, metadata }: Task): TaskRow {
  const hasQuery = noQuery.has(main_query) || Object.values(metadata).includes(main_query);
  return hasQuery || Object.hasOwn(metadata, 'main_query') ? metadata : { main_query, ...metadata };
}

/** AgentScope has no success flag, so a reward of at least 1 is a success, as in AgentJet's validation. */
export function isSuccess(reward: unknown): boolean {
  return typeof reward === 'number' && reward >= 1;
}

/** The console of the run: what is written there is the user's own. */
export const logger: FunctionLogger = console;
