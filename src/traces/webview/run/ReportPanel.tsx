import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ReportView } from '../../core/protocol/runRpc.ts';
import { FindingMessage } from '../ui/FindingMessage.tsx';
import { Hint } from '../ui/FetchTokenizer.tsx';
import { InlineCode } from '../ui/InlineCode.tsx';
import { count, countedEpisodes } from '../../../base/core/format.ts';
import { Icon } from '../../../base/webview/ui/Icon.tsx';
import { usePersistentState, useViewer } from '../state/viewer.ts';
import { hasTerm } from './filterEdit.ts';

export type Finding = ReportView['findings'][number];

interface Props {
  readonly report: ReportView;
  readonly config: string;
  readonly running: boolean;
  /** The run's filter, which may contain a finding. */
  readonly filter: string;
  readonly onChoose: (code: string) => void;
}

export const findingTerm = (code: string): string => `finding:${code}`;

export function ReportPanel({ report, config, running, filter, onChoose }: Props) {
  const judged = report.trains + report.doesNotTrain;
  const { folded, toggle } = useReadReport(report, running);
  return (
    <section class={`report ${folded ? 'report-read' : ''}`} aria-labelledby="report-title">
      <div class="report-line">
        <h2 id="report-title">{l10n.t('Training report')}</h2>
        <p class="report-verdict">{verdictText(report, running)}</p>
        {judged > 0 && <TrainsBar trains={report.trains} judged={judged} />}
        {report.findings.length > 0 && (
          <button type="button" class="link" aria-expanded={!folded} onClick={toggle}>
            {folded ? l10n.t('Show what to do') : l10n.t('One line per finding')}
            <Icon name={folded ? 'down' : 'up'} />
          </button>
        )}
      </div>
      {report.findings.length > 0 && (
        <ul class="findings">
          {report.findings.map((finding) => (
            <li key={`${finding.severity} ${finding.code}`}>
              <FindingButton
                finding={finding}
                config={config}
                pressed={hasTerm(filter, findingTerm(finding.code))}
                onPress={() => onChoose(finding.code)}
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** A report whose page was left was read. Then each finding has one line, until there are other findings. */
function useReadReport({ findings }: ReportView, running: boolean) {
  const { memory } = useViewer();
  const codes = findings.map(({ code }) => code).join(' ');
  const [read, setRead] = usePersistentState(memoryKey, (saved) => (typeof saved === 'string' ? saved : ''));
  const newest = useRef('');
  newest.current = running ? '' : codes;
  useEffect(() => () => memory.write(memoryKey, newest.current), []);
  const folded = read !== '' && read === codes;
  return { folded, toggle: () => setRead(folded ? '' : codes) };
}

const memoryKey = 'report.read';

function verdictText({ trains, doesNotTrain, findings }: ReportView, running: boolean): string {
  const judged = trains + doesNotTrain;
  if (judged === 0) {
    return running
      ? l10n.t('No episode has ended yet.')
      : l10n.t('It is unknown which episodes would train.');
  }
  const [some, all] = [count(trains), count(judged)];
  if (running) return l10n.t('{0} of {1} episodes would train so far.', some, all);
  if (findings.length === 0) {
    return l10n.t('{0} of {1} episodes would train, without findings.', some, all);
  }
  return l10n.t('{0} of {1} episodes would train.', some, all);
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
  readonly config: string;
  readonly pressed: boolean;
  readonly onPress: () => void;
}

function FindingButton({ finding, config, pressed, onPress }: FindingProps) {
  // A finding about the whole run has no episodes to select.
  if (finding.count === 0) {
    return (
      <div class={`finding finding-${finding.severity} about-run`} title={finding.message}>
        <FindingText finding={finding} hint={<Hint text={finding.hint} config={config} />} />
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
      <FindingText finding={finding} hint={<InlineCode text={finding.hint} />} />
    </button>
  );
}

interface FindingTextProps {
  readonly finding: Finding;
  readonly hint: ComponentChildren;
}

function FindingText({ finding, hint }: FindingTextProps) {
  const { severity, message, code } = finding;
  return (
    <>
      <Icon name={severity === 'error' ? 'cross' : 'warning'} />
      <span class="finding-severity">{severity === 'error' ? l10n.t('error') : l10n.t('warning')}</span>
      <span class="finding-message">
        <FindingMessage code={code} message={message} />
        <span class="finding-hint">{hint}</span>
      </span>
      <span class="finding-count">{concerned(finding)}</span>
    </>
  );
}

function concerned({ count: episodes, groups }: Finding): string {
  if (episodes === 0) return l10n.t('the run');
  const inEpisodes = countedEpisodes(episodes);
  if (groups === 0) return inEpisodes;
  return groups === 1
    ? l10n.t('1 group, {0}', inEpisodes)
    : l10n.t('{0} groups, {1}', count(groups), inEpisodes);
}
