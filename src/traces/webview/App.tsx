import { MissingRecordsContext } from './ui/Recorded.tsx';
import * as l10n from '@vscode/l10n';
import { useContext, useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { toReport, type ErrorReport } from '../../base/core/errors.ts';
import type { RunView, DamageView } from '../core/protocol/runRpc.ts';
import { damageTexts } from '../core/missingTexts.ts';
import type { TraceClient } from '../core/methods.ts';
import type { MissingData } from '../../tracking/core/records/tracedRun.ts';
import { Breadcrumbs } from './Breadcrumbs.tsx';
import { CompareScreen } from './compare/CompareScreen.tsx';
import { EpisodeScreen } from './episode/EpisodeScreen.tsx';
import { GroupScreen } from './group/GroupScreen.tsx';
import { RunScreen } from './run/RunScreen.tsx';
import { RunsScreen } from './runs/RunsScreen.tsx';
import { useFollow, useKeepingUp } from './state/follow.ts';
import type { Memory } from './state/memory.ts';
import type { Navigator } from './state/navigator.ts';
import { ShortcutsContext } from './state/shortcuts.ts';
import { useAnswer, useViewer, ViewerContext, type Viewer } from './state/viewer.ts';
import { Failure, Note, Pending } from '../../base/webview/ui/Notices.tsx';

function DamageNotice({ damage }: { readonly damage: DamageView }) {
  return (
    <section aria-label={l10n.t('Damage')}>
      <Note kind="warning">
        <p class="notice-title">{l10n.t('This file is damaged. The viewer shows the readable parts.')}</p>
        <ul>
          {damageTexts(damage).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
        <p>{l10n.t('Copy it again from its original location, or run the episodes again.')}</p>
      </Note>
    </section>
  );
}

interface Props {
  readonly client: TraceClient;
  readonly trace: string;
  readonly navigator: Navigator;
  readonly memory: Memory;
  /** Reports whether a debugger holds the run, if an editor knows. */
  readonly followHeld?: (tell: (held: boolean) => void) => void;
}

export function App({ client, trace, navigator, memory, followHeld }: Props) {
  const [first] = useState(navigator.route);
  const [route, setPlace] = useState(first);
  const [version, setVersion] = useState(0);
  const [watchError, setWatchError] = useState<ErrorReport>();
  const [held, setHeld] = useState(false);
  const shortcuts = useContext(ShortcutsContext);
  const { follow, moved } = useFollow(navigator, memory);
  const arrived = () => {
    moved(navigator.route);
    setPlace(navigator.route);
  };
  // Runs before the first request, because the editor may send a location as soon as it gets one.
  useLayoutEffect(() => navigator.onChange(arrived), []);
  useLayoutEffect(() => followHeld?.(setHeld), []);
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => shortcuts.handle(event);
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  // Runs before the first request, so that no change is missed between a response and the watch.
  useLayoutEffect(() => {
    const listening = client.onChanged((changed) => {
      if (changed === trace) setVersion((last) => last + 1);
    });
    client.ask('watch', { trace }).catch((error: unknown) => setWatchError(toReport(error, 'viewer/watch')));
    return () => listening.dispose();
  }, []);
  const viewer = useMemo<Viewer>(
    () => ({
      client,
      trace,
      version,
      refresh: () => setVersion((last) => last + 1),
      route,
      memory,
      hasNavigated: route !== first,
      navigate: (next) => navigator.go(next),
      follow,
      held,
    }),
    [version, held, route, follow.on, follow.seen],
  );
  return (
    <ViewerContext.Provider value={viewer}>
      <Page navigator={navigator} watchError={watchError} />
    </ViewerContext.Provider>
  );
}

interface PageProps {
  readonly navigator: Navigator;
  readonly watchError: ErrorReport | undefined;
}

function Page({ navigator, watchError }: PageProps) {
  const { trace, route, follow } = useViewer();
  const run = useAnswer('run', { trace });
  useKeepingUp(run.value, route, follow);
  useEffect(() => {
    if (run.value) document.title = l10n.t('{0} · AgentJet trace', run.value.experiment);
  }, [run.value?.experiment]);
  if (run.value === undefined) {
    return (
      <main class="screen">
        <Pending {...run}>{l10n.t('Loading the trace…')}</Pending>
      </main>
    );
  }
  return (
    <>
      <Breadcrumbs run={run.value} navigator={navigator} />
      {run.error && <Failure report={run.error} retry={run.retry} />}
      {watchError && !run.error && <Failure report={watchError} />}
      {run.value.damage && <DamageNotice damage={run.value.damage} />}
      <MissingRecordsContext.Provider value={run.value.imported?.lacks ?? nothing}>
        <Screen run={run.value} />
      </MissingRecordsContext.Provider>
    </>
  );
}

const nothing: readonly MissingData[] = [];

function Screen({ run }: { readonly run: RunView }) {
  const { route } = useViewer();
  switch (route.kind) {
    case 'run':
      return <RunScreen run={run} route={route} />;
    case 'runs':
      return <RunsScreen run={run} />;
    case 'group':
      return <GroupScreen key={route.group} run={run} group={route.group} />;
    case 'episode':
    case 'call':
    case 'timeline':
      return <EpisodeScreen key={route.episode} run={run} episode={route.episode} />;
    case 'compare':
      return <CompareScreen run={run} route={route} />;
  }
}
