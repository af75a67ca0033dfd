import type { ComponentChildren } from 'preact';
import type { Route } from '../state/route.ts';
import { useViewer } from '../state/viewer.ts';

interface Props {
  readonly to: Route;
  readonly class?: string;
  /** The name for screen readers; absent: its text. */
  readonly label?: string;
  readonly children: ComponentChildren;
}

export function RouteLink({ to, class: name = 'link', label, children }: Props) {
  const { navigate } = useViewer();
  return (
    <button type="button" class={name} aria-label={label} onClick={() => navigate(to)}>
      {children}
    </button>
  );
}
