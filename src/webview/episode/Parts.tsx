import { useRef, useState } from 'preact/hooks';
import type { EpisodeView } from '../../protocol/traceRpc.ts';
import { callPlace, depth, timelinePlace } from '../state/place.ts';
import { useViewer } from '../state/viewer.ts';
import { count, counted, duration, share } from '../ui/format.ts';
import { Icon } from '../ui/Icon.tsx';
import { PartList } from '../ui/PartList.tsx';
import { useNarrow } from '../ui/useNarrow.ts';

interface Props {
  readonly episode: EpisodeView;
}

/** What of an episode can be looked at in full. On a narrow page it folds to the part that is. */
export function Parts({ episode }: Props) {
  const { place } = useViewer();
  const narrow = useNarrow();
  if (!narrow || depth(place) < 2) return <PartLists episode={episode} />;
  return <PartChoice episode={episode} />;
}

const listsId = 'episode-parts';

/** A button that names the chosen part, above the lists while it is pressed. */
function PartChoice({ episode }: Props) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  // Arrow keys go from part to part; only what ends the choice closes the lists.
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open || (event.key !== 'Escape' && event.key !== 'Enter')) return;
    event.preventDefault();
    close();
  };
  return (
    <div class="part-choice" onKeyDown={onKeyDown}>
      <button
        type="button"
        class="part-button"
        aria-expanded={open}
        aria-controls={open ? listsId : undefined}
        title="Other timelines and calls"
        ref={button}
        onClick={() => setOpen(!open)}
      >
        <ChosenEntry episode={episode} />
        <Icon name={open ? 'up' : 'down'} />
      </button>
      {open && <PartLists episode={episode} onChoose={close} />}
    </div>
  );
}

function ChosenEntry({ episode: { calls, timelines } }: Props) {
  const { place } = useViewer();
  if (place.call !== null) {
    return <CallEntry call={calls.find(({ call }) => call === place.call)} />;
  }
  return <TimelineEntry timeline={timelines.find(({ timeline }) => timeline === place.timeline)} />;
}

interface ListsProps extends Props {
  /** Called after an entry was clicked. */
  readonly onChoose?: () => void;
}

function PartLists({ episode: { row, calls, timelines }, onChoose }: ListsProps) {
  const { place, go } = useViewer();
  return (
    <nav class="parts" id={listsId} aria-label="Parts of the episode">
      <h2>{counted(timelines.length, 'timeline')}</h2>
      <PartList
        label="Timelines"
        count={timelines.length}
        selected={timelines.findIndex(({ timeline }) => timeline === place.timeline)}
        onSelect={(position) => {
          const chosen = timelines[position];
          if (chosen) go(timelinePlace(row.episode, chosen.timeline));
        }}
        onChoose={onChoose}
        entry={(position) => <TimelineEntry timeline={timelines[position]} />}
      />
      <h2>{counted(calls.length, 'call')}</h2>
      <PartList
        label="Calls"
        count={calls.length}
        selected={calls.findIndex(({ call }) => call === place.call)}
        onSelect={(position) => {
          const chosen = calls[position];
          if (chosen) go(callPlace(row.episode, chosen.call));
        }}
        onChoose={onChoose}
        entry={(position) => <CallEntry call={calls[position]} />}
      />
    </nav>
  );
}

function TimelineEntry({ timeline }: { readonly timeline: EpisodeView['timelines'][number] | undefined }) {
  if (timeline === undefined) return null;
  return (
    <>
      <span class="part-title">
        Timeline {timeline.timeline}
        {timeline.provisional && <span class="badge">provisional</span>}
      </span>
      <span class="part-note">
        {counted(timeline.calls.length, 'call')} · {counted(timeline.tokens, 'token')} ·{' '}
        {share(timeline.trainableTokens, timeline.tokens)} trainable
      </span>
    </>
  );
}

function CallEntry({ call }: { readonly call: EpisodeView['calls'][number] | undefined }) {
  if (call === undefined) return null;
  return (
    <>
      <span class="part-title">
        Call {call.call} <span class="muted">{call.agent}</span>
        {call.error !== null && (
          <span class="badge badge-error">
            <Icon name="cross" /> {call.status}
          </span>
        )}
      </span>
      <span class="part-note">
        {duration(call.seconds)} · {count(call.promptTokens)} → {counted(call.replyTokens, 'token')}
        {call.timeline === null && ' · in no timeline'}
      </span>
    </>
  );
}
