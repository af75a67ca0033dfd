import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { EpisodeView } from '../../core/protocol/episodeRpc.ts';
import { callRoute, isPart, timelineRoute } from '../state/route.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { useViewer } from '../state/viewer.ts';
import { count, countedCalls, countedTokens, duration, share } from '../../../base/core/format.ts';
import { Icon } from '../../../base/webview/ui/Icon.tsx';
import { positionAfterKey } from '../../../base/webview/ui/listKeys.ts';
import { useVirtualizer } from '../../../base/webview/ui/useVirtualizer.ts';

interface Props {
  readonly episode: EpisodeView;
}

/** The parts of an episode that can be opened. On a narrow page it collapses to the current part. */
export function Parts({ episode }: Props) {
  const { route } = useViewer();
  const narrow = useNarrow();
  if (!narrow || !isPart(route)) return <PartLists episode={episode} />;
  return <PartChoice episode={episode} />;
}

const listsId = 'episode-parts';

function PartChoice({ episode }: Props) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  // Arrow keys move between parts. Only keys that end the choice close the lists.
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
        title={l10n.t('Other timelines and calls')}
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
  const { route } = useViewer();
  if (route.kind === 'call') {
    return <CallEntry call={calls.find(({ call }) => call === route.call)} />;
  }
  if (route.kind !== 'timeline') return null;
  if (route.setting !== null) {
    return <span class="part-title">{l10n.t('Timeline {0} with another setting', route.timeline)}</span>;
  }
  return <TimelineEntry timeline={timelines.find(({ timeline }) => timeline === route.timeline)} />;
}

interface ListsProps extends Props {
  readonly onChoose?: () => void;
}

function PartLists({ episode: { row, calls, timelines }, onChoose }: ListsProps) {
  useShortcuts(l10n.t('Episode'), [
    {
      keys: ['ArrowDown', 'ArrowUp', 'Home', 'End'],
      what: l10n.t('Select a timeline or call in the lists'),
    },
  ]);
  const { route, navigate } = useViewer();
  const shownTimeline = route.kind === 'timeline' && route.setting === null ? route.timeline : null;
  const shownCall = route.kind === 'call' ? route.call : null;
  return (
    <nav class="parts" id={listsId} aria-label={l10n.t('Parts of the episode')}>
      <h2>
        {timelines.length === 1 ? l10n.t('1 timeline') : l10n.t('{0} timelines', count(timelines.length))}
      </h2>
      <PartList
        label={l10n.t('Timelines')}
        count={timelines.length}
        selected={timelines.findIndex(({ timeline }) => timeline === shownTimeline)}
        onSelect={(position) => {
          const chosen = timelines[position];
          if (chosen) navigate(timelineRoute(row.episode, chosen.timeline));
        }}
        onChoose={onChoose}
        entry={(position) => <TimelineEntry timeline={timelines[position]} />}
      />
      <h2>{countedCalls(calls.length)}</h2>
      <PartList
        label={l10n.t('Calls')}
        count={calls.length}
        selected={calls.findIndex(({ call }) => call === shownCall)}
        onSelect={(position) => {
          const chosen = calls[position];
          if (chosen) navigate(callRoute(row.episode, chosen.call));
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
        {l10n.t('Timeline {0}', timeline.timeline)}
        {timeline.provisional && <span class="badge">{l10n.t('provisional')}</span>}
      </span>
      <span class="part-note">
        {countedCalls(timeline.calls.length)} · {countedTokens(timeline.tokens)} ·{' '}
        {l10n.t('{0} trainable', share(timeline.trainableTokens, timeline.tokens))}
      </span>
    </>
  );
}

function CallEntry({ call }: { readonly call: EpisodeView['calls'][number] | undefined }) {
  if (call === undefined) return null;
  return (
    <>
      <span class="part-title">
        {l10n.t('Call {0}', call.call)} <span class="muted">{call.agent}</span>
        {call.error !== null && (
          <span class="badge badge-error">
            <Icon name="cross" /> {call.status}
          </span>
        )}
      </span>
      <span class="part-note">
        {duration(call.seconds)} · {count(call.promptTokens)} → {countedTokens(call.replyTokens)}
        {call.timeline === null && <> · {l10n.t('in no timeline')}</>}
      </span>
    </>
  );
}

/** Pixels; the style sheet knows it too. */
const rowHeight = 46;

interface PartListProps {
  readonly label: string;
  readonly count: number;
  /** Position of the selected entry; -1: none. */
  readonly selected: number;
  readonly onSelect: (position: number) => void;
  /** Called after {@link onSelect} when the entry was clicked, not walked over with the keyboard. */
  readonly onChoose?: (() => void) | undefined;
  readonly entry: (position: number) => ComponentChildren;
}

function PartList({ label, count, selected, onSelect, onChoose, entry }: PartListProps) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer<HTMLDivElement>({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    alwaysDrawn: selected,
  });
  useEffect(() => {
    if (selected >= 0) virtualizer.scrollToIndex(selected, { align: 'auto' });
  }, [selected]);
  const onKeyDown = (event: KeyboardEvent) => {
    const target = positionAfterKey(event.key, selected, count - 1, { ArrowDown: 1, ArrowUp: -1 });
    if (target === undefined) return;
    event.preventDefault();
    onSelect(target);
  };
  if (count === 0) return null;
  return (
    <div
      class="part-list"
      role="listbox"
      aria-label={label}
      aria-activedescendant={selected < 0 ? undefined : `${id}-${selected}`}
      tabIndex={0}
      ref={scroller}
      onKeyDown={onKeyDown}
    >
      <div class="part-rows" role="presentation" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            id={`${id}-${index}`}
            class={`part ${index === selected ? 'selected' : ''}`}
            role="option"
            aria-selected={index === selected}
            aria-posinset={index + 1}
            aria-setsize={count}
            style={{ transform: `translateY(${start}px)` }}
            onClick={() => {
              onSelect(index);
              onChoose?.();
            }}
          >
            {entry(index)}
          </div>
        ))}
      </div>
    </div>
  );
}

/** The style sheet knows it too. */
const narrow = window.matchMedia('(width < 700px)');

function useNarrow(): boolean {
  const [is, setIs] = useState(narrow.matches);
  useLayoutEffect(() => {
    const onChange = () => setIs(narrow.matches);
    narrow.addEventListener('change', onChange);
    return () => narrow.removeEventListener('change', onChange);
  }, []);
  return is;
}
