import type { EpisodeFinding, EpisodeView } from '../../protocol/traceRpc.ts';
import { CallDetail } from '../detail/CallDetail.tsx';
import { TimelineDetail } from '../detail/TimelineDetail.tsx';
import { episodeStatus, trainsWord } from '../run/status.ts';
import { depth, episodePlace } from '../state/place.ts';
import { useAnswer, useViewer } from '../state/viewer.ts';
import { count, counted, duration, reward, share } from '../ui/format.ts';
import { Icon } from '../ui/Icon.tsx';
import { Empty, Failure, Loading, Note } from '../ui/Notices.tsx';
import { Stat } from '../ui/Stat.tsx';
import { useFold, type Fold } from '../ui/useFold.tsx';
import { CallLanes } from './CallLanes.tsx';
import { Parts } from './Parts.tsx';

interface Props {
  readonly episode: number;
}

/** One episode: when it called, what came of the calls, and one of them or of its timelines in full. */
export function EpisodeScreen({ episode: number }: Props) {
  const { trace, place } = useViewer();
  const { value: episode, error, retry } = useAnswer('episode', { trace, episode: number });
  const fold = useFold();
  if (episode === undefined) {
    return (
      <main class="screen">
        {error ? <Failure report={error} retry={retry} /> : <Loading what={`episode ${number}`} />}
      </main>
    );
  }
  const { findings } = episode.row;
  return (
    <main class={`screen episode-screen ${fold.className}`}>
      {error && <Failure report={error} retry={retry} />}
      <EpisodeHeader episode={episode} findings={findings} fold={fold} />
      {episode.calls.length > 0 && <CallLanes episode={episode} />}
      <div class={`split ${depth(place) < 2 ? 'split-overview' : ''}`}>
        <Parts episode={episode} />
        <Detail episode={episode} findings={findings} />
      </div>
    </main>
  );
}

interface HeaderProps {
  readonly episode: EpisodeView;
  readonly findings: readonly EpisodeFinding[];
  readonly fold: Fold;
}

function EpisodeHeader({ episode: { row }, findings, fold }: HeaderProps) {
  const status = episodeStatus(row);
  return (
    <header class="episode-header">
      <div class="title-line">
        <h1>{row.taskId}</h1>
        <span class="muted">repeat {row.repeat}</span>
        <span class={`status status-${status}`} role="status">
          <span class="status-dot" aria-hidden="true" />
          {status}
        </span>
        {fold.button}
      </div>
      <dl class="stats foldable">
        <Stat name="Reward">{reward(row.reward)}</Stat>
        <Stat name="Time">{duration(row.seconds)}</Stat>
        <Stat name="Calls">{count(row.calls)}</Stat>
        <Stat name="Timelines">{count(row.timelines)}</Stat>
        <Stat name="Tokens">{count(row.tokens)}</Stat>
        <Stat name="Trainable" note={share(row.trainableTokens, row.tokens)}>
          {count(row.trainableTokens)}
        </Stat>
        <Stat name="Would train">{trainsWord(row.trains)}</Stat>
      </dl>
      {row.trains === false && <WouldNotTrain episode={row.episode} findings={findings} />}
    </header>
  );
}

interface WouldNotTrainProps {
  readonly episode: number;
  readonly findings: readonly EpisodeFinding[];
}

/** Why an episode does not train, wherever in it one is; the overview has all of its findings. */
function WouldNotTrain({ episode, findings: [first, ...others] }: WouldNotTrainProps) {
  const { place, go } = useViewer();
  return (
    <p class="would-not-train">
      <Icon name="cross" />
      <span>
        <strong>Would not train</strong>
        {first && (
          <>
            : {first.message} <span class="finding-code mono">{first.code}</span>
            <span class="finding-hint">{first.hint}</span>
          </>
        )}
        {others.length > 0 && depth(place) === 2 && (
          <button type="button" class="link" onClick={() => go(episodePlace(episode))}>
            and {counted(others.length, 'other finding')}
          </button>
        )}
      </span>
    </p>
  );
}

interface DetailProps {
  readonly episode: EpisodeView;
  readonly findings: readonly EpisodeFinding[];
}

function Detail({ episode, findings }: DetailProps) {
  const { place } = useViewer();
  const number = episode.row.episode;
  if (place.call !== null) return <CallDetail episode={number} call={place.call} />;
  if (place.timeline !== null) {
    return <TimelineDetail episode={number} timeline={place.timeline} />;
  }
  return <Overview episode={episode} findings={findings} />;
}

/** What is known of the episode as a whole. A lone reason not to train is in the header already. */
function Overview({ episode: { row, calls }, findings }: DetailProps) {
  const listed = row.trains === false && findings.length === 1 ? [] : findings;
  return (
    <section class="detail" aria-label="Overview">
      {row.error && <Failure report={row.error} />}
      {listed.map(({ code, message, severity, hint }) => (
        <Note key={message} kind={severity}>
          <strong class="finding-severity">{severity}</strong> {message}{' '}
          <span class="finding-code mono">{code}</span>
          <span class="finding-hint">{hint}</span>
        </Note>
      ))}
      <h2>Task</h2>
      <p class="text-block">{row.query}</p>
      {calls.length === 0 && (
        <Empty title="No calls yet.">
          {row.state === 'running'
            ? 'The workflow has not asked its model anything so far.'
            : 'The workflow asked its model nothing, so there is nothing to train on.'}
        </Empty>
      )}
    </section>
  );
}
