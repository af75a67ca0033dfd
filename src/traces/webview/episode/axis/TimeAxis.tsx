import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { EpisodeView } from '../../../core/protocol/episodeRpc.ts';
import { callRoute } from '../../state/route.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { useAnswer, useViewer } from '../../state/viewer.ts';
import { IconButton } from '../../../../base/webview/ui/Icon.tsx';
import { Failure } from '../../../../base/webview/ui/Notices.tsx';
import { AxisTooltip, type TooltipTarget } from './AxisTooltip.tsx';
import { rowHeight, rulerHeight } from './frame.ts';
import { AxisEngine } from './engine.ts';
import type { Range } from './range.ts';
import type { Hover } from './gestures.ts';
import { axisActions, axisShortcuts, keyOf } from './keys.ts';
import { axisModel, callKey, isTimed, type AxisModel, type AxisSpan } from './model.ts';
import { Totals } from './Totals.tsx';
import { AxisFold, AxisSplitter, useAxisSize, type AxisSize } from './useAxisSize.tsx';
import { describeSpan } from './describe.ts';
import { duration, share } from '../../../../base/core/format.ts';
import { sharesOf } from './totals.ts';

interface SpanOptionsProps {
  readonly model: AxisModel;
  /** The span that assistive technology is on. */
  readonly active: number;
  readonly selected: number | null;
  readonly now: number;
}

/** Number of spans on each side of the active one that are rendered. Each says its position. */
const mostAround = 3;

function SpanOptions({ model, active, selected, now }: SpanOptionsProps) {
  const first = Math.max(0, active - mostAround);
  const shown = model.spans.slice(first, active + mostAround + 1);
  return (
    <>
      {shown.map((span, index) => (
        <div
          key={span.key}
          id={optionId(first + index)}
          class="visually-hidden"
          role="option"
          aria-selected={first + index === selected}
          aria-posinset={first + index + 1}
          aria-setsize={model.spans.length}
        >
          {l10n.t('{0}, from {1}', describeSpan(span, now), duration(span.start / 1000))}
        </div>
      ))}
    </>
  );
}

function optionId(span: number): string {
  return `axis-span-${span}`;
}

export function TimeAxis({ episode }: { readonly episode: EpisodeView }) {
  const { trace } = useViewer();
  const { value, error, retry } = useAnswer('spans', { trace, episode: episode.row.episode });
  const model = useMemo(() => axisModel(episode, value?.spans ?? []), [episode, value]);
  const size = useAxisSize();
  const untimed = episode.calls.filter((call) => !isTimed(call)).length;
  if (model.spans.length === 0 && untimed === 0) return null;
  return (
    <section
      class="lanes-section foldable"
      aria-label={l10n.t('Time of the episode')}
      style={size.height === undefined ? undefined : { '--axis-height': `min(${size.height}px, 75vh)` }}
    >
      {error && <Failure report={error} retry={retry} />}
      {untimed > 0 && <p class="muted">{l10n.t('Calls without a time in the trace: {0}', untimed)}</p>}
      {model.spans.length > 0 && size.open && <Axis episode={episode} model={model} size={size} />}
      {model.spans.length > 0 && !size.open && (
        <div class="axis-bar">
          <AxisFold {...size} />
          <AxisSummary model={model} now={Date.now() - model.origin} />
        </div>
      )}
    </section>
  );
}

interface Props {
  readonly episode: EpisodeView;
  readonly model: AxisModel;
  readonly size: AxisSize;
}

/** Returns the selected span: the open call, or the span that was selected last. */
function useSelection({ episode, model }: Omit<Props, 'size'>) {
  const { route, navigate } = useViewer();
  const chosen = route.kind === 'call' ? callKey(route.call) : null;
  const [key, setKey] = useState(chosen);
  useEffect(() => {
    if (chosen !== null) setKey(chosen);
  }, [chosen]);
  const open = (span: AxisSpan | undefined) => {
    const call = span === undefined ? null : openedCall(span, model);
    if (call !== null) navigate(callRoute(episode.row.episode, call));
  };
  return {
    key,
    selected: (key === null ? undefined : model.ids.get(key)) ?? null,
    select: (id: number) => setKey(model.spans[id]?.key ?? null),
    open,
  };
}

