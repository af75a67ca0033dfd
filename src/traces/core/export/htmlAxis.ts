/** Draws the time axis of an episode: a bar for each call, tool and judge call, in lanes without overlaps. */
import { count, duration } from '../../../base/core/format.ts';
import { clip } from '../clip.ts';
import type { ExportedEpisode } from './episode.ts';
import { escapedText, isolatedHtml } from './htmlText.ts';

interface Slice {
  readonly lane: string;
  readonly name: string;
  readonly category: string;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly seconds: number | null;
}

interface PlacedSlice extends Slice {
  /** Position of its lane. */
  readonly row: number;
  /** Whole microseconds since the first start, and the length. */
  readonly start: number;
  readonly length: number;
}

/** The maximum number of slices and lanes that are drawn. */
const most = { slices: 2_000, lanes: 40 } as const;
/** The width of the drawing in its own units. It fills the page. */
const width = 1_000;

/** Returns the axis; empty if nothing took time. Each bar has a tooltip. */
export function htmlAxis(episode: ExportedEpisode): string {
  const all = slicesOf(episode);
  const { slices, lanes } = placedSlices(all.slice(0, most.slices));
  const end = slices.reduce((last, { start, length }) => Math.max(last, start + length), 0);
  if (end === 0) return '';
  const rows = lanes.slice(0, most.lanes).map((name, row) => {
    const bars = slices.filter((slice) => slice.row === row).map((slice) => bar(slice, end));
    return `<dt>${isolatedHtml(clip(name, 60))}</dt><dd><svg viewBox="0 0 ${width} 16" preserveAspectRatio="none" role="img" aria-label="${bars.length} bars">${bars.join('')}</svg></dd>`;
  });
  const left = all.length - slices.length + Math.max(0, lanes.length - rows.length);
  const more =
    left === 0 ? '' : `<p class="note">More than can be drawn: ${count(left)} parts are left out.</p>`;
  return `<figure><figcaption>Time: ${duration(end / 1e6)} in all</figcaption><dl class="axis">${rows.join('')}</dl>${more}</figure>\n`;
}

function bar({ name, category, start, length }: PlacedSlice, end: number): string {
  const x = ((width * start) / end).toFixed(2);
  const wide = Math.max(1, (width * length) / end).toFixed(2);
  const known = ['episode', 'llm', 'tool', 'judge'].includes(category) ? category : 'other';
  const title = `${clip(name, 200)}: ${duration(length / 1e6)}, after ${duration(start / 1e6)}`;
  return `<rect class="${known}" x="${x}" y="0" width="${wide}" height="16"><title>${escapedText(title)}</title></rect>`;
}

/** Returns the slices, the episode's own first. */
function slicesOf({ row, calls, spans }: ExportedEpisode): readonly Slice[] {
  const { episode, startedAt, seconds } = row;
  return [
    { lane: 'episode', name: `episode ${episode}`, category: 'episode', startedAt, seconds },
    ...calls.map(({ row: { agent, call, ...times } }) => {
      return { lane: agent === '' ? 'calls' : agent, name: `call ${call}`, category: 'llm', ...times };
    }),
    ...spans.map((span) => ({ ...span, lane: span.kind, category: span.kind })),
  ];
}

/** Places slices in order on lanes of their name. Overlapping slices use several lanes. */
function placedSlices(slices: readonly Slice[]): {
  readonly slices: readonly PlacedSlice[];
  readonly lanes: readonly string[];
} {
  const beginning = Math.min(...slices.map(({ startedAt }) => startedAt));
  const lanes: { readonly name: string; end: number }[] = [];
  const placed = slices
    .toSorted((a, b) => a.startedAt - b.startedAt)
    .map((slice): PlacedSlice => {
      const start = Math.round((slice.startedAt - beginning) * 1_000);
      const length = Math.max(0, Math.round((slice.seconds ?? 0) * 1e6));
      const free = lanes.findIndex(({ name, end }) => name === slice.lane && end <= start);
      const row = free < 0 ? lanes.length : free;
      lanes[row] = { name: slice.lane, end: start + length };
      return { ...slice, row, start, length };
    });
  return { slices: placed, lanes: lanes.map(({ name }) => name) };
}
