import { useMemo } from 'preact/hooks';
import type { RunView } from '../../protocol/traceRpc.ts';
import { episodePlace } from '../state/place.ts';
import { useViewer } from '../state/viewer.ts';
import { count } from '../ui/format.ts';
import { Icon } from '../ui/Icon.tsx';
import { useFold } from '../ui/useFold.tsx';
import { EpisodeTable } from './EpisodeTable.tsx';
import { ReportPanel, type Finding } from './ReportPanel.tsx';
import { RunHeader } from './RunHeader.tsx';
import { runStatus } from './status.ts';

/** What the run's screen remembers while an episode is looked at. */
export interface RunMemory {
  /** Position of the table's current row. */
  readonly active: number;
  /** Code of the finding whose episodes are selected. */
  readonly finding: string | null;
}

interface Props {
  readonly run: RunView;
  readonly memory: RunMemory;
  readonly onMemory: (memory: RunMemory) => void;
}

export function RunScreen({ run, memory, onMemory }: Props) {
  const { go } = useViewer();
  const fold = useFold();
  const finding = run.report.findings.find(({ code }) => code === memory.finding);
  const marked = useMemo(() => new Set(finding?.episodes), [finding?.episodes]);
  const select = (code: string | null) => {
    const chosen = run.report.findings.find((candidate) => candidate.code === code);
    // Episodes are listed in the order of their numbers, which count from 0.
    onMemory({ finding: code, active: chosen?.episodes[0] ?? memory.active });
  };
  return (
    <main class={`screen run-screen ${fold.className}`}>
      <RunHeader run={run} fold={fold} />
      <ReportPanel
        report={run.report}
        running={runStatus(run) === 'running'}
        selected={memory.finding}
        onSelect={select}
      />
      <section class="episodes" aria-label="Episodes">
        {finding && (
          <Stepper
            finding={finding}
            active={memory.active}
            onStep={(active) => onMemory({ ...memory, active })}
            onClear={() => select(null)}
          />
        )}
        <EpisodeTable
          active={memory.active}
          onActive={(active) => onMemory({ ...memory, active })}
          marked={marked}
          onOpen={(episode) => go(episodePlace(episode))}
        />
      </section>
    </main>
  );
}

interface StepperProps {
  readonly finding: Finding;
  readonly active: number;
  readonly onStep: (episode: number) => void;
  readonly onClear: () => void;
}

/** Goes through the episodes of a finding, wherever in a long table they are. */
function Stepper({ finding: { episodes, count: all, message }, active, onStep, onClear }: StepperProps) {
  const next = episodes.find((episode) => episode > active);
  const previous = episodes.findLast((episode) => episode < active);
  const at = episodes.indexOf(active);
  return (
    <div class="stepper" role="toolbar" aria-label="Selected episodes">
      <span class="stepper-text">
        <strong>
          {at === -1 ? '' : `${count(at + 1)} of `}
          {count(episodes.length)} selected
        </strong>
        {episodes.length < all && `, the first of ${count(all)}`}: {message}
      </span>
      <button type="button" disabled={previous === undefined} onClick={() => onStep(previous ?? active)}>
        <Icon name="up" /> Previous
      </button>
      <button type="button" disabled={next === undefined} onClick={() => onStep(next ?? active)}>
        <Icon name="down" /> Next
      </button>
      <button type="button" onClick={onClear}>
        Clear
      </button>
    </div>
  );
}
