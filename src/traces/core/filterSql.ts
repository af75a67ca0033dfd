import { currentId, renamedFindings } from '../../base/core/renamedIds.ts';
import type { Filter, NumberField, NumberFilter, TextField } from './protocol/traceFilter.ts';
import { contentKey } from './layout.ts';
import { notedEpisodes, type Notes } from './notes.ts';
import type { SqlParameters, SqlValue } from './sql.ts';

/** The number of calls. It is counted while the episode runs, then stored in its row. */
export const callsOfEpisode = `iif(sequence IS NULL,
  (SELECT count(*) FROM calls WHERE calls.episode = episodes.episode), episodes.calls)`;

/** The totals of a run. Episodes that have not ended count only as started, and with their calls. */
export const totals = `
SELECT count(*) AS started,
  count(sequence) AS ended,
  count(error) AS failed,
  avg(reward) AS meanReward,
  avg(isSuccess) FILTER (WHERE reward IS NOT NULL) AS successRate,
  coalesce(sum(${callsOfEpisode}), 0) AS calls,
  coalesce(sum(timelines), 0) AS timelines,
  coalesce(sum(tokens), 0) AS tokens,
  coalesce(sum(trainableTokens), 0) AS trainableTokens
FROM episodes`;

export class Binder {
  readonly #values: SqlValue[] = [];

  /** The place of a value in the statement. */
  bind(value: SqlValue): string {
    this.#values.push(value);
    return `:p${this.#values.length}`;
  }

