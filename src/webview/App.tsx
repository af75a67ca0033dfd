import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { toReport, type ErrorReport } from '../base/errors.ts';
import type { TraceClient } from '../protocol/traceRpc.ts';
import { EpisodeScreen } from './episode/EpisodeScreen.tsx';
import { RunScreen, type RunMemory } from './run/RunScreen.tsx';
import type { Navigator } from './state/navigator.ts';
import { episodePlace, runPlace, type Place } from './state/place.ts';
import { useAnswer, useViewer, ViewerContext, type Viewer } from './state/viewer.ts';
import { Icon } from './ui/Icon.tsx';
import { Failure, Loading } from './ui/Notices.tsx';

interface Props {
  readonly client: TraceClient;
  readonly trace: string;
  readonly navigator: Navigator;
}

export function App({ client, trace, navigator }: Props) {
  const [place, setPlace] = useState(navigator.place);
  const [version, setVersion] = useState(0);
  const [watchError, setWatchError] = useState<ErrorReport>();
  useEffect(() => navigator.onChange(() => setPlace(navigator.place)), []);
  // Before anything is asked: no change may fall between an answer and the watch.
  useLayoutEffect(() => {
    const listening = client.onChanged((changed) => {
      if (changed === trace) setVersion((last) => last + 1);
    });
    client.ask('watch', { trace }).catch((error: unknown) => setWatchError(toReport(error, 'viewer/watch')));
    return () => listening.dispose();
  }, []);
  const viewer = useMemo<Viewer>(
    () => ({ client, trace, version, place, go: (next) => navigator.go(next) }),
    [version, place],
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
  const { trace, place } = useViewer();
  const run = useAnswer('run', { trace });
  const [memory, setMemory] = useState<RunMemory>({ active: place.episode ?? 0, finding: null });
  useEffect(() => {
    if (run.value) document.title = `${run.value.experiment} · AgentJet trace`;
  }, [run.value?.experiment]);
  if (run.value === undefined) {
    return (
      <main class="screen">
        {run.error ? <Failure report={run.error} retry={run.retry} /> : <Loading what="the trace" />}
      </main>
    );
  }
  return (
    <>
      {place.episode !== null && <Breadcrumbs experiment={run.value.experiment} navigator={navigator} />}
      {run.error && <Failure report={run.error} retry={run.retry} />}
      {watchError && !run.error && <Failure report={watchError} />}
      {place.episode === null ? (
        <RunScreen run={run.value} memory={memory} onMemory={setMemory} />
      ) : (
        <EpisodeScreen key={place.episode} episode={place.episode} />
      )}
    </>
  );
}

function Breadcrumbs({
  experiment,
  navigator,
}: {
  readonly experiment: string;
  readonly navigator: Navigator;
}) {
  const { place, go } = useViewer();
  const crumbs = crumbsOf(place, experiment);
  return (
    <nav class="breadcrumbs" aria-label="Breadcrumbs">
      <button
        type="button"
        class="icon-button"
        aria-label="Back"
        title="Back"
        onClick={() => navigator.back()}
      >
        <Icon name="back" />
      </button>
      <ol>
        {crumbs.map(({ name, target }, index) => (
          <li key={name}>
            {index > 0 && <Icon name="chevron" />}
            {target ? (
              <button type="button" class="link" onClick={() => go(target)}>
                {name}
              </button>
            ) : (
              <span aria-current="page">{name}</span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** From the run to the place, which itself leads nowhere. */
function crumbsOf(place: Place, experiment: string): { readonly name: string; readonly target?: Place }[] {
  const { episode, call, timeline } = place;
  if (episode === null) return [{ name: experiment }];
  const above = [{ name: experiment, target: runPlace }];
  const name = `Episode ${episode}`;
  if (call !== null) return [...above, { name, target: episodePlace(episode) }, { name: `Call ${call}` }];
  if (timeline === null) return [...above, { name }];
  return [...above, { name, target: episodePlace(episode) }, { name: `Timeline ${timeline}` }];
}
