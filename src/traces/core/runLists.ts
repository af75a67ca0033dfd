import type * as z from 'zod/mini';
import type {
  EpisodeSort,
  Extreme,
  GroupRow,
  GroupSort,
  Histogram,
  ListSort,
  NamesView,
  EpisodesView,
  GroupsView,
  NeighborsView,
  Bar,
} from './protocol/traceLists.ts';
import { largestWindow } from './protocol/traceRpc.ts';
import type { Filter } from './protocol/traceFilter.ts';
import {
  Binder,
  choices,
  conditionOf,
  judgedEpisodes,
  numberOf,
  type ListTerms,
  callsOfEpisode,
} from './filterSql.ts';
import { metadataNames } from './metadata.ts';
import * as records from './records.ts';
import type { TraceQueries } from './traceQueries.ts';

/** The maximum number of values with separate bars. More values are grouped. */
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

function histogramsOf(trace: TraceQueries): readonly Histogram[] {
  return sources.flatMap((source) => {
    const { field, of } = source;
    const found = barsOf(trace, source);
    return found.bars.length === 0 ? [] : [{ field, of, ...found }];
  });
}

function barsOf(trace: TraceQueries, { column, rows }: Source): Pick<Histogram, 'bars' | 'missing'> {
  // Workflows may return an infinite reward, which has no position on an axis.
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

interface List<By extends string> {
  readonly filter?: Filter | undefined;
  readonly sort?: ListSort<By> | undefined;
  readonly anchor?: number | 'newest' | undefined;
}
export type EpisodesList = List<EpisodeSort>;
export type GroupsList = List<GroupSort>;

interface Window {
  readonly from: number;
  readonly limit: number;
}

export interface Listing extends ListTerms {
  /** Updates the temporary tables. Only lists that need them call it. */
  readonly judge: () => void;
}

type Anchored = Pick<EpisodesView, 'anchor' | 'newest'>;

export class RunLists {
  readonly #trace: TraceQueries;

  constructor(trace: TraceQueries) {
    this.#trace = trace;
  }

  episodes(
    { from, limit, filter, sort, anchor }: EpisodesList & Window,
    listing: Listing,
  ): { readonly total: number; readonly numbers: readonly number[] } & Anchored {
    const { plain, rows, order, matching } = episodeTerms({ filter, sort }, listing);
    if (!plain) listing.judge();
    const numbers = this.#numbers(
      (binder) => `SELECT episodes.episode AS value FROM ${rows} WHERE ${matching(binder)}
        ORDER BY ${order} LIMIT ${binder.bind(limit)} OFFSET ${binder.bind(from)}`,
    );
    const total = this.#numbers(
      (binder) => `SELECT count(*) AS value FROM ${rows} WHERE ${matching(binder)}`,
    );
    const positions = (binder: Binder): string => {
      if (plain) {
        return `SELECT episode AS entry, (SELECT count(*) FROM episodes AS others
          WHERE others.episode < episodes.episode) AS position FROM episodes`;
      }
      return `SELECT episodes.episode AS entry,
        row_number() OVER (ORDER BY ${order}) - 1 AS position FROM ${rows} WHERE ${matching(binder)}`;
    };
    return { total: total[0] ?? 0, numbers, ...this.#anchor(anchor, positions) };
  }

  /** Returns the neighbors of an episode in a list. If it is not in the list, they are those of the whole run. */
  neighbors(episode: number, list: EpisodesList, listing: Listing): NeighborsView {
    const { plain, rows, order, matching } = episodeTerms(list, listing);
    if (plain) return this.#storedNeighbors(episode);
    listing.judge();
    const [found] = this.#rows(
      records.neighborsRecord,
      (binder) => `SELECT position, total, previous, next FROM (
        SELECT episodes.episode AS entry, row_number() OVER own - 1 AS position, count(*) OVER () AS total,
          lag(episodes.episode) OVER own AS previous, lead(episodes.episode) OVER own AS next
        FROM ${rows} WHERE ${matching(binder)} WINDOW own AS (ORDER BY ${order})
      ) WHERE entry = ${binder.bind(episode)}`,
    );
    return found ?? this.#storedNeighbors(episode);
  }

  #storedNeighbors(episode: number): NeighborsView {
    const [found] = this.#rows(records.neighborsRecord, (binder) => {
      const own = binder.bind(episode);
      return `SELECT (SELECT count(*) FROM episodes WHERE episode < ${own}) AS position,
        (SELECT count(*) FROM episodes) AS total,
        (SELECT max(episode) FROM episodes WHERE episode < ${own}) AS previous,
        (SELECT min(episode) FROM episodes WHERE episode > ${own}) AS next`;
    });
    return found ?? { position: 0, total: 0, previous: null, next: null };
  }

  groups({ from, limit, filter, sort, anchor }: GroupsList & Window, listing: Listing): GroupsView {
    listing.judge();
    const order = `${ordered(sort && groupOrders[sort.by], sort?.descending)} "group"`;
    const all = (binder: Binder): string => groupsWhere('1', filter, listing, binder);
    const found = this.#rows(
      records.groupRecord,
      (binder) => `SELECT * FROM (${all(binder)}) ORDER BY ${order}
        LIMIT ${binder.bind(limit)} OFFSET ${binder.bind(from)}`,
    );
    const total = this.#numbers((binder) => `SELECT count(*) AS value FROM (${all(binder)})`);
    const positions = (binder: Binder): string => `SELECT "group" AS entry,
      row_number() OVER (ORDER BY ${order}) - 1 AS position FROM (${all(binder)})`;
    const rows = this.#groupRows(found, listing);
    return { total: total[0] ?? 0, rows, ...this.#anchor(anchor, positions) };
  }

  /** Returns a group; undefined: none of its episodes has started. */
  group(
    group: number,
    listing: Listing,
  ): { readonly row: GroupRow; readonly groups: number; readonly numbers: readonly number[] } | undefined {
    listing.judge();
    const { size } = listing;
    const inGroup = (binder: Binder): string => {
      return `episodes.episode BETWEEN ${binder.bind(group * size)} AND ${binder.bind((group + 1) * size - 1)}`;
    };
    const found = this.#rows(records.groupRecord, (binder) =>
      groupsWhere(inGroup(binder), undefined, listing, binder),
    );
    const [row] = this.#groupRows(found, listing);
    if (row === undefined) return undefined;
    const numbers = this.#numbers(
      (binder) => `SELECT episode AS value FROM episodes WHERE ${inGroup(binder)}
        ORDER BY episode LIMIT ${largestWindow.episodes}`,
    );
    const groups = this.#numbers(() => `SELECT max(episode) / ${size} + 1 AS value FROM episodes`);
    return { row, numbers, groups: groups[0] ?? 0 };
  }

  histograms(listing: Listing): readonly Histogram[] {
    listing.judge();
    return histogramsOf(this.#trace);
  }

  names(): Omit<NamesView, 'tags'> {
    return {
      agents: this.#names('agent', 'usedAgents'),
      tools: this.#names('tool', 'usedTools'),
      tasks: this.#names('taskId', 'episodes'),
      sources: this.#names("file || ':' || line", 'sources'),
      metadata: metadataNames(this.#trace),
    };
  }

  #names(column: string, table: string): readonly string[] {
    const statement = `SELECT DISTINCT ${column} AS value FROM ${table} ORDER BY value LIMIT ${mostNames}`;
    return this.#rows(records.valueRecord, () => statement).map(({ value }) => value);
  }

  #groupRows(found: readonly records.GroupRecord[], listing: Listing): readonly GroupRow[] {
    const groups = JSON.stringify(found.map(({ group }) => group));
    const findings = this.#trace.rows.all(records.groupFindingRecord, findingsOfGroups(listing.size), {
      groups,
    });
    return found.map((record) => groupRow(record, listing, findings));
  }

  #anchor(entry: number | 'newest' | undefined, positions: (binder: Binder) => string): Anchored {
    if (entry === undefined) return {};
    const [found] = this.#rows(records.anchorRecord, (binder) => {
      const which =
        entry === 'newest' ? 'ORDER BY entry DESC LIMIT 1' : `WHERE entry = ${binder.bind(entry)}`;
      return `SELECT entry, position FROM (${positions(binder)}) ${which}`;
    });
    const anchor = found?.position ?? null;
    return entry === 'newest' ? { anchor, newest: found?.entry ?? null } : { anchor };
  }

  #numbers(statement: (binder: Binder) => string): readonly number[] {
    return this.#rows(records.numberRecord, statement).map(({ value }) => value);
  }

  #rows<T>(schema: z.ZodMiniType<T>, statement: (binder: Binder) => string): readonly T[] {
    const binder = new Binder();
    const text = statement(binder);
    return this.#trace.rows.all(schema, text, binder.parameters);
  }
}

