import * as l10n from '@vscode/l10n';
import type { EpisodeView, OutcomeView } from '../../core/protocol/episodeRpc.ts';
import type { RunView } from '../../core/protocol/runRpc.ts';
import { canRunEpisodes } from '../../../tracking/core/records/tracedRun.ts';
import { cutText } from '../../core/outcome.ts';
import { mostTrained } from '../../core/compare.ts';
import { CallDetail } from '../detail/CallDetail.tsx';
import { TimelineDetail } from '../detail/TimelineDetail.tsx';
import { MergeExplainer } from '../merge/MergeExplainer.tsx';
import { callsCell, timeCell, tokensCell, TrainableCell } from '../run/cells.tsx';
import { RouteLink } from '../ui/RouteLink.tsx';
import { Recorded, recordsOfTraining, useRecorded } from '../ui/Recorded.tsx';
import { episodeStatus, episodeStatusWord, trainsWord } from '../run/status.ts';
import { ConversationView } from '../message/ConversationView.tsx';
import { callRoute, episodeRoute, isPart, timelineRoute } from '../state/route.ts';
import { useAnswer, useViewer, type Answer } from '../state/viewer.ts';
import { count, reward } from '../../../base/core/format.ts';
import { DebugEpisode } from '../ui/DebugEpisode.tsx';
import { FindingMessage } from '../ui/FindingMessage.tsx';
import { InlineCode } from '../ui/InlineCode.tsx';
import { FollowLatest } from '../ui/FollowLatest.tsx';
import { Icon } from '../../../base/webview/ui/Icon.tsx';
import { Empty, Failure, Pending } from '../../../base/webview/ui/Notices.tsx';
import { Segment, Stat, Status } from '../../../base/webview/ui/Stat.tsx';
import { useFold, type Fold } from '../../../base/webview/ui/useFold.tsx';
import { TimeAxis } from './axis/TimeAxis.tsx';
import { Neighbors } from './Neighbors.tsx';
import { callsNote, Outcome } from './Outcome.tsx';
import { Parts } from './Parts.tsx';

export function EpisodeScreen({ run, episode: number }: { readonly run: RunView; readonly episode: number }) {
  const { trace, route } = useViewer();
  const { value: episode, error, retry } = useAnswer('episode', { trace, episode: number });
  const outcome = useAnswer('outcome', { trace, episode: number });
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
      <EpisodeHeader {...{ run, episode, outcome, fold }} />
      <TimeAxis episode={episode} />
      <div class={`split ${isPart(route) ? '' : 'split-overview'}`}>
        <Parts episode={episode} />
        <Detail {...{ run, episode, outcome }} />
      </div>
    </main>
  );
}

interface PartProps {
  readonly run: RunView;
  readonly episode: EpisodeView;
  readonly outcome: Answer<OutcomeView>;
}

interface HeaderProps extends PartProps {
  readonly fold: Fold;
}

