import type { StoredRun } from '../../tracking/core/records/tracedRun.ts';
import type { ErrorReport } from '../../base/core/errors.ts';
import { errorReport } from '../../base/core/errorReport.ts';
import type { EpisodeFinding, EpisodeRow } from './protocol/traceLists.ts';
import { finding, hintOf } from '../../tracking/core/finding.ts';
import type { TraceLookup } from './episodeContent.ts';
import type { EpisodeRecord } from './records.ts';
import type { Notes } from './notes.ts';
import { parseJson } from './shallowJson.ts';
import { isJudgeable, verdictsOf, type Verdict } from './verdicts.ts';

export interface RowContext {
  readonly parts: TraceLookup;
  readonly run: StoredRun;
  /** True if the run is active, so more may come. */
  readonly live: boolean;
  readonly notes: Notes;
}

export function episodeRows(records: readonly EpisodeRecord[], context: RowContext): readonly EpisodeRow[] {
  const numbers = records.map(({ episode }) => episode);
  const verdicts = verdictsOf(context.parts.trace, context.run, numbers);
  return records.map((record) => {
    const { ended: hasEnded, isSuccess, error, ...row } = record;
    const noted = context.notes.get(record.episode);
    const verdict =
      hasEnded === 0 ? unended(context.live) : ended(verdicts.get(record.episode), context.live);
    return {
      ...row,
      ...countsOf(record, context),
      ...verdict,
      ...(noted !== undefined && { noted }),
      isSuccess: isSuccess !== 0,
      error: error === null ? null : errorOf(error),
      trains: isJudgeable(context.run) ? verdict.trains : null,
    };
  });
}

const lost: EpisodeFinding = {
  ...finding('episode-lost', 'The process ended before the episode did.'),
  hint: hintOf('episode-lost'),
};

type Ending = Pick<EpisodeRow, 'state' | 'advantage' | 'trains' | 'findings'>;

function unended(live: boolean): Ending {
  if (live) return { state: 'running', advantage: null, trains: null, findings: [] };
  return { state: 'lost', advantage: null, trains: false, findings: [lost] };
}

function ended(verdict: Verdict | undefined, live: boolean): Ending {
  if (verdict === undefined) return { state: 'ended', advantage: null, trains: null, findings: [] };
  const open = live && verdict.open && verdict.trains;
  return {
    state: 'ended',
    advantage: verdict.advantage,
    trains: open ? null : verdict.trains,
    findings: [...withSeverity(verdict, 'error'), ...withSeverity(verdict, 'warning')],
  };
}

function withSeverity({ findings }: Verdict, severity: EpisodeFinding['severity']): EpisodeFinding[] {
  return findings.flatMap((found) =>
    found.severity === severity ? [{ ...found, hint: hintOf(found.code) }] : [],
  );
}

type Counts = Pick<EpisodeRow, 'timelines' | 'tokens' | 'trainableTokens'>;

function countsOf(record: EpisodeRecord, { parts }: RowContext): Counts {
  const { timelines, tokens, trainableTokens } = record;
  if (record.ended !== 0 || record.calls === 0) return { timelines, tokens, trainableTokens };
  const merged = parts.open(record).timelines;
  return {
    timelines: merged.length,
    tokens: merged.reduce((sum, timeline) => sum + timeline.tokens, 0),
    trainableTokens: merged.reduce((sum, timeline) => sum + timeline.trainableTokens, 0),
  };
}

function errorOf(stored: string): ErrorReport {
  const report = errorReport.safeParse(parseJson(stored));
  return report.success ? report.data : { code: 'trace/unknown-error', message: stored };
}