  get parameters(): SqlParameters {
    return Object.fromEntries(this.#values.map((value, index) => [`p${index + 1}`, value]));
  }
}

export interface ListTerms {
  /** Episodes per task, a whole number above 0. */
  readonly size: number;
  readonly live: boolean;
  /** True if it is known which episodes would train; see `isJudgeable`. */
  readonly judgeable: boolean;
  /** Reads the notes of users. */
  readonly notes: () => Notes;
}

/** The tables that conditions and orders refer to. For the temporary ones see `runVerdicts.ts`. */
export function judgedEpisodes({ size }: ListTerms): string {
  return `episodes LEFT JOIN temp.verdicts AS v ON v.judged = episodes.episode
    LEFT JOIN temp.groupVerdicts AS g ON g.number = episodes.episode / ${size}`;
}

/** A condition that is 1 or 0 for each row of {@link judgedEpisodes}. */
export function conditionOf(filter: Filter, terms: ListTerms, binder: Binder): string {
  switch (filter.kind) {
    case 'all':
      return joined(filter.of, 'AND', terms, binder);
    case 'any':
      return joined(filter.of, 'OR', terms, binder);
    case 'not':
      return `NOT ${conditionOf(filter.of, terms, binder)}`;
    case 'number':
      return compared(filter, terms, binder);
    case 'error':
      return '(episodes.error IS NOT NULL)';
    case 'choice':
      return `coalesce(${choices(terms)[filter.field]} = ${binder.bind(filter.value)}, 0)`;
    case 'words':
      return wordsIn(part(filter.value), binder);
    case 'text':
      return texts[filter.field](filter.value, terms, binder);
  }
}

function joined(of: readonly Filter[], by: 'AND' | 'OR', terms: ListTerms, binder: Binder): string {
  const all = of.map((one) => conditionOf(one, terms, binder));
  return all.length === 0 ? '(1)' : `(${all.join(` ${by} `)})`;
}

/** Compares a number; unknown numbers never match. */
function compared({ field, is, value, within = 0 }: NumberFilter, terms: ListTerms, binder: Binder): string {
  const expression = numberOf(field, terms);
  if (is !== '=' && is !== '!=') return `coalesce(${expression} ${is} ${binder.bind(value)}, 0)`;
  const near =
    within === 0
      ? `${expression} = ${binder.bind(value)}`
      : `abs(${expression} - ${binder.bind(value)}) <= ${binder.bind(within)}`;
  return is === '=' ? `coalesce(${near}, 0)` : `coalesce(NOT (${near}), 0)`;
}

/** Returns the SQL expression of a number, null if a row shows none. Lengths of running episodes are unknown. */
export function numberOf(field: NumberField, { size }: ListTerms): string {
  switch (field) {
    case 'group':
      return `(episodes.episode / ${size})`;
    case 'calls':
      return `(${callsOfEpisode})`;
    case 'failures':
      return `iif(episodes.sequence IS NULL, ${failedCalls}, episodes.failures)`;
    default:
      return numbers[field];
  }
}

const ofEnded = (column: string): string => `iif(episodes.sequence IS NULL, NULL, ${column})`;

const failedCalls =
  '(SELECT count(*) FROM calls WHERE calls.episode = episodes.episode AND calls.error IS NOT NULL)';

const numbers: Readonly<Record<Exclude<NumberField, 'group' | 'calls' | 'failures'>, string>> = {
  reward: 'episodes.reward',
  advantage: 'v.advantage',
  tokens: ofEnded('episodes.tokens'),
  trainable: ofEnded('episodes.trainableTokens'),
  mask: '(1.0 * episodes.trainableTokens / nullif(episodes.tokens, 0))',
  time: 'episodes.seconds',
  timelines: ofEnded('episodes.timelines'),
  repeat: 'episodes.repeat',
  episode: 'episodes.episode',
  mean: 'g.meanReward',
  spread: 'g.deviation',
  best: 'g.bestReward',
  worst: 'g.worstReward',
  solved: 'g.successRate',
};

export function choices({
  live,
  judgeable,
}: ListTerms): Readonly<Record<'trains' | 'success' | 'state', string>> {
  const unended = live ? "'open'" : "'no'";
  const verdict = "iif(v.trains, 'yes', 'no')";
  const ended = live ? `iif(v.trains AND NOT v.whole, 'open', ${verdict})` : verdict;
  return {
    trains: judgeable ? `iif(episodes.sequence IS NULL, ${unended}, ${ended})` : "'open'",
    success: "iif(episodes.reward IS NULL, NULL, iif(episodes.isSuccess, 'yes', 'no'))",
    state: `iif(episodes.sequence IS NOT NULL, 'ended', ${live ? "'running'" : "'lost'"})`,
  };
}

type TextCondition = (value: string, terms: ListTerms, binder: Binder) => string;

const texts: Readonly<Record<TextField, TextCondition>> = {
  task: (value, _, binder) => like('episodes.taskId', part(value), binder),
  error: (value, _, binder) => `coalesce(${like('episodes.error', part(value), binder)}, 0)`,
  text: (value, _, binder) => {
    const pattern = binder.bind(part(value));
    const keys = contentKey(1, 0);
    return `EXISTS (SELECT 1 FROM messageContents
      WHERE key BETWEEN episodes.episode * ${keys} AND (episodes.episode + 1) * ${keys} - 1
      AND (text LIKE ${pattern} ESCAPE '\\' OR toolCalls LIKE ${pattern} ESCAPE '\\'))`;
  },
  agent: (value, _, binder) => anyOf('usedAgents', like('usedAgents.agent', whole(value), binder)),
  source: (value, _, binder) => {
    const place = binder.bind(`%/${whole(slashed(value))}:%`);
    return `EXISTS (SELECT 1 FROM calls WHERE calls.episode = episodes.episode AND calls.source IN (
      SELECT id FROM sources WHERE '/' || replace(file, '\\', '/') || ':' || line || ':' LIKE ${place} ESCAPE '\\'))`;
  },
  tag: (value, terms, binder) => noted('tag', value, terms, binder),
  note: (value, terms, binder) => noted('note', value, terms, binder),
  tool: (value, _, binder) => anyOf('usedTools', like('usedTools.tool', whole(value), binder)),
  finding: (value, { live }, binder) => {
    const place = binder.bind(whole(currentId(renamedFindings, value)));
    const lost = live ? '0' : `(episodes.sequence IS NULL AND 'episode-lost' LIKE ${place} ESCAPE '\\')`;
    return `(${lost} OR EXISTS (SELECT 1 FROM temp.found
      WHERE found.episode = episodes.episode AND found.code LIKE ${place} ESCAPE '\\'))`;
  },
};

function noted(field: 'tag' | 'note', value: string, { notes }: ListTerms, binder: Binder): string {
  const numbers = JSON.stringify(notedEpisodes(notes(), field, value));
  return `episodes.episode IN (SELECT value FROM json_each(${binder.bind(numbers)}))`;
}

function anyOf(table: string, condition: string): string {
  return `EXISTS (SELECT 1 FROM ${table} WHERE ${table}.episode = episodes.episode AND ${condition})`;
}

function wordsIn(pattern: string, binder: Binder): string {
  const place = binder.bind(pattern);
  const inText = (column: string): string => `${column} LIKE ${place} ESCAPE '\\'`;
  return `(${inText('episodes.taskId')} OR ${inText('episodes.query')} OR EXISTS (SELECT 1 FROM queries
    WHERE queries.episode = episodes.episode AND ${inText('queries.query')}))`;
}

function like(column: string, pattern: string, binder: Binder): string {
  return `${column} LIKE ${binder.bind(pattern)} ESCAPE '\\'`;
}

const part = (value: string): string => `%${escapedLike(value)}%`;
const slashed = (file: string): string => file.replaceAll('\\', '/').replace(/^\/+/, '');
const whole = (value: string): string => escapedLike(value).replaceAll('*', '%');

function escapedLike(text: string): string {
  return text.replace(/[\\%_]/g, (sign) => `\\${sign}`);
}
