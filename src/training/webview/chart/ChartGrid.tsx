import * as l10n from '@vscode/l10n';
import { chartsOf, otherMetrics, seriesOf, kindOf } from '../data/chartTable.ts';
import { usePage, useCursor, smoothings } from '../page.ts';
import { percent } from '../../../base/core/format.ts';
import { stepAxis, timeAxis } from './axes.ts';
import { ChartCard } from './ChartCard.tsx';
import { ValueTable } from './ValueTable.tsx';
import { stepText } from '../text.ts';

export function ChartGrid() {
  const page = usePage();
  const { runs, view, change } = page;
  const charts = chartsOf(runs, view.added);
  const remove = (key: string) => change({ added: view.added.filter((name) => `added ${name}` !== key) });
  return (
    <section class="charts" aria-labelledby="charts">
      <Tools others={otherMetrics(runs, charts)} />
      <div class="chart-grid">
        {charts.map((chart) => (
          <ChartCard
            key={chart.key}
            {...kindOf(chart)}
            name={[...new Set(chart.names.filter((name) => name !== undefined))].join(', ')}
            axisOf={stepAxis}
            series={runs.map((run, index) => seriesOf(run, chart.names[index]))}
            onRemove={chart.id === 'added' ? () => remove(chart.key) : undefined}
          />
        ))}
        <GpuCharts />
      </div>
      <p class="muted chart-help">
        {l10n.t(
          'Drag to zoom, double-click for all steps. With the keyboard: arrows and Page Up/Down move, + and − zoom, Shift+arrows pan, 0 shows all.',
        )}
      </p>
      {charts.length > 0 && <ValueTable charts={charts} />}
    </section>
  );
}

function GpuCharts() {
  const { runs } = usePage();
  const charts = [
    { title: l10n.t('GPU load'), series: runs.map(({ gpuLoad }) => gpuLoad) },
    { title: l10n.t('GPU memory'), series: runs.map(({ gpuMemory }) => gpuMemory) },
  ];
  return charts
    .filter(({ series }) => series.some(({ length }) => length > 0))
    .map(({ title, series }) => (
      <ChartCard
        key={title}
        title={title}
        name={l10n.t('mean of the run’s GPUs over time')}
        axisOf={timeAxis}
        series={series}
        valueText={(value) => percent(value === undefined ? null : value / 100)}
        range={[0, 100]}
      />
    ));
}

function Tools({ others }: { readonly others: readonly string[] }) {
  const { view, change } = usePage();
  return (
    <div class="chart-tools">
      <h2 id="charts">{l10n.t('Charts')}</h2>
      <CursorStep />
      <StageChoice />
      <Smoothing />
      <label class="check">
        <input
          type="checkbox"
          checked={view.log}
          onChange={(event) => change({ log: event.currentTarget.checked })}
        />
        {l10n.t('Log scale')}
      </label>
      <button type="button" disabled={view.window === null} onClick={() => change({ window: null })}>
        {l10n.t('All steps')}
      </button>
      {others.length > 0 && <AddChart names={others} />}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChoose: (value: string) => void;
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  return (
    <label class="choice">
      {label}
      <select
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = currentTarget.value;
          // Otherwise the element would keep the user's choice if the value stays the same.
          currentTarget.value = value;
          onChoose(chosen);
        }}
      >
        {options.map(([one, text]) => (
          <option key={one} value={one} selected={one === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Selects the stage to show. Steps of each stage start with 1, so the charts show one stage at a time. */
function StageChoice() {
  const { runs, own, view, change } = usePage();
  const newest = own.stages.at(-1);
  const names = [...new Set(runs.flatMap(({ stages }) => stages.map(({ name }) => name)))];
  if (names.length === 0) return null;
  const none = newest === undefined ? l10n.t('newest') : l10n.t('newest: {0}', newest.name);
  return (
    <Choice
      label={l10n.t('Stage')}
      value={names.find((name) => name === view.stage) ?? ''}
      options={[['', none], ...names.map((name) => [name, name] as const)]}
      onChoose={(name) => change({ stage: name || null, window: null })}
    />
  );
}

function Smoothing() {
  const { view, change } = usePage();
  const names = [l10n.t('none'), l10n.t('light'), l10n.t('medium'), l10n.t('strong')];
  return (
    <Choice
      label={l10n.t('Smoothing')}
      value={String(view.smoothing)}
      options={smoothings.map((one, index) => [String(one), names[index] ?? ''] as const)}
      onChoose={(chosen) => change({ smoothing: smoothings.find((one) => String(one) === chosen) ?? 0 })}
    />
  );
}

function AddChart({ names }: { readonly names: readonly string[] }) {
  const { view, change } = usePage();
  return (
    <Choice
      label={l10n.t('Add a chart')}
      value=""
      options={[['', l10n.t('Choose a metric …')], ...names.map((name) => [name, name] as const)]}
      onChoose={(name) => name !== '' && change({ added: [...view.added, name] })}
    />
  );
}

function CursorStep() {
  const { own } = usePage();
  const point = useCursor();
  const step = point?.step ?? own.stepTimes.last?.at;
  return (
    <span class="pointed-at">
      {step === undefined ? '' : point === undefined ? l10n.t('Newest values') : stepText(step)}
    </span>
  );
}
