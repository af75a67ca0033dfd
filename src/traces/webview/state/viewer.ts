import { createContext } from 'preact';
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ErrorReport } from '../../../base/core/errors.ts';
import type { ParamsOf, TraceMethod } from '../../core/protocol/traceRpc.ts';
import type { TraceClient, ResultOf } from '../../core/methods.ts';
import type { ViewerBoot } from '../../core/viewerPage.ts';
import type { Follow } from './follow.ts';
import type { Memory } from './memory.ts';
import { LatestRequest } from '../../../base/webview/state/latestRequest.ts';
import type { Route } from './route.ts';
import { WindowBuffer, type Slice } from '../../../base/webview/state/windowBuffer.ts';

export interface Viewer {
  readonly client: TraceClient;
  readonly trace: ViewerBoot['trace'];
  /** Incremented when the trace has changed. */
  readonly version: number;
  /** Requests everything again, after the page itself has changed something. */
  readonly refresh: () => void;
  readonly route: Route;
  readonly memory: Memory;
  /** True if the user has navigated since the page opened. */
  readonly hasNavigated: boolean;
  readonly navigate: (route: Route) => void;
  readonly follow: Follow;
  /** True while a debugger holds the run. */
  readonly held: boolean;
}

export const ViewerContext = createContext<Viewer | null>(null);

export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (viewer === null) throw new Error('This component must be used inside the viewer.');
  return viewer;
}

/** A response that is refreshed when the trace changes. Without a value and an error, it is loading. */
export interface Answer<T> {
  readonly value: T | undefined;
  /** The error of the newest request. An older value is kept. */
  readonly error: ErrorReport | undefined;
  readonly retry: () => void;
}

/** Requests data, and again whenever the trace has changed, unless `isSettled` says that it cannot change any more. */
export function useAnswer<M extends TraceMethod>(
  method: M,
  parameters: ParamsOf<M> | null,
  isSettled: (value: ResultOf<M>) => boolean = () => false,
): Answer<ResultOf<M>> {
  const { client, version } = useViewer();
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<{
    readonly key: string;
    readonly value?: ResultOf<M>;
    readonly error?: ErrorReport;
  }>();
  const requests = useMemo(
    () =>
      new LatestRequest<ResultOf<M>>((outcome) =>
        setState((last) =>
          'error' in outcome && last?.key === outcome.key ? { ...last, error: outcome.error } : outcome,
        ),
      ),
    [],
  );
  useEffect(() => () => requests.dispose(), []);
  const key = JSON.stringify([method, parameters]);
  useEffect(() => {
    if (parameters === null) return;
    const { value, error } = state?.key === key ? state : {};
    if (value !== undefined && error === undefined && isSettled(value)) return;
    requests.run(key, () => client.ask(method, parameters));
  }, [key, version, attempt]);
  const retry = () => setAttempt((last) => last + 1);
  if (state?.key !== key) return { value: undefined, error: undefined, retry };
  return { value: state.value, error: state.error, retry };
}

export interface Windowed<S extends Slice> {
  readonly slice: S | undefined;
  readonly error: ErrorReport | undefined;
  readonly want: (first: number, end: number) => void;
  readonly retry: () => void;
}

export function useWindow<S extends Slice>(options: {
  readonly fetch: (from: number, limit: number) => Promise<S>;
  readonly largest: number;
  readonly smallest: number;
}): Windowed<S> {
  const { version } = useViewer();
  const [, redraw] = useState({});
  const buffer = useMemo(() => new WindowBuffer<S>({ ...options, onChange: () => redraw({}) }), []);
  useEffect(() => () => buffer.dispose(), []);
  const shown = useRef(version);
  useEffect(() => {
    if (shown.current !== version) buffer.refresh();
    shown.current = version;
  }, [version]);
  return {
    slice: buffer.slice,
    error: buffer.error,
    want: (first, end) => buffer.want(first, end),
    retry: () => buffer.refresh(),
  };
}

/** Works like `useState` with a value that survives reloads and navigation. */
export function usePersistentState<T>(
  key: string,
  read: (saved: unknown) => T,
): readonly [value: T, keep: (value: T) => void] {
  const { memory } = useViewer();
  const [value, setValue] = useState(() => read(memory.read(key)));
  const keep = (next: T) => {
    memory.write(key, next);
    setValue(next);
  };
  return [value, keep];
}
