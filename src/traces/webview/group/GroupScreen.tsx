import * as l10n from '@vscode/l10n';
import type { EpisodeRow, GroupView, Extreme } from '../../core/protocol/traceLists.ts';
import type { RunView } from '../../core/protocol/runRpc.ts';
import { canRunEpisodes } from '../../../tracking/core/records/tracedRun.ts';
import { episodeRoute, groupRoute } from '../state/route.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { useAnswer, useViewer } from '../state/viewer.ts';
import { count, percent, reward } from '../../../base/core/format.ts';
import { Icon } from '../../../base/webview/ui/Icon.tsx';
import { Failure, Note, Pending } from '../../../base/webview/ui/Notices.tsx';
import { RouteLink } from '../ui/RouteLink.tsx';
import { Recorded, recordsOfTraining } from '../ui/Recorded.tsx';
import { Stat, Status } from '../../../base/webview/ui/Stat.tsx';
import { useFold, type Fold } from '../../../base/webview/ui/useFold.tsx';
import { callsCell, timeCell, tokensCell, TrainableCell } from '../run/cells.tsx';
import { findingTerm } from '../run/ReportPanel.tsx';
import { RepeatTable } from './RepeatTable.tsx';

export function GroupScreen({ run, group: number }: { readonly run: RunView; readonly group: number }) {
  const { trace } = useViewer();
  const { value: group, error, retry } = useAnswer('group', { trace, group: number });
  const fold = useFold();
  if (group === undefined) {
    return (
      <main class="screen">
        <Neighbours group={number} groups={run.tasks} />
        <Pending error={error} retry={retry}>
          {l10n.t('Loading group {0}…', number)}
        </Pending>
      </main>
    );
  }
  return (
    <main class={`screen group-screen ${fold.className}`}>
      {error && <Failure report={error} retry={retry} />}
      <GroupHeader group={group} fold={fold} />
      <GroupFindings run={run} episodes={group.episodes} />
      <section class="episodes" aria-label={l10n.t('Episodes')}>
        <RepeatTable group={number} episodes={group.episodes} canRun={canRunEpisodes(run)} />
      </section>
    </main>
  );
}

interface HeaderProps {
  readonly group: GroupView;
  readonly fold: Fold;
}

function GroupHeader({ group: { row, groups, episodes }, fold }: HeaderProps) {
  const running = row.ended < row.started && episodes.some(({ state }) => state === 'running');
  return (
    <header class="group-header">
      <div class="title-line">
        <h1>{row.taskId}</h1>
        <span class="muted">{l10n.t('group {0}', row.group)}</span>
        {running && <Status kind="running" word={l10n.t('running')} />}
        {fold.button}
        <Extremes best={row.best} worst={row.worst} />
        <Neighbours group={row.group} groups={groups} />
      </div>
      <p class="group-query foldable">{row.query}</p>
      <dl class="stats foldable">
        <Stat name={l10n.t('Repeats')} note={l10n.t('{0} ended', count(row.ended))}>
          {count(row.started)}
        </Stat>
        <Stat name={l10n.t('Mean reward')}>{reward(row.meanReward)}</Stat>
        <Stat name={l10n.t('Spread')}>{reward(row.deviation)}</Stat>
        <Stat name={l10n.t('Success')}>
          <Recorded of={['successes']}>{percent(row.successRate)}</Recorded>
        </Stat>
        <Stat name={l10n.t('Failed')}>{count(row.failed)}</Stat>
        <Stat name={l10n.t('Would train')}>
          <Recorded of={recordsOfTraining}>
            {row.trains === null ? l10n.t('open') : l10n.t('{0} of {1}', row.trains, row.started)}
          </Recorded>
        </Stat>
        <Stat name={l10n.t('Calls')}>{callsCell(row)}</Stat>
        <Stat name={l10n.t('Tokens')}>{tokensCell(row)}</Stat>
        <Stat name={l10n.t('Trainable')}>
          <TrainableCell {...row} />
        </Stat>
        <Stat name={l10n.t('Total time')}>{timeCell(row)}</Stat>
      </dl>
    </header>
  );
}

function Extremes({ best, worst }: { readonly best: Extreme | null; readonly worst: Extreme | null }) {
  const { navigate } = useViewer();
  const open = (extreme: Extreme | null) => extreme && navigate(episodeRoute(extreme.episode));
  useShortcuts(l10n.t('Group'), [
    { keys: ['b'], what: l10n.t('Best episode'), run: () => open(best) },
    { keys: ['w'], what: l10n.t('Worst episode'), run: () => open(worst) },
  ]);
  return (
    <span class="buttons">
      <button type="button" disabled={best === null} onClick={() => open(best)}>
        {best === null ? l10n.t('Best') : l10n.t('Best: {0}', reward(best.reward))} <kbd>b</kbd>
      </button>
      <button type="button" disabled={worst === null} onClick={() => open(worst)}>
        {worst === null ? l10n.t('Worst') : l10n.t('Worst: {0}', reward(worst.reward))} <kbd>w</kbd>
      </button>
    </span>
  );
}

function Neighbours({ group, groups }: { readonly group: number; readonly groups: number }) {
  const { navigate } = useViewer();
  const step = (to: number) => {
    if (to >= 0 && to < groups) navigate(groupRoute(to));
  };
  useShortcuts(l10n.t('Group'), [
    { keys: ['['], what: l10n.t('Previous group'), run: () => step(group - 1) },
    { keys: [']'], what: l10n.t('Next group'), run: () => step(group + 1) },
  ]);
  return (
    <span class="buttons">
      <button type="button" disabled={group === 0} onClick={() => step(group - 1)}>
        <Icon name="back" /> {l10n.t('Previous group')} <kbd>[</kbd>
      </button>
      <button type="button" disabled={group >= groups - 1} onClick={() => step(group + 1)}>
        {l10n.t('Next group')} <kbd>]</kbd> <Icon name="forward" />
      </button>
    </span>
  );
}

interface FindingsProps {
  readonly run: RunView;
  readonly episodes: readonly EpisodeRow[];
}

function GroupFindings({ run, episodes }: FindingsProps) {
  const ofGroups = new Set(
    run.report.findings.flatMap(({ code, level }) => (level === 'group' ? [code] : [])),
  );
  const found = episodes.flatMap(({ findings }) => findings.filter(({ code }) => ofGroups.has(code)));
  const different = [...new Map(found.map((finding) => [finding.message, finding])).values()];
  return (
    <>
      {different.map(({ code, severity, message, hint }) => (
        <Note key={message} kind={severity}>
          {message} <span class="finding-code mono">{code}</span>
          <span class="finding-hint">{hint}</span>
          <RouteLink to={{ kind: 'run', list: 'groups', filter: findingTerm(code), sort: null }}>
            {l10n.t('All groups with this finding')}
          </RouteLink>
        </Note>
      ))}
    </>
  );
}