function EpisodeHeader({ run, episode: { row, timelines }, outcome, fold }: HeaderProps) {
  const used = timelines.find(({ training }) => training !== undefined)?.training;
  const { held } = useViewer();
  const status = episodeStatus(row, held);
  return (
    <header class="episode-header">
      <div class="title-line">
        <h1>{row.taskId}</h1>
        <span class="muted">{l10n.t('repeat {0}', row.repeat)}</span>
        <Status kind={status} word={episodeStatusWord(status)} />
        <Neighbors episode={row.episode} />
        {row.state === 'ended' && canRunEpisodes(run) && <DebugEpisode episode={row.episode} />}
        <FollowLatest run={run} />
        {fold.button}
      </div>
      <dl class="stats foldable">
        <Stat name={l10n.t('Reward')}>{reward(row.reward)}</Stat>
        {used && (
          <Stat name={l10n.t('Advantage')} note={l10n.t('used by the training')}>
            {reward(used.advantage)}
          </Stat>
        )}
        <Stat name={l10n.t('Time')}>{timeCell(row)}</Stat>
        <Stat name={l10n.t('Calls')} note={callsNote(row.calls, outcome.value?.untrained ?? [])}>
          {callsCell(row)}
        </Stat>
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
            <span class="finding-hint">
              <InlineCode text={first.hint} />
            </span>
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

function Detail({ run, episode, outcome }: PartProps) {
  const { route } = useViewer();
  const number = episode.row.episode;
  if (route.kind === 'call') return <CallDetail episode={number} call={route.call} />;
  if (route.kind === 'timeline') return <TimelineDetail route={route} />;
  return <Overview {...{ run, episode, outcome }} merging={route.kind === 'episode' && route.merging} />;
}

interface OverviewProps extends PartProps {
  readonly merging: boolean;
}

/** The outcome and the conversation, or how the calls were merged. */
function Overview({ run, episode, outcome, merging }: OverviewProps) {
  const { navigate } = useViewer();
  const recorded = useRecorded();
  const { row, calls } = episode;
  const show = (tab: boolean) => navigate(episodeRoute(row.episode, tab));
  return (
    <section class="detail" aria-label={l10n.t('Overview')}>
      {calls.length > 0 && (
        <div class="segments" role="group" aria-label={l10n.t('View')}>
          <Segment name={l10n.t('Outcome')} on={!merging} onPress={() => show(false)} />
          <Segment name={l10n.t('Merging')} on={merging} onPress={() => show(true)} />
        </div>
      )}
      {merging && calls.length > 0 ? (
        <MergeExplainer episode={row.episode} />
      ) : (
        <>
          <Outcome {...{ run, episode, outcome }} />
          {run.imported === undefined && outcome.value && (
            <Printed printed={outcome.value.printed} state={row.state} />
          )}
          {calls.length === 0 && recorded('calls') && <NoCalls state={row.state} />}
          <EpisodeConversation episode={episode} />
        </>
      )}
    </section>
  );
}

interface PrintedProps extends Pick<OutcomeView, 'printed'> {
  readonly state: EpisodeView['row']['state'];
}

/** The standard output and error of the episode's code. It is folded if nothing was printed. */
function Printed({ printed, state }: PrintedProps) {
  return (
    <details class="json" open={printed !== null}>
      <summary>{l10n.t('Printed output')}</summary>
      {printed === null ? (
        <p class="muted">
          {state === 'running'
            ? l10n.t('The output is kept when the episode ends.')
            : l10n.t('The code of the episode printed nothing.')}
        </p>
      ) : (
        <>
          {printed.cut > 0 && <p class="muted">{cutText(printed.cut)}</p>}
          <pre class="mono printed">
            {printed.parts.map(({ stream, text }, index) => (
              <span key={index} class={stream} title={stream}>
                {text}
              </span>
            ))}
          </pre>
        </>
      )}
    </details>
  );
}

function NoCalls({ state }: Pick<EpisodeView['row'], 'state'>) {
  if (state === 'running') {
    return <Empty title={l10n.t('No calls yet.')}>{l10n.t('The workflow has not made a call yet.')}</Empty>;
  }
  return (
    <Empty title={l10n.t('No calls.')}>
      {l10n.t('The workflow made no call, so there is nothing to train on.')}
    </Empty>
  );
}

/** The timeline with the most trained tokens, or the last call if there is no timeline. */
function EpisodeConversation({ episode: { row, calls, timelines } }: Pick<PartProps, 'episode'>) {
  const timeline = mostTrained(timelines);
  const last = calls.at(-1);
  if (timeline !== null) {
    return (
      <TimelineConversation key={timeline} {...{ episode: row.episode, timeline }} of={timelines.length} />
    );
  }
  if (last === undefined) return null;
  return (
    <RouteLink to={callRoute(row.episode, last.call)}>
      {l10n.t('Conversation of the last call, {0}', last.call)} <Icon name="chevron" />
    </RouteLink>
  );
}

interface ConversationProps {
  readonly episode: number;
  readonly timeline: number;
  /** The number of timelines. */
  readonly of: number;
}

function TimelineConversation({ episode, timeline, of }: ConversationProps) {
  const { trace, navigate } = useViewer();
  const recorded = useRecorded();
  const { value, error, retry } = useAnswer('timeline', { trace, episode, timeline });
  if (value === undefined)
    return <Pending {...{ error, retry }}>{l10n.t('Loading the conversation…')}</Pending>;
  return (
    <ConversationView
      source={{ episode, conversation: { kind: 'timeline', timeline } }}
      title={
        of === 1
          ? l10n.t('Conversation')
          : l10n.t('Conversation of timeline {0}, the most trained of {1}', timeline, count(of))
      }
      messages={value.messages}
      onTokens={
        recorded('tokens')
          ? ({ firstToken }) => navigate(timelineRoute(episode, timeline, firstToken))
          : undefined
      }
    />
  );
}