const mostNames = 200;

/** Sorts missing values last in both directions. */
function ordered(by: string | undefined, descending = false): string {
  return by === undefined ? '' : `${by} IS NULL, ${by} ${descending ? 'DESC' : 'ASC'},`;
}

interface EpisodeTerms {
  /** True for the stored order of all episodes, which needs no verdicts. */
  readonly plain: boolean;
  readonly rows: string;
  readonly order: string;
  readonly matching: (binder: Binder) => string;
}

function episodeTerms({ filter, sort }: EpisodesList, listing: Listing): EpisodeTerms {
  const plain = filter === undefined && sort === undefined;
  const by = sort && episodeOrder(sort.by, listing);
  return {
    plain,
    rows: plain ? 'episodes' : judgedEpisodes(listing),
    order: `${ordered(by, sort?.descending)} episodes.episode`,
    matching: (binder) => (filter === undefined ? '1' : conditionOf(filter, listing, binder)),
  };
}

function episodeOrder(by: EpisodeSort, terms: ListTerms): string {
  if (by === 'task') return 'episodes.taskId COLLATE NOCASE';
  return by === 'trains' || by === 'success' ? choices(terms)[by] : numberOf(by, terms);
}

const groupOrders: Readonly<Record<GroupSort, string>> = {
  task: 'taskId COLLATE NOCASE',
  mean: 'meanReward',
  solved: 'successRate',
  spread: 'deviation',
  best: 'bestReward',
  worst: 'worstReward',
  trains: 'trains',
  calls: 'calls',
  tokens: 'tokens',
  trainable: 'trainableTokens',
  time: 'seconds',
};

