import { describeSpan } from './describe.ts';
import type { AxisModel } from './model.ts';
import { duration } from '../../../../base/webview/ui/format.ts';
import * as l10n from '@vscode/l10n';

interface Props {
  readonly model: AxisModel;
  /** The one that assistive technology is on. */
  readonly active: number;
  readonly selected: number | null;
  readonly now: number;
}

/** Around the active one; however many there are, it says which of them it is. */
const around = 3;

/** The spans as a list that is read, not seen: the canvas shows them. */
export function SpanOptions({ model, active, selected, now }: Props) {
  const first = Math.max(0, active - around);
  const shown = model.spans.slice(first, active + around + 1);
  return (
    <>
      {shown.map((span, index) => (
        <div
          key={span.key}
          id={optionId(first + index)}
          class="visually-hidden"
          role="option"
          aria-selected={first + index === selected}
          aria-posinset={first + index + 1}
          aria-setsize={model.spans.length}
        >
          {l10n.t('{0}, from {1}', describeSpan(span, now), duration(span.start / 1000))}
        </div>
      ))}
    </>
  );
}

export function optionId(span: number): string {
  return `axis-span-${span}`;
}
