import * as l10n from '@vscode/l10n';
import { useRef } from 'preact/hooks';
import { count, duration } from '../../../../base/core/format.ts';
import { TooltipLines, useTooltip, type Lines } from '../../ui/tooltip.tsx';
import { nameOf } from './describe.ts';
import { endOf, type AxisModel, type AxisSpan } from './model.ts';

export interface TooltipTarget {
  readonly span: number;
  readonly x: number;
  readonly y: number;
}

interface Props {
  readonly model: AxisModel;
  readonly target: TooltipTarget;
  readonly now: number;
}

const gap = 12;

export function AxisTooltip({ model, target, now }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const { x, y } = target;
  const hidden = useTooltip(box, target.span, gap, () => ({ left: x + gap, top: y, bottom: y }));
  const span = model.spans[target.span];
  if (span === undefined || hidden) return null;
  return (
    <div class="tooltip axis-tooltip" role="tooltip" ref={box}>
      <p class="tooltip-text">{nameOf(span)}</p>
      <TooltipLines lines={linesOf(span, now)} />
      {span.kind === 'tool' && span.state === 'ended' && (
        <p class="axis-note">{l10n.t('It ran at some time between the call and its answer.')}</p>
      )}
      {span.error !== null && <p class="axis-note axis-error">{span.error}</p>}
    </div>
  );
}

function linesOf(span: AxisSpan, now: number): Lines {
  const milliseconds = (time: number): string => duration(time / 1000);
  const took = milliseconds(endOf(span, now) - span.start);
  const { asked, first, row, call, answeredBy, state } = span;
  const ofTool: Lines = [
    state === 'ended' && [l10n.t('took at most'), took],
    state === 'running' && [l10n.t('may run'), took],
    [l10n.t('called by'), l10n.t('call {0}', call ?? '')],
    [l10n.t('answer in'), answeredBy === null ? l10n.t('no request so far') : l10n.t('call {0}', answeredBy)],
  ];
  return [
    [l10n.t('from'), milliseconds(span.start)],
    ...(span.kind === 'tool' ? ofTool : [[l10n.t('took'), stateOf(span, took)] as const]),
    asked !== null && [l10n.t('before the model request'), milliseconds(asked - span.start)],
    first !== null && [l10n.t('to the first token'), milliseconds(first - (asked ?? span.start))],
    row !== null && [l10n.t('tokens'), `${count(row.promptTokens)} → ${count(row.replyTokens)}`],
    row !== null && span.error !== null && [l10n.t('status'), String(row.status)],
  ];
}

function stateOf({ state }: AxisSpan, took: string): string {
  if (state === 'running') return l10n.t('{0} so far', took);
  return state === 'lost' ? l10n.t('the process ended first') : took;
}
