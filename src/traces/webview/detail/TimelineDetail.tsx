import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import type { TimelineView, MessageView } from '../../core/protocol/episodeRpc.ts';
import { timelineRoute, type TimelineRoute, keyOf, timelineOf } from '../state/route.ts';
import { useAnswer, useViewer } from '../state/viewer.ts';
import { CallChips } from '../ui/CallChips.tsx';
import { count, share } from '../../../base/core/format.ts';
import { Empty, Failure, Loading, Note } from '../../../base/webview/ui/Notices.tsx';
import { RouteLink } from '../ui/RouteLink.tsx';
import { Recorded, recordsOfTraining, useRecorded } from '../ui/Recorded.tsx';
import { Segment, Stat } from '../../../base/webview/ui/Stat.tsx';
import { TokenList } from './TokenList.tsx';
import type { MergeSetting } from '../../core/protocol/mergingRpc.ts';
import { ForkDetail } from '../merge/ForkDetail.tsx';
import { ConversationView } from '../message/ConversationView.tsx';

interface Props {
  readonly route: TimelineRoute;
}

export function TimelineDetail({ route }: Props) {
  const { trace } = useViewer();
  const of = timelineOf(route);
  const { value: timeline, error, retry } = useAnswer('timeline', { trace, ...of });
  const number = route.timeline;
  return (
    // Another timeline starts at its top, without a current token.
    <section
      key={`${keyOf(of)} ${route.token} ${route.message}`}
      class="detail timeline-detail"
      aria-label={l10n.t('Timeline {0}', number)}
    >
      {error && <Failure report={error} retry={retry} />}
      {timeline === undefined && !error && <Loading>{l10n.t('Loading timeline {0}…', number)}</Loading>}
      {timeline && (
        <>
          <TimelineHeader route={route} timeline={timeline} />
          {route.setting !== null && <OtherSetting route={route} setting={route.setting} />}
          <TimelineBody route={route} timeline={timeline} />
        </>
      )}
    </section>
  );
}

interface ShownProps extends Props {
  readonly timeline: TimelineView;
}

function TimelineBody({ route, timeline }: ShownProps) {
  const recorded = useRecorded();
  // A recording without tokens only has messages.
  const message = route.message ?? (recorded('tokens') ? null : 'newest');
  if (message !== null) {
    return <TimelineConversation route={route} timeline={timeline} message={message} />;
  }
  if (timeline.row.tokens === 0) return <Empty title={l10n.t('This timeline has no tokens.')} />;
  // Loads the tokens of an ended episode again when training has used them.
  const key = timeline.row.training === undefined ? 'sampled' : 'trained';
  return <TokenList key={key} of={timelineOf(route)} timeline={timeline} token={route.token} />;
}

function TimelineHeader({ route, timeline }: ShownProps) {
  const { navigate } = useViewer();
  const recorded = useRecorded();
  const { row, messages } = timeline;
  const { episode, timeline: number, setting } = route;
  const show = (message: TimelineRoute['message']) =>
    navigate(timelineRoute(episode, number, null, { setting, message }));
  return (
    <div class="detail-header foldable">
      <div class="title-line">
        <h2>{l10n.t('Timeline {0}', row.timeline)}</h2>
        {row.provisional && <span class="badge">{l10n.t('provisional')}</span>}
        {recorded('tokens') && (
          <div class="segments" role="group" aria-label={l10n.t('Show')}>
            <Segment name={l10n.t('Tokens')} on={route.message === null} onPress={() => show(null)} />
            <Segment name={l10n.t('Messages')} on={route.message !== null} onPress={() => show('newest')} />
          </div>
        )}
      </div>
      {row.provisional && (
        <Note kind="info">
          {l10n.t(
            'Merged from the calls so far. The episode is still running, and later calls may change it.',
          )}
        </Note>
      )}
      <dl class="stats">
        <Stat name={l10n.t('Tokens')}>
          <Recorded of={['tokens']}>{count(row.tokens)}</Recorded>
        </Stat>
        <Stat
          name={l10n.t('Trained')}
          note={recorded('tokens') ? share(row.trainableTokens, row.tokens) : undefined}
        >
          <Recorded of={recordsOfTraining}>{count(row.trainableTokens)}</Recorded>
        </Stat>
        <Stat name={l10n.t('Messages')}>{count(messages.length)}</Stat>
        <MergedCalls episode={episode} calls={row.calls} />
      </dl>
      <TimelineFork episode={episode} timeline={row.timeline} setting={setting} />
    </div>
  );
}

