import { largestWindow } from './protocol/traceRpc.ts';
import {
  type EpisodeResult,
  withSelection,
  type Selection,
} from '../../tracking/core/records/episodeResult.ts';
import type { ReportView, RunView } from './protocol/runRpc.ts';
import { finding, hintOf, levelOf, type Finding } from '../../tracking/core/finding.ts';
import { groupBy } from '../../tracking/core/groupBy.ts';
import { groupOf } from '../../tracking/core/groups.ts';
import { ReportTally } from '../../tracking/core/reportTally.ts';
import type { TraceQueries } from './traceQueries.ts';
import { isJudgeable, judged, sizeOf, termsOf, type ReportRules } from './verdicts.ts';
import type { GroupVerdict, JudgedGroup } from '../../tracking/core/verdicts.ts';
import type { CheckedRows } from './checkedRows.ts';
import { numberRecord } from './records.ts';
import type { SqlValue } from './sql.ts';

const tables = {
  // The progress of the other tables. No row: they are empty.
  indexed: 'sequence INTEGER NOT NULL',
  verdicts: 'judged INTEGER PRIMARY KEY, advantage REAL, trains INTEGER NOT NULL, whole INTEGER NOT NULL',
  groupVerdicts: `number INTEGER PRIMARY KEY, failed INTEGER NOT NULL, meanReward REAL, successRate REAL,
    deviation REAL, best INTEGER, bestReward REAL, worst INTEGER, worstReward REAL, trains INTEGER NOT NULL,
    whole INTEGER NOT NULL`,
} as const;

const findings = `CREATE TEMP TABLE IF NOT EXISTS found (
  episode INTEGER NOT NULL, severity TEXT NOT NULL, code TEXT NOT NULL, ofRun INTEGER NOT NULL,
  PRIMARY KEY (episode, severity, code, ofRun)
) STRICT, WITHOUT ROWID`;

/**
 * The verdicts of the training report on each episode and group. They are in temporary tables of the reader, so that
 * SQL can filter and sort by them. The progress is stored in the tables, too, so a failed request rolls both back.
 */
class VerdictIndex {
  readonly #rows: CheckedRows;

  constructor(rows: CheckedRows) {
    this.#rows = rows;
  }

  /** Returns the sequence number of the last result in the tables; 0: they are empty. Creates missing tables. */
  reached(): number {
    for (const [name, columns] of Object.entries(tables)) {
      this.#write(`CREATE TEMP TABLE IF NOT EXISTS ${name} (${columns}) STRICT`);
    }
    this.#write(findings);
    const statement = 'SELECT sequence AS value FROM temp.indexed';
    return this.#rows.one(numberRecord, statement, {})?.value ?? 0;
  }

  setReached(sequence: number): void {
    this.#write('DELETE FROM temp.indexed');
    this.#write('INSERT INTO temp.indexed VALUES (?)', sequence);
  }

  clear(): void {
    for (const table of [...Object.keys(tables), 'found']) this.#write(`DELETE FROM temp.${table}`);
  }

  put({ group, episodes }: JudgedGroup): void {
    const whole = group.whole ? 1 : 0;
    for (const { episode, advantage, trains, findings } of episodes) {
      const verdict = [episode, advantage, trains ? 1 : 0, whole];
      this.#write('INSERT OR REPLACE INTO temp.verdicts VALUES (?, ?, ?, ?)', ...verdict);
      this.#write('DELETE FROM temp.found WHERE episode = ? AND ofRun = 0', episode);
      for (const found of findings) this.#insertFound(episode, found, 0);
    }
    const trains = episodes.filter((verdict) => verdict.trains).length;
    this.#write(
      'INSERT OR REPLACE INTO temp.groupVerdicts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[group.group, group.failed, group.meanReward, group.successRate, group.deviation],
      ...extremes(group),
      ...[trains, whole],
    );
  }

  /** Adds a finding about the run. It names episodes, but none of them is trained less because of it. */
  addOfRun(found: Pick<Finding, 'severity' | 'code'>, episodes: readonly number[]): void {
    for (const episode of episodes) this.#insertFound(episode, found, 1);
  }

  #insertFound(episode: number, { severity, code }: Pick<Finding, 'severity' | 'code'>, ofRun: 0 | 1): void {
    this.#write('INSERT OR IGNORE INTO temp.found VALUES (?, ?, ?, ?)', episode, severity, code, ofRun);
  }

  #write(statement: string, ...values: readonly SqlValue[]): void {
    this.#rows.writeTemporary(statement, values);
  }
}