/** Selects groups of the episodes of a condition that have at least one episode that matches the filter. */
function groupsWhere(
  condition: string,
  filter: Filter | undefined,
  listing: Listing,
  binder: Binder,
): string {
  const matching = filter === undefined ? 'count(*)' : `sum(${conditionOf(filter, listing, binder)})`;
  // Columns without an aggregate have the value of the row with the minimum.
  return `SELECT episodes.episode / ${listing.size} AS "group", min(episodes.episode) AS first, taskId, query,
      count(*) AS started, count(sequence) AS ended, ${matching} AS matching,
      sum(${callsOfEpisode}) AS calls, sum(tokens) AS tokens, sum(trainableTokens) AS trainableTokens,
      sum(seconds) AS seconds, g.failed, g.meanReward, g.successRate, g.deviation, g.best, g.bestReward,
      g.worst, g.worstReward, g.trains, g.whole
    FROM ${judgedEpisodes(listing)} WHERE ${condition} GROUP BY 1 HAVING matching > 0`;
}

function findingsOfGroups(size: number): string {
  return `SELECT wanted.value AS "group", severity, code, count(*) AS episodes FROM json_each(:groups) AS wanted
    JOIN temp.found ON episode BETWEEN wanted.value * ${size} AND (wanted.value + 1) * ${size} - 1
    WHERE ofRun = 0 GROUP BY 1, severity, code ORDER BY severity, episodes DESC, code`;
}

function groupRow(
  record: records.GroupRecord,
  { live, judgeable }: Listing,
  findings: readonly z.infer<typeof records.groupFindingRecord>[],
): GroupRow {
  const { failed, best, bestReward, worst, worstReward, trains, whole, ...row } = record;
  const open = !judgeable || (live && whole !== 1);
  return {
    ...row,
    failed: failed ?? 0,
    best: extreme(best, bestReward),
    worst: extreme(worst, worstReward),
    trains: open ? null : (trains ?? 0),
    findings: findings
      .filter(({ group }) => group === row.group)
      .map(({ code, severity, episodes }) => ({ code, severity, episodes })),
  };
}

function extreme(episode: number | null, reward: number | null): Extreme | null {
  return episode === null || reward === null ? null : { episode, reward };
}
