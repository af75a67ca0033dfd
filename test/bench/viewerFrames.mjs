/** What Chromium's trace events tell of a page's main thread. */

const working = new Set([
  'FunctionCall',
  'EvaluateScript',
  'FireAnimationFrame',
  'EventDispatch',
  'TimerFire',
  'RunMicrotasks',
  'XHRReadyStateChange',
  'HandlePostMessage',
  'FireIdleCallback',
  'Layout',
  'UpdateLayoutTree',
  'UpdateLayerTree',
  'PrePaint',
  'MinorGC',
  'MajorGC',
]);

/** Milliseconds of script and layout that led to each frame, of those in which there was any. */
export function scriptAndLayout(events) {
  const thread = mainThreadOf(events);
  const own = events.filter(({ pid, tid }) => pid === thread.pid && tid === thread.tid);
  const frames = own
    .filter(({ name }) => name === 'Commit')
    .map(({ ts }) => ts)
    .sort((a, b) => a - b);
  const spent = new Array(frames.length).fill(0);
  for (const { start, end } of outermost(own)) {
    const frame = frames.findIndex((ts) => ts >= start);
    if (frame >= 0) spent[frame] += (end - start) / 1_000;
  }
  const busy = spent.filter((milliseconds) => milliseconds > 0);
  if (busy.length < 20) throw new Error(`Only ${busy.length} frames had anything to do.`);
  return busy;
}

/** The renderer thread that drew most frames. */
function mainThreadOf(events) {
  const counts = new Map();
  for (const { name, pid, tid } of events) {
    if (name === 'Commit') counts.set(`${pid} ${tid}`, (counts.get(`${pid} ${tid}`) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  if (most === undefined) throw new Error('The browser told of no frames.');
  const [pid, tid] = most[0].split(' ').map(Number);
  return { pid, tid };
}

/** Spans of work that lie within no other. */
function outermost(events) {
  const spans = events
    .filter(({ name, ph, dur }) => working.has(name) && ph === 'X' && dur > 0)
    .map(({ ts, dur }) => ({ start: ts, end: ts + dur }))
    .sort((a, b) => a.start - b.start || b.end - a.end);
  const found = [];
  for (const span of spans) {
    const last = found.at(-1);
    if (last === undefined || span.start >= last.end) found.push({ ...span });
    else last.end = Math.max(last.end, span.end);
  }
  return found;
}
