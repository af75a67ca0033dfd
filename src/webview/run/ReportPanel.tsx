import type { ReportView } from '../../protocol/traceRpc.ts';
import { count, counted } from '../ui/format.ts';
import { Icon } from '../ui/Icon.tsx';

export type Finding = ReportView['findings'][number];

interface Props {
  readonly report: ReportView;
  readonly running: boolean;
  /** Code of the finding whose episodes are selected. */
  readonly selected: string | null;
  readonly onSelect: (code: string | null) => void;
}

/** Whether the run's episodes would train, and what keeps some from it. */
export function ReportPanel({ report, running, selected, onSelect }: Props) {
  const judged = report.trains + report.doesNotTrain;
  return (
    <section class="report" aria-labelledby="report-title">
      <div class="report-line">
        <h2 id="report-title">Training report</h2>
        <p class="report-verdict">
          {judged === 0 ? (
            'No episode has ended yet.'
          ) : (
            <>
              <strong>
                {count(report.trains)} of {counted(judged, 'episode')}
              </strong>{' '}
              would train{running && ' so far'}
              {report.findings.length === 0 && ', with nothing to remark'}.
            </>
          )}
        </p>
        {judged > 0 && <TrainsBar trains={report.trains} judged={judged} />}
      </div>
      {report.findings.length > 0 && (
        <ul class="findings">
          {report.findings.map((finding) => (
            <li key={`${finding.severity} ${finding.code}`}>
              <FindingButton
                finding={finding}
                pressed={finding.code === selected}
                onPress={() => onSelect(finding.code === selected ? null : finding.code)}
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function TrainsBar({ trains, judged }: { readonly trains: number; readonly judged: number }) {
  return (
    <svg class="trains-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="trains-bar-all" width="100" height="6" />
      <rect class="trains-bar-part" width={(100 * trains) / judged} height="6" />
    </svg>
  );
}

interface FindingProps {
  readonly finding: Finding;
  readonly pressed: boolean;
  readonly onPress: () => void;
}

function FindingButton({ finding, pressed, onPress }: FindingProps) {
  // What is about the run as a whole has no episodes to select.
  if (finding.count === 0) {
    return (
      <div class={`finding finding-${finding.severity} about-run`}>
        <FindingText finding={finding} />
      </div>
    );
  }
  return (
    <button
      type="button"
      class={`finding finding-${finding.severity}`}
      aria-pressed={pressed}
      title={finding.message}
      onClick={onPress}
    >
      <FindingText finding={finding} />
    </button>
  );
}

function FindingText({ finding }: { readonly finding: Finding }) {
  const { severity, message, code, hint } = finding;
  return (
    <>
      <Icon name={severity === 'error' ? 'cross' : 'warning'} />
      <span class="finding-severity">{severity}</span>
      <span class="finding-message">
        {message} <span class="finding-code mono">{code}</span>
        <span class="finding-hint">{hint}</span>
      </span>
      <span class="finding-count">{concerned(finding)}</span>
    </>
  );
}

function concerned({ count: episodes, groups }: Finding): string {
  if (episodes === 0) return 'the run';
  const inGroups = groups === 0 ? '' : `${counted(groups, 'group')}, `;
  return `${inGroups}${counted(episodes, 'episode')}`;
}
