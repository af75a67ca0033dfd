import * as l10n from '@vscode/l10n';
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { thisMachine } from '../core/page/localRun.ts';
import { type RunRef, type RunPageRequest, type HostState } from '../core/page/trainingRunRpc.ts';
import { onThemeChange } from '../../base/webview/state/theme.ts';
import type { Memory } from '../../traces/webview/state/memory.ts';
import { Loading, Note } from '../../base/webview/ui/Notices.tsx';
import { ChartGrid } from './chart/ChartGrid.tsx';
import { readPlotTheme } from './chart/theme.ts';
import { Cursor } from './cursor.ts';
import type { RunPageModel } from './data/model.ts';
import type { RunData } from './data/runData.ts';
import { Checkpoints } from './header/Checkpoints.tsx';
import { EmptyRun } from './header/EmptyRun.tsx';
import { RunHeader } from './header/RunHeader.tsx';
import { Rollouts } from './header/Rollouts.tsx';
import { RunList } from './header/RunList.tsx';
import { PageContext, type Page, usePage, useNow, keepView, keptView, type View } from './page.ts';
import { stepText } from './text.ts';
import { count, moment } from '../../base/core/format.ts';
import { Icon } from '../../base/webview/ui/Icon.tsx';
import { alarmWords, foldedAlarms } from './header/words.ts';

interface Props {
  readonly model: RunPageModel;
  readonly memory: Memory;
  readonly ask: (ask: RunPageRequest) => void;
}

export function App({ model, memory, ask }: Props) {
  const version = useVersion(model);
  const [view, setView] = useState(() => keptView(memory));
  const [theme, setTheme] = useState(readPlotTheme);
  const cursor = useMemo(() => new Cursor(), []);
  useEffect(() => onThemeChange(() => setTheme(readPlotTheme())), []);
  // Sent after useVersion has added its listener.
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
            <h1 class="empty-title">{goneText(goneFrom)}</h1>
            {goneFrom !== thisMachine && (
              <p>{l10n.t('It was removed from the host, with its log and metrics.')}</p>
            )}
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

function goneText(host: string): string {
  return host === thisMachine
    ? l10n.t('The folder of this training no longer exists.')
    : l10n.t('{0} no longer has this run.', host);
}

function keysOf(refs: readonly RunRef[]): string {
  return refs.map(({ host, run }) => `${host} ${run}`).join('\n');
}

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
      {model.goneFrom !== undefined && (
        <Announcement
          kind="error"
          title={goneText(model.goneFrom)}
          lines={[
            model.goneFrom === thisMachine
              ? l10n.t('This page still shows the data that it received before.')
              : l10n.t(
                  'It was removed from the host. This page still shows the data that it received before.',
                ),
          ]}
        />
      )}
      {runs.map((run) => run.unheard !== null && <Unheard key={run.id} run={run} problem={run.unheard} />)}
      <RunHeader />
      <Alarms />
      {!own.hasMetrics && <EmptyRun />}
      <RunList />
      {(hasMetrics || hasGpus) && <ChartGrid />}
      <Rollouts />
      <Checkpoints />
    </main>
  );
}

interface AnnouncementProps {
  readonly kind: 'warning' | 'error';
  readonly title: string;
  readonly lines: readonly string[];
}

/** A note that screen readers announce. */
function Announcement({ kind, title, lines }: AnnouncementProps) {
  return (
    <div role={kind === 'error' ? 'alert' : 'status'}>
      <Note kind={kind}>
        <p class="notice-title">{title}</p>
        {lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </Note>
    </div>
  );
}

function Unheard({ run, problem }: { readonly run: RunData; readonly problem: string }) {
  const then =
    run.shown.local === undefined
      ? l10n.t('The run continues, and the page retries automatically. Until then, see the log of the run.')
      : l10n.t('The page retries automatically.');
  const title = l10n.t('No data from “{0}”. Its charts are paused.', run.name);
  return <Announcement kind="warning" title={title} lines={[problem, then]} />;
}

/** Returns a number that changes with the model, at most once per frame. Thousands of events can arrive at once. */
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

function Alarms() {
  const { runs } = usePage();
  const alarms = runs.flatMap((run) => foldedAlarms(run).map((alarm) => ({ ...alarm, run })));
  if (alarms.length === 0) return null;
  alarms.sort((a, b) => b.at - a.at);
  return (
    <section class="panel" aria-labelledby="alarms">
      <h2 id="alarms">{l10n.t('Alarms')}</h2>
      <ul class="alarms">
        {alarms.map(({ run, seq, alarm, text, at, step, stage, times }) => {
          const { title, advice } = alarmWords(alarm);
          return (
            <li key={`${run.id} ${seq}`} class="notice notice-warning">
              <Icon name="warning" />
              <div class="notice-body">
                <p class="notice-title">
                  {title}{' '}
                  <span class="stat-note">
                    {[
                      ...(runs.length > 1 ? [run.name] : []),
                      ...(stage > 0 ? [l10n.t('stage {0}', run.stageName(stage))] : []),
                      step === null ? moment(at) : stepText(step),
                      ...(times > 1 ? [l10n.t('{0} times', count(times))] : []),
                    ].join(' · ')}
                  </span>
                </p>
                <p>{text}</p>
                {advice !== '' && <p>{advice}</p>}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Connection({ host, state }: { readonly host: string; readonly state: HostState }) {
  const now = useNow(state.kind === 'waiting');
  switch (state.kind) {
    case 'connected':
      return null;
    case 'connecting':
      if (state.attempt <= 1) return null;
      return <Note kind="info">{l10n.t('Connecting to {0} …', host)}</Note>;
    case 'waiting':
      return (
        <Announcement
          kind="warning"
          title={l10n.t('The connection to {0} is lost. Its runs continue.', host)}
          lines={[state.reason, retryText(state.retryAt - now)]}
        />
      );
    case 'ended':
      return (
        <Announcement
          kind="error"
          title={
            host === thisMachine
              ? l10n.t('The training cannot be read.')
              : l10n.t('There is no connection to {0}. Its runs continue.', host)
          }
          lines={[state.reason]}
        />
      );
  }
}

function retryText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds <= 0 ? l10n.t('Reconnecting now.') : l10n.t('Reconnecting in {0} s.', seconds);
}
