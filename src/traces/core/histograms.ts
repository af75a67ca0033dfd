import type { Bar, Histogram } from './protocol/traceLists.ts';
import * as records from './records.ts';
import type { StoredTrace } from './stored.ts';

/** Values that each get a bar of their own, at most; more are put together. */
const mostSingleBars = 12;
const bars = 16;

type Source = Pick<Histogram, 'field' | 'of'> & { readonly column: string; readonly rows: string };

const ended = 'episodes WHERE sequence IS NOT NULL';
const groups = 'temp.groupVerdicts';

const sources: readonly Source[] = [
  { field: 'reward', of: 'episodes', column: 'reward', rows: ended },
  { field: 'mean', of: 'groups', column: 'meanReward', rows: groups },
  { field: 'solved', of: 'groups', column: 'successRate', rows: groups },
  { field: 'tokens', of: 'episodes', column: 'tokens', rows: ended },
  { field: 'time', of: 'episodes', column: 'seconds', rows: ended },
];

/** How values are spread, over what has ended; what nothing has a value of is left out. */
export function histogramsOf(trace: StoredTrace): readonly Histogram[] {
  return sources.flatMap((source) => {
    const { field, of } = source;
    const found = barsOf(trace, source);
    return found.bars.length === 0 ? [] : [{ field, of, ...found }];
  });
}

function barsOf(trace: StoredTrace, { column, rows }: Source): Pick<Histogram, 'bars' | 'missing'> {
  // Workflows may well reward with an infinite number, which has no place on an axis.
  const finite = `SELECT iif(abs(${column}) < 1e308, ${column}, NULL) AS value FROM ${rows}`;
  const range = `SELECT min(value) AS least, max(value) AS most, count(value) AS "values",
    count(DISTINCT value) AS different, count(*) - count(value) AS missing FROM (${finite})`;
  const [{ least, most, different, missing } = empty] = trace.rows.all(records.rangeRecord, range, {});
  if (least === null || most === null) return { bars: [], missing };
  const width = (most - least) / bars;
  const single = different <= mostSingleBars || !(width > 0);
  const bin = single ? 'value' : `min(floor((value - :least) / :width), ${bars - 1})`;
  const statement = `SELECT ${bin} AS bin, count(*) AS count FROM (${finite})
    WHERE value IS NOT NULL GROUP BY bin ORDER BY bin`;
  const counted = trace.rows.all(records.binRecord, statement, single ? {} : { least, width });
  if (single)
    return { missing, bars: counted.map(({ bin: value, count }) => ({ from: value, to: value, count })) };
  const counts = new Map(counted.map((row) => [row.bin, row.count]));
  const edge = (index: number): number => (index === bars ? most : least + index * width);
  const all = Array.from({ length: bars }, (_, index): Bar => {
    return { from: edge(index), to: edge(index + 1), count: counts.get(index) ?? 0 };
  });
  return { bars: all, missing };
}

const empty = { least: null, most: null, different: 0, missing: 0 };
