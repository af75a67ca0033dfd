import type { Finding } from '../../tracking/core/finding.ts';
import type { GroupVerdict, JudgedGroup } from '../../tracking/core/verdicts.ts';
import type { CheckedRows } from './checkedRows.ts';
import { numberRecord } from './records.ts';
import type { SqlValue } from './sql.ts';

const tables = {
  // How far the others are; no row: nowhere.
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
 * What the training report says of each episode and group, in temporary tables of the reader's own, so that SQL can
 * filter and sort by it. How far they are is in the tables, too: when a request fails and its transaction is undone, so
 * is that.
 */
export class VerdictIndex {
  readonly #rows: CheckedRows;

  constructor(rows: CheckedRows) {
    this.#rows = rows;
  }

  /** Sequence number of the last result that is in the tables; 0: they are empty. Makes them where there are none. */
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

  /** In the place of what they have of the group. */
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

  /** A finding about the run names episodes, too, but none of them trains the less for it. */
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

/** The best episode and its reward, and the worst; of several alike the first. */
function extremes({ members }: GroupVerdict): readonly (number | null)[] {
  const scored = members.flatMap(({ episode, reward }) => (reward === null ? [] : [{ episode, reward }]));
  const best = scored.reduce<(typeof scored)[number] | undefined>(
    (found, one) => (found === undefined || one.reward > found.reward ? one : found),
    undefined,
  );
  const worst = scored.reduce<(typeof scored)[number] | undefined>(
    (found, one) => (found === undefined || one.reward < found.reward ? one : found),
    undefined,
  );
  return [best?.episode ?? null, best?.reward ?? null, worst?.episode ?? null, worst?.reward ?? null];
}
