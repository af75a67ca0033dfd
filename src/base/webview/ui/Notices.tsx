import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { formatLocation, type ErrorReport } from '../../core/errors.ts';
import { Icon } from './Icon.tsx';

/** A failure: what, where, what to do, and a way to try again where there is one. */
export function Failure({ report, retry }: { readonly report: ErrorReport; readonly retry?: () => void }) {
  return (
    <div class="notice notice-error" role="alert">
      <Icon name="cross" />
      <div class="notice-body">
        <p class="notice-title">{report.message}</p>
        {report.location && <p class="mono">{formatLocation(report.location)}</p>}
        {report.hint !== undefined && <p>{report.hint}</p>}
        <p class="notice-code mono">{report.code}</p>
      </div>
      {retry && (
        <button type="button" onClick={retry}>
          {l10n.t('Retry')}
        </button>
      )}
    </div>
  );
}

export function Note({
  kind,
  children,
}: {
  readonly kind: 'info' | 'warning' | 'error';
  readonly children: ComponentChildren;
}) {
  return (
    <div class={`notice notice-${kind}`}>
      <Icon name={kind === 'error' ? 'cross' : kind} />
      <div class="notice-body">{children}</div>
    </div>
  );
}

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** The error of a request, or the text of `children` while it is loading. */
export function Pending({
  error,
  retry,
  children,
}: {
  readonly error: ErrorReport | undefined;
  readonly retry: () => void;
  readonly children: string;
}) {
  return error ? <Failure report={error} retry={retry} /> : <Loading>{children}</Loading>;
}

export function Loading({ children }: { readonly children: string }) {
  return (
    <p class="loading" role="status">
      {children}
    </p>
  );
}
