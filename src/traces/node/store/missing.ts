import { largestWindow } from '../../core/protocol/traceRpc.ts';
import type { DamageView } from '../../core/protocol/runRpc.ts';
import { episodeOfKey, metaKeys } from '../../core/layout.ts';
import { countRecord, episodeNumber } from '../../core/records.ts';
import type { Connection } from './connection.ts';
import type { Gap } from './readableRows.ts';

/**
 * Which episodes are lost or lack a part, after the readable rows have been copied.
 *
 * @param gaps by table, of its first column
 */
export function missingOf(
  connection: Connection,
  gaps: ReadonlyMap<string, readonly Gap[]>,
): Omit<DamageView, 'run'> {
  const behind = lastEpisode(connection) + 1;
  const lost = (gaps.get('episodes') ?? []).reduce(
    (sum, { after, before }) => sum + Math.max(0, (before ?? behind) - after - 1),
    0,
  );
  const numbers = connection
    .all(incompleteWith(rangesOf(gaps, behind)))
    .map((row) => episodeNumber.parse(row).episode);
  const tokens = (gaps.get('tokens') ?? []).length > 0;
  return { tokens, lost, incomplete: numbers.length, episodes: numbers.slice(0, largestWindow.episodes) };
}

/** Tables of which not every episode has a row: what lies in a gap of theirs may have lost one. */
const sparse: ReadonlyMap<string, (key: number) => number> = new Map([
  ['queries', (episode: number) => episode],
  ['outputs', (episode: number) => episode],
  ['spans', (episode: number) => episode],
  ['alternatives', episodeOfKey],
]);

/** First and last episodes of gaps. */
function rangesOf(
  gaps: ReadonlyMap<string, readonly Gap[]>,
  behind: number,
): readonly (readonly [number, number])[] {
  return [...sparse].flatMap(([table, episodeOf]) =>
    (gaps.get(table) ?? []).map(({ after, before }) => {
      // The last row that was read may have had others of its episode behind it.
      return [Math.max(0, episodeOf(after)), before === null ? behind : episodeOf(before)] as const;
    }),
  );
}

/** The table that has the keys of those rows of a table of contents that can be read. */
export function keysOf(table: string): string {
  return `keys of ${table}`;
}

/** The highest number that an episode is known to have. */
function lastEpisode(connection: Connection): number {
  const [meta] = connection.all(planned);
  return Math.max(
    countRecord.parse(meta).count - 1,
    ...['episodes', 'calls', 'messages', 'timelines'].map((table) => {
      const [row] = connection.all(`SELECT coalesce(max(episode), -1) AS count FROM ${table}`);
      return countRecord.parse(row).count;
    }),
  );
}

/** How many episodes have certainly started: a run that completed has started all. */
const planned = `
SELECT coalesce(max(value ->> '$.episodes'), 0) AS count FROM meta
WHERE key = '${metaKeys.run}'
  AND EXISTS (SELECT 1 FROM meta WHERE key = '${metaKeys.end}' AND value ->> '$.status' = 'completed')`;

/** Rows of a table that belong to an episode. */
const rowsIn = (table: string): string =>
  `(SELECT count(*) FROM ${table} WHERE ${table}.episode = episodes.episode)`;

/** Whether rows of an episode have no contents left. */
const lacksContents = (rows: string, place: string, contents: string): string =>
  `EXISTS (SELECT 1 FROM ${rows} WHERE ${rows}.episode = episodes.episode
    AND (${rows}.episode << 20) + ${place} NOT IN (SELECT key FROM "${keysOf(contents)}"))`;

const incompleteWith = (ranges: readonly (readonly [number, number])[]): string => `
SELECT episode FROM episodes
WHERE sequence IS NOT NULL AND (
    calls <> ${rowsIn('calls')}
    OR timelines <> ${rowsIn('timelines')}
    OR NOT EXISTS (SELECT 1 FROM results WHERE results.sequence = episodes.sequence))
  OR ${rowsIn('messages')} <>
    (SELECT coalesce(max(position), -1) + 1 FROM messages WHERE messages.episode = episodes.episode)
  OR ${lacksContents('calls', 'call', 'callDetails')}
  OR ${lacksContents('messages', 'position', 'messageContents')}
  ${ranges.map(([first, last]) => `OR episode BETWEEN ${first} AND ${last}`).join(' ')}
ORDER BY episode`;