function Axis({ episode, model, size }: Props) {
  const { route } = useViewer();
  const refs = {
    scroller: useRef<HTMLDivElement>(null),
    canvas: useRef<HTMLCanvasElement>(null),
    overview: useRef<HTMLCanvasElement>(null),
  };
  const { key, selected, select, open } = useSelection({ episode, model });
  const pick = (id: number) => {
    select(id);
    const span = model.spans[id];
    if (span?.kind === 'agent') open(span);
  };
  const { engine, hover, now } = useEngine(refs, { episode: episode.row.episode, model, key, pick });
  const timeline = route.kind === 'timeline' ? route.timeline : null;
  const related = useMemo(() => relatedCalls(episode, timeline), [episode, timeline]);
  useLayoutEffect(() => engine.current?.show(model, { selected, related }), [model, selected, related]);
  const [byKey, setByKey] = useState(false);
  const actions = axisActions({ engine, model, selected, select, open });
  useShortcuts(l10n.t('On the time axis'), axisShortcuts());
  const target = targetOf(hover, byKey ? selected : null, engine.current);
  return (
    <>
      <div class="axis-bar">
        <AxisFold {...size} />
        <AxisSummary model={model} now={now} />
        <AxisButtons engine={engine} />
      </div>
      <canvas class="axis-overview" aria-hidden="true" ref={refs.overview} />
      <Lanes refs={refs} model={model} selected={selected} now={now} actions={actions} onKeys={setByKey} />
      <AxisSplitter size={size} above={refs.scroller} />
      {target && <AxisTooltip model={model} target={target} now={now} />}
      <Totals model={model} now={now} />
    </>
  );
}

interface LanesProps {
  readonly refs: AxisRefs;
  readonly model: AxisModel;
  readonly selected: number | null;
  readonly now: number;
  readonly actions: ReturnType<typeof axisActions>;
  /** True if the keyboard moves the selection. */
  readonly onKeys: (byKey: boolean) => void;
}

function Lanes({ refs, model, selected, now, actions, onKeys }: LanesProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    const action = actions[keyOf(event) ?? ''];
    if (action === undefined) return;
    event.preventDefault();
    onKeys(true);
    action();
  };
  const active = selected ?? 0;
  return (
    <div
      class="lanes"
      role="listbox"
      aria-label={l10n.t('The activities of the episode in order of time')}
      aria-activedescendant={optionId(active)}
      tabIndex={0}
      ref={refs.scroller}
      onKeyDown={onKeyDown}
      onFocus={(event) => onKeys(event.currentTarget.matches(':focus-visible'))}
      onPointerDown={() => onKeys(false)}
      onBlur={() => onKeys(false)}
    >
      <div
        class="axis-space"
        role="presentation"
        style={{ height: `${rulerHeight + model.rows.length * rowHeight}px` }}
      >
        <canvas class="axis-canvas" aria-hidden="true" ref={refs.canvas} />
      </div>
      <SpanOptions model={model} active={active} selected={selected} now={now} />
    </div>
  );
}

/** Returns the call that a span opens; null: none. */
function openedCall({ kind, call, row }: AxisSpan, model: AxisModel): number | null {
  if (call === null || (kind !== 'agent' && kind !== 'tool')) return null;
  // A running call has nothing to show yet.
  const shown = row ?? model.spans[model.ids.get(callKey(call)) ?? -1]?.row;
  return shown ? call : null;
}

function relatedCalls({ timelines }: EpisodeView, timeline: number | null): ReadonlySet<number> {
  return new Set(timelines.find((candidate) => candidate.timeline === timeline)?.calls);
}

/** Returns the target of the tooltip: the span under the pointer, or the focused one. */
function targetOf(
  hover: Hover | null,
  focused: number | null,
  engine: AxisEngine | null,
): TooltipTarget | null {
  if (hover !== null) return hover;
  if (focused === null || engine === null) return null;
  return { span: focused, ...engine.anchorOf(focused) };
}