/** Shows that the run did not make this timeline. */
function OtherSetting({
  route: { episode },
  setting: { compareLevel, ignoreTools, fixesDrift },
}: Props & { readonly setting: NonNullable<TimelineRoute['setting']> }) {
  return (
    <Note kind="info">
      {l10n.t(
        'This run did not make this timeline. It is the result of timeline_compare_level {0}, ignore_tools {1} and fix_retokenization_drift {2}.',
        compareLevel,
        String(ignoreTools),
        String(fixesDrift),
      )}{' '}
      <RouteLink to={timelineRoute(episode, 0)}>{l10n.t('Go to the timelines of the run')}</RouteLink>
    </Note>
  );
}

const mostChips = 24;

function MergedCalls({ episode, calls }: { readonly episode: number; readonly calls: readonly number[] }) {
  return (
    <Stat
      name={
        calls.length === 1
          ? l10n.t('Merged from 1 call')
          : l10n.t('Merged from {0} calls', count(calls.length))
      }
    >
      <CallChips episode={episode} calls={calls} most={mostChips} />
    </Stat>
  );
}

interface ForkProps {
  readonly episode: number;
  readonly timeline: number;
  /** Null: the run's own. */
  readonly setting: MergeSetting | null;
}

/** Explains on demand, because this reads the whole episode. */
function TimelineFork({ episode, timeline, setting }: ForkProps) {
  const { trace } = useViewer();
  const [open, setOpen] = useState(false);
  const { value, error, retry } = useAnswer('merging', open ? { trace, episode, setting } : null);
  const fork = value?.forks.find((one) => one.timeline === timeline);
  if (timeline === 0) return null;
  return (
    <div class="timeline-fork">
      <button type="button" class="link" aria-expanded={open} onClick={() => setOpen(!open)}>
        {l10n.t('Why it is a separate timeline')}
      </button>
      {open && error && <Failure report={error} retry={retry} />}
      {open && !error && value === undefined && <Loading>{l10n.t('Loading the merging of calls…')}</Loading>}
      {open && value && !fork && <p class="muted">{l10n.t('The trace does not have the reason.')}</p>}
      {open && fork && <ForkDetail episode={episode} fork={fork} />}
    </div>
  );
}

function TimelineConversation({
  route,
  timeline: { messages },
  message,
}: ShownProps & { readonly message: number | 'newest' }) {
  const { navigate } = useViewer();
  const recorded = useRecorded();
  const { episode, timeline, setting } = route;
  const toTokens = ({ firstToken }: MessageView): void =>
    navigate(timelineRoute(episode, timeline, firstToken, { setting }));
  const trained = messages.filter(({ trainableTokens }) => trainableTokens > 0).length;
  return (
    <ConversationView
      key={keyOf(timelineOf(route))}
      source={{ episode, conversation: { kind: 'timeline', timeline, ...(setting !== null && { setting }) } }}
      title={
        messages.length === 1
          ? l10n.t('1 message, {0} with trained tokens', count(trained))
          : l10n.t('{0} messages, {1} with trained tokens', count(messages.length), count(trained))
      }
      messages={messages}
      {...(message !== 'newest' && { start: message })}
      onTokens={recorded('tokens') ? toTokens : undefined}
    />
  );
}
