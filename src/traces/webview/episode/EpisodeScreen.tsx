import * as l10n from '@vscode/l10n';
import type { EpisodeView } from '../../core/protocol/episodeRpc.ts';
import type { RunView } from '../../core/protocol/runRpc.ts';
import { canRunEpisodes } from '../../../tracking/core/records/tracedRun.ts';
import { OwnRun } from '../compare/OtherRun.tsx';
import { CallDetail } from '../detail/CallDetail.tsx';
import { TimelineDetail } from '../detail/TimelineDetail.tsx';
import { MergeExplainer } from '../merge/MergeExplainer.tsx';
import { callsCell, timeCell, tokensCell, TrainableCell } from '../run/cells.tsx';
import { RouteLink } from '../ui/RouteLink.tsx';
import { Recorded, recordsOfTraining, useRecorded } from '../ui/Recorded.tsx';
import { episodeStatus, episodeStatusWord, trainsWord } from '../run/status.ts';
import { episodeRoute, isPart } from '../state/route.ts';
import { useAnswer, useViewer } from '../state/viewer.ts';
import { count, reward } from '../../../base/core/format.ts';
import { DebugEpisode } from '../ui/DebugEpisode.tsx';
import { FindingMessage } from '../ui/FindingMessage.tsx';
import { FollowLatest } from '../ui/FollowLatest.tsx';
import { GoToSource } from '../ui/GoToSource.tsx';
import { Icon } from '../../../base/webview/ui/Icon.tsx';
import { Empty, Failure, Note, Pending } from '../../../base/webview/ui/Notices.tsx';
import { Stat, Status } from '../../../base/webview/ui/Stat.tsx';
import { useFold, type Fold } from '../../../base/webview/ui/useFold.tsx';
import { TimeAxis } from './axis/TimeAxis.tsx';
import { Parts } from './Parts.tsx';

export function EpisodeScreen({ run, episode: number }: { readonly run: RunView; readonly episode: number }) {
  const { trace, route } = useViewer();
  const { value: episode, error, retry } = useAnswer('episode', { trace, episode: number });
  const fold = useFold();
  if (episode === undefined) {
    return (
      <main class="screen">
        <Pending error={error} retry={retry}>
          {l10n.t('Loading episode {0}…', number)}
        </Pending>
      </main>
    );
  }
  return (
    <main class={`screen episode-screen ${fold.className}`}>
      {error && <Failure report={error} retry={retry} />}
      <EpisodeHeader run={run} episode={episode} fold={fold} />
      <TimeAxis episode={episode} />
      <div class={`split ${isPart(route) ? '' : 'split-overview'}`}>
        <Parts episode={episode} />
        <Detail episode={episode} />
      </div>
    </main>
  );
}

interface HeaderProps {
  readonly run: RunView;
  readonly episode: EpisodeView;
  readonly fold: Fold;
}

function EpisodeHeader({ run, episode: { row }, fold }: HeaderProps) {
  const status = episodeStatus(row);
  return (
    <header class="episode-header">
      <div class="title-line">
        <h1>{row.taskId}</h1>
        <span class="muted">{l10n.t('repeat {0}', row.repeat)}</span>
        <Status kind={status} word={episodeStatusWord(status)} />
        {row.state === 'ended' && canRunEpisodes(run) && <DebugEpisode episode={row.episode} />}
        {row.reward !== null && run.imported === undefined && (
          <GoToSource
            episode={row.episode}
            of={{ kind: 'reward' }}
            label={l10n.t('Reward’s source')}
            what={l10n.t('Reward’s source')}
          />
        )}
        <FollowLatest run={run} />
        {fold.button}
      </div>
      <dl class="stats foldable">
        <Stat name={l10n.t('Reward')}>{reward(row.reward)}</Stat>
        <Stat name={l10n.t('Time')}>{timeCell(row)}</Stat>
        <Stat name={l10n.t('Calls')}>{callsCell(row)}</Stat>
        <Stat name={l10n.t('Timelines')}>{count(row.timelines)}</Stat>
        <Stat name={l10n.t('Tokens')}>{tokensCell(row)}</Stat>
        <Stat name={l10n.t('Trainable')}>
          <TrainableCell {...row} />
        </Stat>
        <Stat name={l10n.t('Would train')}>
          <Recorded of={recordsOfTraining}>{trainsWord(row.trains)}</Recorded>
        </Stat>
      </dl>
      {row.trains === false && <WouldNotTrain row={row} />}
    </header>
  );
}

function WouldNotTrain({ row: { episode, findings } }: { readonly row: EpisodeView['row'] }) {
  const [first, ...others] = findings;
  const { route } = useViewer();
  return (
    <p class="would-not-train">
      <Icon name="cross" />
      <span>
        <strong>{l10n.t('Would not train')}</strong>
        {first && (
          <>
            : <FindingMessage code={first.code} message={first.message} />
            <span class="finding-hint">{first.hint}</span>
          </>
        )}
        {others.length > 0 && isPart(route) && (
          <RouteLink to={episodeRoute(episode)}>
            {others.length === 1
              ? l10n.t('and 1 other finding')
              : l10n.t('and {0} other findings', count(others.length))}
          </RouteLink>
        )}
      </span>
    </p>
  );
}

function Detail({ episode }: { readonly episode: EpisodeView }) {
  const { route } = useViewer();
  const number = episode.row.episode;
  if (route.kind === 'call') return <CallDetail episode={number} call={route.call} />;
  if (route.kind === 'timeline') return <TimelineDetail route={route} />;
  return <Overview episode={episode} />;
}

/** The facts about the episode. If there is only one reason against training, the header shows it. */
function Overview({ episode: { row, calls } }: { readonly episode: EpisodeView }) {
  const recorded = useRecorded();
  const { findings } = row;
  const listed = row.trains === false && findings.length === 1 ? [] : findings;
  return (
    <section class="detail" aria-label={l10n.t('Overview')}>
      {row.error && <Failure report={row.error} />}
      {listed.map(({ code, message, severity, hint }) => (
        <Note key={message} kind={severity}>
          <strong class="finding-severity">
            {severity === 'error' ? l10n.t('error') : l10n.t('warning')}
          </strong>{' '}
          <FindingMessage code={code} message={message} />
          <span class="finding-hint">{hint}</span>
        </Note>
      ))}
      <div class="title-line">
        <h2>{l10n.t('Task')}</h2>
        <OwnRun episode={row.episode} />
      </div>
      <p class="text-block">{row.query}</p>
      {calls.length === 0 && !recorded('calls') && (
        <Empty title={l10n.t('No calls were recorded.')}>{l10n.t('The timelines have the messages.')}</Empty>
      )}
      {calls.length === 0 && recorded('calls') && (
        <Empty title={l10n.t('No calls yet.')}>
          {row.state === 'running'
            ? l10n.t('The workflow has not made a call yet.')
            : l10n.t('The workflow made no call, so there is nothing to train on.')}
        </Empty>
      )}
      {calls.length > 0 && <MergeExplainer episode={row.episode} />}
    </section>
  );
}
