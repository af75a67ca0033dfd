import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { useViewer } from './viewer.ts';

/** Takes the focus when the element that had it has gone with its screen, so that keys go on where one is now. */
export function useFocusAfterNavigation(element: RefObject<HTMLElement | null>): void {
  const { hasNavigated } = useViewer();
  useLayoutEffect(() => {
    // A page that opens, or that the user is not at, would take it from where they are.
    if (hasNavigated && document.hasFocus() && document.activeElement === document.body) {
      element.current?.focus({ preventScroll: true });
    }
  }, []);
}
