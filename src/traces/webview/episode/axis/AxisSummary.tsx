import * as l10n from '@vscode/l10n';
import { useMemo } from 'preact/hooks';
import { duration, share } from '../../../../base/webview/ui/format.ts';
import type { AxisModel } from './model.ts';
import { sharesOf } from './totals.ts';

interface Props {
  readonly model: AxisModel;
  readonly now: number;
}

/** Where the episode's time went, in one line. What overlaps counts in each. */
export function AxisSummary({ model, now }: Props) {
  const until = model.runs ? now : 0;
  // Of a long episode it takes a while: once a second is enough.
  const shares = useMemo(() => sharesOf(model, until), [model, Math.floor(until / 1000)]);
  const { whole, queued } = shares;
  const texts = (time: number) => [duration(time / 1000), share(time, whole)] as const;
  const parts: readonly { readonly swatch: string; readonly time: number; readonly text: string }[] = [
    {
      swatch: 'agent',
      time: shares.model,
      text: l10n.t('waiting for the model {0} ({1})', ...texts(shares.model)),
    },
    {
      swatch: 'queued',
      time: queued,
      text: l10n.t('of that, {0} before it was asked', duration(queued / 1000)),
    },
    {
      swatch: 'environment',
      time: shares.services,
      text: l10n.t('services {0} ({1})', ...texts(shares.services)),
    },
    { swatch: 'judge', time: shares.judge, text: l10n.t('judge {0} ({1})', ...texts(shares.judge)) },
    {
      swatch: 'workflow',
      time: shares.working,
      text: l10n.t('working {0} ({1})', ...texts(shares.working)),
    },
    { swatch: 'tool', time: shares.tools, text: l10n.t('tools at most {0}', duration(shares.tools / 1000)) },
  ];
  return (
    <ul class="lanes-summary">
      {parts
        .filter(({ time, swatch }) => time > whole / 200 || swatch === 'agent' || swatch === 'workflow')
        .map(({ swatch, text }) => (
          <li key={swatch} class={swatch === 'agent' || swatch === 'workflow' ? undefined : 'axis-detail'}>
            <span class={`swatch swatch-${swatch}`} aria-hidden="true" />
            {text}
          </li>
        ))}
    </ul>
  );
}