function AxisButtons({ engine }: { readonly engine: RefObject<AxisEngine | null> }) {
  const buttons = [
    ['zoomOut', l10n.t('Zoom out (S)'), () => engine.current?.zoom(2)],
    ['zoomIn', l10n.t('Zoom in (W)'), () => engine.current?.zoom(0.5)],
    ['fit', l10n.t('Show the whole episode (0)'), () => engine.current?.fit()],
  ] as const;
  return (
    <div class="axis-buttons">
      {buttons.map(([icon, name, action]) => (
        <IconButton key={icon} icon={icon} name={name} onPress={action} />
      ))}
    </div>
  );
}

function AxisSummary({ model, now }: { readonly model: AxisModel; readonly now: number }) {
  const until = model.runs ? now : 0;
  // This takes a while for a long episode, so it is updated once per second.
  const shares = useMemo(() => sharesOf(model, until), [model, Math.floor(until / 1000)]);
  const { whole, queued } = shares;
  const texts = (time: number) => [duration(time / 1000), share(time, whole)] as const;
  const parts: readonly (readonly [swatch: string, time: number, text: string])[] = [
    ['agent', shares.model, l10n.t('waiting for the model {0} ({1})', ...texts(shares.model))],
    ['queued', queued, l10n.t('of that, {0} before the request', duration(queued / 1000))],
    ['environment', shares.services, l10n.t('services {0} ({1})', ...texts(shares.services))],
    ['judge', shares.judge, l10n.t('judge {0} ({1})', ...texts(shares.judge))],
    ['workflow', shares.working, l10n.t('working {0} ({1})', ...texts(shares.working))],
    ['tool', shares.tools, l10n.t('tools at most {0}', duration(shares.tools / 1000))],
  ];
  return (
    <ul class="lanes-summary">
      {parts
        .filter(([swatch, time]) => time > whole / 200 || swatch === 'agent' || swatch === 'workflow')
        .map(([swatch, , text]) => (
          <li key={swatch} class={swatch === 'agent' || swatch === 'workflow' ? undefined : 'axis-detail'}>
            <span class={`swatch swatch-${swatch}`} aria-hidden="true" />
            {text}
          </li>
        ))}
    </ul>
  );
}

interface AxisRefs {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly overview: RefObject<HTMLCanvasElement | null>;
}

interface EngineUse {
  readonly episode: number;
  readonly model: AxisModel;
  readonly key: string | null;
  readonly pick: (id: number) => void;
}

function useEngine(refs: AxisRefs, use: EngineUse) {
  const { memory } = useViewer();
  const { episode, model, key } = use;
  const engine = useRef<AxisEngine | null>(null);
  const [hover, setHover] = useState<Hover | null>(null);
  const [, setMoved] = useState({});
  const [now, setNow] = useState(() => Date.now() - model.origin);
  const newest = useRef(use);
  newest.current = use;
  const kept = useMemo(() => keptView(memory.read(memoryKey), episode), []);
  const shown = useRef(kept?.key);
  useLayoutEffect(() => {
    const [scroller, canvas, overview] = [refs.scroller.current, refs.canvas.current, refs.overview.current];
    if (!scroller || !canvas || !overview) return;
    const listeners = {
      onPick: (span: number) => newest.current.pick(span),
      onHover: setHover,
      // Only the tooltip of the focused span moves along.
      onMoved: () => document.activeElement === scroller && setMoved({}),
      onRest: ({ start, end }: Range) =>
        memory.write(memoryKey, { episode, start, end, key: newest.current.key }),
      onTime: setNow,
    };
    const made = new AxisEngine({ scroller, canvas, overview }, listeners, model, kept);
    engine.current = made;
    return () => {
      engine.current = null;
      made.dispose();
    };
  }, []);
  useEffect(() => {
    const selected = key === null || key === shown.current ? undefined : model.ids.get(key);
    shown.current = key;
    if (selected !== undefined) engine.current?.reveal(selected);
  }, [key]);
  return { engine, hover, now };
}

const memoryKey = 'axis';

interface KeptView extends Range {
  readonly key: string | null;
}

function keptView(saved: unknown, episode: number): KeptView | undefined {
  if (typeof saved !== 'object' || saved === null) return undefined;
  if (!('episode' in saved && 'start' in saved && 'end' in saved && 'key' in saved)) return undefined;
  const { start, end, key } = saved;
  if (saved.episode !== episode || typeof start !== 'number' || typeof end !== 'number') return undefined;
  return start < end ? { start, end, key: typeof key === 'string' ? key : null } : undefined;
}
