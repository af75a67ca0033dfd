import * as l10n from '@vscode/l10n';
import { count, duration } from '../../../../base/core/format.ts';
import { endOf, type AxisSpan, type LaneKind } from './model.ts';

/** e.g. `Tool calculate`: a lane's name with its kind. */
export function laneName(kind: LaneKind, name: string): string {
  const names: Readonly<Record<LaneKind, string>> = {
    agent: name,
    tool: l10n.t('Tool {0}', name),
    workflow: l10n.t('Workflow'),
    environment: l10n.t('Environment'),
    helper: l10n.t('Helper LLM'),
    judge: l10n.t('Judge'),
  };
  return names[kind];
}

export function describeSpan(span: AxisSpan, now: number): string {
  const took = duration((endOf(span, now) - span.start) / 1000);
  if (span.kind === 'tool') return describeTool(span, took);
  if (span.kind === 'agent') return describeCall(span, took);
  const what = nameOf(span);
  if (span.state === 'running') return l10n.t('{0}: runs, {1} so far', what, took);
  if (span.state === 'lost') return l10n.t('{0}: the process ended first', what);
  if (span.error !== null) return l10n.t('{0}: {1}, failed: {2}', what, took, span.error);
  return `${what}: ${took}`;
}

/** e.g. `Call 3 of solver`, `Environment step`, `Judge MathJudge`. */
export function nameOf({ kind, name, call }: AxisSpan): string {
  return kind === 'agent' ? l10n.t('Call {0} of {1}', call ?? '', name) : nameOfGroup(kind, name);
}

/** e.g. `Calls of solver`, `Environment step`. */
export function nameOfGroup(kind: LaneKind, name: string): string {
  const names: Readonly<Partial<Record<LaneKind, string>>> = {
    agent: l10n.t('Calls of {0}', name),
    workflow: l10n.t('Workflow {0}', name),
    environment: l10n.t('Environment {0}', name),
    judge: l10n.t('Judge {0}', name),
  };
  return names[kind] ?? laneName(kind, name);
}

function describeCall(span: AxisSpan, took: string): string {
  const what = nameOf(span);
  if (span.state === 'running') return l10n.t('{0}: runs, {1} so far', what, took);
  if (span.row === null) return l10n.t('{0}: the process ended first', what);
  const { status, promptTokens, replyTokens } = span.row;
  if (span.error !== null) return l10n.t('{0}: {1}, failed with {2}', what, took, status);
  return l10n.t('{0}: {1}, {2} → {3} tokens', what, took, count(promptTokens), count(replyTokens));
}

function describeTool(span: AxisSpan, took: string): string {
  const [what, by] = [nameOf(span), span.call ?? ''];
  switch (span.state) {
    case 'running':
      return l10n.t('{0}, called by call {1}: may run, {2} so far', what, by, took);
    case 'unanswered':
    case 'lost':
      return l10n.t('{0}, called by call {1}: no request has its answer', what, by);
    default:
      return l10n.t(
        '{0}, called by call {1}: at most {2}, answered in call {3}',
        what,
        by,
        took,
        span.answeredBy ?? '',
      );
  }
}

/** Returns labels of a span's bar. The first that fits is drawn. */
export function barLabels(span: AxisSpan, now: number): readonly string[] {
  const took = duration((endOf(span, now) - span.start) / 1000);
  const name = span.kind === 'agent' ? String(span.call ?? '') : span.name;
  if (span.kind === 'tool') return [`≤ ${took}`];
  return span.state === 'failed' ? [`✕ ${name}`, '✕'] : [`${name} · ${took}`, name];
}