/** Returns the best episode and its reward, then the worst. The first wins if several are equal. */
function extremes({ members }: GroupVerdict): readonly (number | null)[] {
  const scored = members.flatMap(({ episode, reward }) => (reward === null ? [] : [{ episode, reward }]));
  const ordered = scored.toSorted((one, other) => other.reward - one.reward);
  const worst = ordered.find(({ reward }) => reward === ordered.at(-1)?.reward);
  return [ordered[0], worst].flatMap((one) => [one?.episode ?? null, one?.reward ?? null]);
}

/** The one finding about a run that names episodes. */
const collidingIds = finding('duplicate-task-id', '');

const atOnce = 1_000;

/**
 * The training report of a trace: counted for its view, and in temporary tables for lists. Every result is read once.
 * A later result costs as much as its group.
 */
export class RunVerdicts {
  readonly #trace: TraceQueries;
  readonly #index: VerdictIndex;
  #counted = new CountedResults();

  constructor(trace: TraceQueries) {
    this.#trace = trace;
    this.#index = new VerdictIndex(trace.rows);
  }

  view(rules: ReportRules): ReportView {
    this.refresh(rules);
    this.#counted.view ??= reportView(this.#counted.tally(rules), isJudgeable(rules));
    return this.#counted.view;
  }

  /** Returns the calls that debug models answered in ended episodes, as of the last {@link refresh}. */
  untrained(): RunView['untrained'] {
    return [...this.#counted.untrained].map(([model, calls]) => ({ model, calls }));
  }

  /** Adds the results that are new since the last call. */
  refresh(rules: ReportRules): void {
    // The selection is known at the end of the run, after all results.
    const selection = this.#counted.selection ?? this.#trace.end()?.selection;
    const isUndone = this.#index.reached() !== this.#counted.sequence;
    if (isUndone || selection !== this.#counted.selection) {
      this.#index.clear();
      this.#counted = new CountedResults(selection);
    }
    for (;;) {
      const added = this.#trace.resultsAfter(this.#counted.sequence, atOnce);
      const last = added.at(-1);
      if (last === undefined) return;
      const results = added.map(({ result }) => result);
      this.#take(withSelection(results, selection), rules);
      this.#counted.sequence = last.sequence;
      this.#index.setReached(last.sequence);
    }
  }

  #take(results: readonly EpisodeResult[], rules: ReportRules): void {
    const counted = this.#counted;
    const tally = counted.tally(rules);
    for (const { model, calls } of results.flatMap(({ routing }) => routing?.debug ?? [])) {
      counted.untrained.set(model, (counted.untrained.get(model) ?? 0) + calls);
    }
    const size = sizeOf(rules);
    const byGroup = groupBy(results, ({ episode }) => groupOf(episode, size));
    for (const [group, added] of byGroup) {
      const members = this.#members(group, added, rules);
      const verdict = judged(group, members, rules);
      tally.put(verdict);
      this.#index.put(verdict);
      if (verdict.group.whole) counted.open.delete(group);
      else counted.open.set(group, members);
    }
    this.#index.addOfRun(collidingIds, tally.colliding([...byGroup.keys()]));
    counted.view = undefined;
  }

  #members(group: number, added: readonly EpisodeResult[], rules: ReportRules): readonly EpisodeResult[] {
    const open = this.#counted.open.get(group) ?? [];
    const isClosed = open.length === 0 && this.#counted.tally(rules).has(group);
    // A complete group gets more results only in a damaged trace.
    if (isClosed) return this.#trace.resultsOfGroups([group], sizeOf(rules));
    return [...open, ...added].sort((a, b) => a.episode - b.episode);
  }
}

class CountedResults {
  readonly selection: readonly Selection[] | undefined;
  /** Sequence number of the last result; 0: none. */
  sequence = 0;
  /** Results of incomplete groups. */
  readonly open = new Map<number, readonly EpisodeResult[]>();
  /** Numbers of calls by debug model. */
  readonly untrained = new Map<string, number>();
  view: ReportView | undefined;
  #tally: ReportTally | undefined;

  constructor(selection?: readonly Selection[]) {
    this.selection = selection;
  }

  tally(rules: ReportRules): ReportTally {
    this.#tally ??= new ReportTally(termsOf(rules));
    return this.#tally;
  }
}

function reportView(tally: ReportTally, judgeable: boolean): ReportView {
  const counts = judgeable ? tally.counts() : { trains: 0, doesNotTrain: 0 };
  return {
    ...counts,
    findings: tally.findings(largestWindow.episodes).map(({ code, groups, ...found }) => ({
      ...found,
      code,
      level: levelOf(code),
      hint: hintOf(code),
      groups: groups.length,
    })),
  };
}
