import { clip } from '../clip.ts';
import type { ExportedEpisode } from './episode.ts';
import { count, duration, shown, isolated } from './htmlText.ts';
import { placed, slicesOf, type PlacedSlice } from './slices.ts';

/** Slices and lanes that are drawn. */
const most = { slices: 2_000, lanes: 40 } as const;
/** Units of the drawing, which is as wide as the page. */
const width = 1_000;

/** An episode on its time axis: a bar for each call, tool and judge call, in lanes; what it is is told by pointing at it. */
export function htmlAxis(episode: ExportedEpisode): string {
  const all = slicesOf(episode);
  const beginning = Math.min(...all.slice(0, most.slices).map(({ startedAt }) => startedAt));
  const { slices, lanes } = placed(all.slice(0, most.slices), beginning);
  const end = slices.reduce((last, { start, length }) => Math.max(last, start + length), 0);
  if (end === 0) return '';
  const rows = lanes.slice(0, most.lanes).map((name, thread) => {
    const bars = slices.filter((slice) => slice.thread === thread).map((slice) => bar(slice, end));
    return `<dt>${isolated(clip(name, 60))}</dt><dd><svg viewBox="0 0 ${width} 16" preserveAspectRatio="none" role="img" aria-label="${bars.length} bars">${bars.join('')}</svg></dd>`;
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
  return `<rect class="${known}" x="${x}" y="0" width="${wide}" height="16"><title>${shown(title)}</title></rect>`;
}
