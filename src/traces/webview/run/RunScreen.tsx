import * as l10n from '@vscode/l10n';
import { useMemo, useState } from 'preact/hooks';
import type { Histogram, NamesView } from '../../core/protocol/traceLists.ts';
import type { RunView } from '../../core/protocol/runRpc.ts';
import { canRunEpisodes } from '../../../tracking/core/records/tracedRun.ts';
import { parseFilter } from '../../core/filterText.ts';
import type { RunRoute } from '../state/route.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { useAnswer, usePersistentState, useViewer } from '../state/viewer.ts';
import { Segment } from '../../../base/webview/ui/Stat.tsx';
import { FollowLatest } from '../ui/FollowLatest.tsx';
import { useFold } from '../../../base/webview/ui/useFold.tsx';
import type { RewardRange } from './cells.tsx';
import { EpisodeTable, GroupTable } from './RunTables.tsx';
import { toggledTerm } from './filterEdit.ts';
import { FilterField } from './FilterField.tsx';
import { Histograms } from './Histograms.tsx';
import { findingTerm, ReportPanel } from './ReportPanel.tsx';
import { RunHeader } from './RunHeader.tsx';
import { runState } from '../../core/runStatus.ts';
import { IconButton } from '../../../base/webview/ui/Icon.tsx';

const mostSaved = 20;

interface SavedFiltersProps {
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
}

function SavedFilters({ filter, onFilter }: SavedFiltersProps) {
  const [saved, keep] = usePersistentState('filters', readFilters);
  const offersSaving = filter !== '' && !saved.includes(filter) && saved.length < mostSaved;
  if (saved.length === 0 && !offersSaving) return null;
  return (
    <ul class="saved-filters" aria-label={l10n.t('Saved filters')}>
      {saved.map((one) => (
        <li key={one} class="saved-filter">
          <button
            type="button"
            class="mono"
            aria-pressed={one === filter}
            title={one}
            onClick={() => onFilter(one === filter ? '' : one)}
          >
            {one}
          </button>
          <IconButton
            icon="close"
            name={l10n.t('Delete the filter {0}', one)}
            title={l10n.t('Delete this filter')}
            onPress={() => keep(saved.filter((other) => other !== one))}
          />
        </li>
      ))}
      {offersSaving && (
        <li>
          <button type="button" class="link" onClick={() => keep([...saved, filter])}>
            {l10n.t('Save this filter')}
          </button>
        </li>
      )}
    </ul>
  );
}

function readFilters(saved: unknown): readonly string[] {
  return Array.isArray(saved) ? saved.filter((one) => typeof one === 'string').slice(0, mostSaved) : [];
}

interface Props {
  readonly run: RunView;
  readonly route: RunRoute;
}

export function RunScreen({ run, route }: Props) {
  const { trace, navigate } = useViewer();
  const fold = useFold();
  const histograms = useAnswer('histograms', { trace });
  const { filter } = route;
  const onFilter = (next: string) => navigate({ ...route, filter: next.trim() });
  const others = run.report.findings.map(({ code }) => findingTerm(code));
  return (
    <main class={`screen run-screen ${fold.className}`}>
      <RunHeader run={run} fold={fold} />
      <Histograms histograms={histograms.value ?? []} filter={filter} onFilter={onFilter} />
      <ReportPanel
        report={run.report}
        config={run.config}
        running={runState(run) === 'running'}
        filter={filter}
        onChoose={(code) => onFilter(toggledTerm(filter, findingTerm(code), others))}
      />
      <Lists run={run} route={route} onFilter={onFilter} rewards={rewardsOf(histograms.value)} />
    </main>
  );
}

interface ListsProps extends Props {
  readonly rewards: RewardRange;
  readonly onFilter: (filter: string) => void;
}

function Lists({ run, route, onFilter, rewards }: ListsProps) {
  const { navigate, follow } = useViewer();
  const { known, onWanted } = useKnown(run);
  const parsed = useMemo(() => parseFilter(route.filter), [route.filter]);
  const show = (list: RunRoute['list']) => navigate({ ...route, list, sort: null });
  useShortcuts(l10n.t('Run'), [
    {
      keys: ['t'],
      what: l10n.t('Episodes or groups'),
      run: () => show(route.list === 'groups' ? 'episodes' : 'groups'),
    },
    {
      keys: ['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End'],
      what: l10n.t('Move to another row'),
    },
    { keys: ['Enter'], what: l10n.t('Open the row') },
  ]);
  const table = {
    filter: 'filter' in parsed ? parsed.filter : null,
    sort: route.sort,
    onSort: (sort: RunRoute['sort']) => navigate({ ...route, sort }),
    onClear: () => onFilter(''),
    follows: run.live && follow.on,
    onLeave: () => {
      if (follow.on) follow.set(false);
    },
  };
  return (
    <section class="episodes" aria-label={l10n.t('Episodes')}>
      <div class="list-bar">
        <div class="segments" role="group" aria-label={l10n.t('List')}>
          <Segment
            name={l10n.t('Episodes')}
            on={route.list === 'episodes'}
            onPress={() => show('episodes')}
          />
          <Segment name={l10n.t('Groups')} on={route.list === 'groups'} onPress={() => show('groups')} />
        </div>
        <FollowLatest run={run} />
        <FilterField filter={route.filter} onFilter={onFilter} known={known} onFocus={onWanted} />
        <SavedFilters filter={route.filter} onFilter={onFilter} />
      </div>
      {route.list === 'groups' ? (
        <GroupTable {...table} />
      ) : (
        <EpisodeTable {...table} canRun={canRunEpisodes(run)} rewards={rewards} />
      )}
    </section>
  );
}

function rewardsOf(histograms: readonly Histogram[] | undefined): RewardRange {
  const bars = histograms?.find(({ field }) => field === 'reward')?.bars ?? [];
  const [first, last] = [bars[0], bars.at(-1)];
  return first && last && [first.from, last.to];
}

const noNames: NamesView = { agents: [], tools: [], tasks: [], sources: [], metadata: [], tags: [] };

/** Provides the names for completions. Agents and tools are loaded when the user is about to type. */
function useKnown(run: RunView) {
  const { client, trace } = useViewer();
  const [names, setNames] = useState(noNames);
  const onWanted = () => {
    // Without names, fields are still offered.
    client.ask('names', { trace }).then(setNames, () => undefined);
  };
  const findings = run.report.findings.filter(({ count }) => count > 0).map(({ code }) => code);
  return { known: { ...names, findings }, onWanted };
}
