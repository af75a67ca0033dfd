import * as l10n from '@vscode/l10n';
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { Place, RunPageAsk } from '../core/page/trainingRunRpc.ts';
import { onThemeChange } from '../../traces/webview/episode/axis/theme.ts';
import type { Memory } from '../../traces/webview/state/memory.ts';
import { Loading, Note } from '../../base/webview/ui/Notices.tsx';
import { ChartGrid } from './chart/ChartGrid.tsx';
import { readPlotTheme } from './chart/theme.ts';
import { Cursor } from './cursor.ts';
import type { RunPageModel } from './data/model.ts';
import type { RunData } from './data/runData.ts';
import { Alarms } from './header/Alarms.tsx';
import { Checkpoints } from './header/Checkpoints.tsx';
import { Connection } from './header/Connection.tsx';
import { EmptyRun } from './header/EmptyRun.tsx';
import { RunHeader } from './header/RunHeader.tsx';
import { RunList } from './header/RunList.tsx';
import { PageContext, type Page } from './page.ts';
import { keepView, keptView, type View } from './view.ts';

interface Props {
  readonly model: RunPageModel;
  readonly memory: Memory;
  readonly ask: (ask: RunPageAsk) => void;
}

export function App({ model, memory, ask }: Props) {
  const version = useVersion(model);
  const [view, setView] = useState(() => keptView(memory));
  const [theme, setTheme] = useState(readPlotTheme);
  const cursor = useMemo(() => new Cursor(), []);
  useEffect(() => onThemeChange(() => setTheme(readPlotTheme())), []);
  // Once it listens, see useVersion.
  useLayoutEffect(() => ask({ type: 'ready', compared: [...view.compared] }), []);
  useEffect(() => {
    const { compared } = model;
    if (compared === undefined || keysOf(compared) === keysOf(view.compared)) return;
    setView({ ...view, compared });
  }, [version]);
  useEffect(() => keepView(memory, view), [view]);
  const { runs = [], goneFrom } = model;
  const [own] = runs;
  useEffect(() => {
    if (own) document.title = l10n.t('{0} · AgentJet run', own.name);
  }, [own?.name]);
  if (own === undefined) {
    return (
      <main class="screen">
        {[...model.connections].map(([host, state]) => (
          <Connection key={host} host={host} state={state} />
        ))}
        {goneFrom !== undefined && (
          <div class="empty">
            <h1 class="empty-title">{l10n.t('{0} has this run no more.', goneFrom)}</h1>
            <p>{l10n.t('It was removed there, with its log and its metrics.')}</p>
          </div>
        )}
        {isAwaited(model) && <Loading>{l10n.t('Loading the run …')}</Loading>}
      </main>
    );
  }
  for (const run of runs) run.chooseStage(view.stage);
  const change = (changes: Partial<View>) => setView((before) => ({ ...before, ...changes }));
  const isGone = goneFrom !== undefined;
  const page: Page = { runs, own, isGone, version, view, change, cursor, theme, ask };
  return (
    <PageContext.Provider value={page}>
      <Screen model={model} page={page} />
    </PageContext.Provider>
  );
}

function keysOf(places: readonly Place[]): string {
  return places.map(({ host, run }) => `${host} ${run}`).join('\n');
}

/** Nothing comes from a host that is not tried again. */
function isAwaited({ connections, goneFrom }: RunPageModel): boolean {
  return goneFrom === undefined && ![...connections.values()].some(({ kind }) => kind === 'ended');
}

function Screen({ model, page: { runs, own } }: { readonly model: RunPageModel; readonly page: Page }) {
  const hosts = [...new Set(runs.map(({ shown }) => shown.host))];
  const hasMetrics = runs.some((run) => run.hasMetrics);
  const hasGpus = runs.some(({ gpuLoad, gpuMemory }) => gpuLoad.length + gpuMemory.length > 0);
  return (
    <main class="screen training-run">
      {hosts.map((host) => {
        const state = model.connections.get(host);
        return state && <Connection key={host} host={host} state={state} />;
      })}
      {model.goneFrom !== undefined && <Gone from={model.goneFrom} />}
      {runs.map((run) => run.unheard !== null && <Unheard key={run.id} run={run} problem={run.unheard} />)}
      <RunHeader />
      <Alarms />
      {!own.hasMetrics && <EmptyRun />}
      <RunList />
      {(hasMetrics || hasGpus) && <ChartGrid />}
      <Checkpoints />
    </main>
  );
}

function Gone({ from }: { readonly from: string }) {
  return (
    <div role="alert">
      <Note kind="error">
        <p class="notice-title">{l10n.t('{0} has this run no more.', from)}</p>
        <p>{l10n.t('It was removed there. What this page was told before is still shown.')}</p>
      </Note>
    </div>
  );
}

/** Its host is connected, and tells nothing of it. */
function Unheard({ run, problem }: { readonly run: RunData; readonly problem: string }) {
  return (
    <div role="status">
      <Note kind="warning">
        <p class="notice-title">
          {l10n.t('What “{0}” measures does not come; its charts stand still.', run.name)}
        </p>
        <p>{problem}</p>
        <p>{l10n.t('The run goes on, and this is tried again by itself. Until then, see its log.')}</p>
      </Note>
    </div>
  );
}

/** Another number whenever the model has changed, but once a frame at most: events come by the thousand. */
function useVersion(model: RunPageModel): number {
  const [version, setVersion] = useState(0);
  useLayoutEffect(() => {
    let frame: number | undefined;
    const listening = model.onChanged(() => {
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        setVersion((last) => last + 1);
      });
    });
    return () => {
      listening.dispose();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [model]);
  return version;
}
