import * as l10n from '@vscode/l10n';
import { Swatch } from '../chart/Swatch.tsx';
import type { RunData } from '../data/runData.ts';
import { usePage } from '../page.ts';
import { number, stepText } from '../text.ts';
import { IconButton } from '../../../base/webview/ui/Icon.tsx';
import { StateOf } from './RunHeader.tsx';
import { stageText } from '../../core/runs/words.ts';

export function RunList() {
  const { runs, isGone, ask } = usePage();
  if (isGone && runs.length === 1) return null;
  return (
    <section class="run-list" aria-label={l10n.t('Runs in the charts')}>
      {runs.length > 1 && (
        <ul>
          {runs.map((run, index) => (
            <li key={run.id}>
              <Swatch run={index} />
              <span class="run-name">{run.name}</span>
              {isNamesake(run, runs) && <span class="muted">{run.id.slice(-6)}</span>}
              {index > 0 && <Compared run={run} />}
            </li>
          ))}
        </ul>
      )}
      {!isGone && (
        <button type="button" onClick={() => ask({ type: 'addRun' })}>
          {l10n.t('Compare with another run …')}
        </button>
      )}
    </section>
  );
}

/** Returns true if another run has the same name. Then the end of the id identifies the run, as in the title of its page. */
function isNamesake(run: RunData, runs: readonly RunData[]): boolean {
  return runs.some(({ id, name }) => id !== run.id && name === run.name);
}

function Compared({ run }: { readonly run: RunData }) {
  const { ask, isGone } = usePage();
  const { host, record, local } = run.shown;
  const stage = stageText(record);
  return (
    <>
      {local === undefined && <span class="muted">{l10n.t('on {0}', host)}</span>}
      <StateOf run={run} />
      {stage !== undefined && <span class="muted">{stage}</span>}
      {run.step !== null && <span class="muted">{stepText(run.step)}</span>}
      {record.reward !== null && <span class="muted">{l10n.t('reward {0}', number(record.reward))}</span>}
      {!isGone && (
        <IconButton
          icon="compare"
          name={l10n.t('Compare the config with that of {0}', run.name)}
          onPress={() => ask({ type: 'compareConfig', run: run.id })}
        />
      )}
      {!isGone && (
        <IconButton
          icon="close"
          name={l10n.t('Remove {0} from the charts', run.name)}
          onPress={() => ask({ type: 'removeRun', run: run.id })}
        />
      )}
    </>
  );
}
