import * as l10n from '@vscode/l10n';
import { percent, reward } from '../../../base/core/format.ts';
import type { TraceSummary } from '../../core/protocol/runRpc.ts';

interface Line {
  readonly kind: 'reward' | 'success';
  readonly name: string;
  readonly valueOf: (totals: TraceSummary['totals']) => number | null;
  readonly textOf: (value: number | null) => string;
}

function lines(): readonly Line[] {
  return [
    {
      kind: 'reward',
      name: l10n.t('Mean reward'),
      valueOf: ({ meanReward }) => meanReward,
      textOf: reward,
    },
    {
      kind: 'success',
      name: l10n.t('Success'),
      valueOf: ({ successRate }) => successRate,
      textOf: percent,
    },
  ];
}

/** In units of the drawing. */
const [width, height] = [100, 30];

/** A small chart per number, with a point for each run. The oldest run is on the left. */
export function Trend({ runs }: { readonly runs: readonly TraceSummary[] }) {
  if (runs.length < 2) return null;
  return (
    <div class="trends">
      {lines().map((line) => (
        <Chart key={line.kind} line={line} runs={runs} />
      ))}
    </div>
  );
}

function Chart({ line, runs }: { readonly line: Line; readonly runs: readonly TraceSummary[] }) {
  const points = runs.flatMap(({ experiment, totals }, index) => {
    const value = line.valueOf(totals);
    return value !== null && Number.isFinite(value) ? [{ index, value, experiment }] : [];
  });
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return null;
  const values = points.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const placed = points.map((point) => ({
    ...point,
    x: (width * point.index) / (runs.length - 1),
    y: most === least ? height / 2 : (height * (most - point.value)) / (most - least),
  }));
  const summary = l10n.t(
    '{0}: {1} in the first run, {2} in the last',
    line.name,
    line.textOf(first.value),
    line.textOf(last.value),
  );
  return (
    <figure class={`trend trend-${line.kind}`}>
      <figcaption>
        {summary}{' '}
        <span class="muted">{l10n.t('lowest {0}, highest {1}', line.textOf(least), line.textOf(most))}</span>
      </figcaption>
      <svg
        viewBox={`-2 -2 ${width + 4} ${height + 4}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
      >
        <polyline points={placed.map(({ x, y }) => `${x},${y}`).join(' ')} />
        {placed.map(({ x, y, index, value, experiment }) => (
          <path key={index} class="trend-point" d={`M${x} ${y}h0`}>
            <title>{`${experiment}: ${line.textOf(value)}`}</title>
          </path>
        ))}
      </svg>
    </figure>
  );
}
