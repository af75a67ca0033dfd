import * as z from 'zod/mini';
import type { SqlReader } from './sql.ts';

export interface EpisodeIdentity {
  readonly uuid: string;
  readonly taskIndex: number;
}

const record = z.object({ uuid: z.string(), taskIndex: z.number() });

/** What an episode is called by others than its trace; undefined: there is no such episode. */
export function identityOf(sql: SqlReader, episode: number): EpisodeIdentity | undefined {
  const [row] = sql.all('SELECT uuid, taskIndex FROM episodes WHERE episode = :episode', { episode });
  const read = record.safeParse(row);
  return read.success ? read.data : undefined;
}
