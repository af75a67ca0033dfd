import type { EpisodeRow, ReportView } from '../../protocol/traceRpc.ts';

export type Severity = ReportView['findings'][number]['severity'];

export interface EpisodeFinding {
  readonly message: string;
  /** Undefined: neither the episode nor the report tells. */
  readonly severity: Severity | undefined;
}

/**
 * An episode's findings, what keeps it from training first. An episode has their sentences only; how grave they are
 * follows from whether it trains and from the run's report, which lists the first episodes of each kind of finding.
 */
export function findingsOf(row: EpisodeRow, report: ReportView): readonly EpisodeFinding[] {
  return row.findings
    .map((message) => ({ message, severity: severityOf(message, row, report) }))
    .toSorted((one, other) => rank(one) - rank(other));
}

function severityOf(message: string, row: EpisodeRow, report: ReportView): Severity | undefined {
  if (row.trains !== false) return 'warning';
  if (row.findings.length === 1) return 'error';
  const kinds = report.findings.filter(({ episodes }) => episodes.includes(row.episode));
  const same = kinds.filter((kind) => kind.message === message);
  const [severity, ...others] = new Set((same.length > 0 ? same : kinds).map((kind) => kind.severity));
  return others.length === 0 ? severity : undefined;
}

function rank({ severity }: EpisodeFinding): number {
  return severity === 'error' ? 0 : severity === undefined ? 1 : 2;
}
