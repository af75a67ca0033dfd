import * as l10n from '@vscode/l10n';
import { usePage } from '../page.ts';
import { stepText } from '../text.ts';
import { moment } from '../../../base/webview/ui/format.ts';
import { Icon } from '../../../base/webview/ui/Icon.tsx';
import { alarmWords } from './words.ts';

/** What a training seldom means to do, the newest first. */
export function Alarms() {
  const { runs } = usePage();
  const alarms = runs.flatMap((run) => run.alarms.map((alarm) => ({ ...alarm, run })));
  if (alarms.length === 0) return null;
  alarms.sort((a, b) => b.at - a.at);
  return (
    <section class="panel" aria-labelledby="alarms">
      <h2 id="alarms">{l10n.t('Alarms')}</h2>
      <ul class="alarms">
        {alarms.map(({ run, seq, alarm, text, at, step, stage }) => {
          const { title, advice } = alarmWords(alarm);
          return (
            <li key={`${run.id} ${seq}`} class="notice notice-warning">
              <Icon name="warning" />
              <div class="notice-body">
                <p class="notice-title">
                  {title}{' '}
                  <span class="stat-note">
                    {[
                      ...(runs.length > 1 ? [run.name] : []),
                      ...(stage > 0 ? [l10n.t('stage {0}', run.stageName(stage))] : []),
                      step === null ? moment(at) : stepText(step),
                    ].join(' · ')}
                  </span>
                </p>
                <p>{text}</p>
                {advice !== '' && <p>{advice}</p>}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
