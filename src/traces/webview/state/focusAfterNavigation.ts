import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { useViewer } from './viewer.ts';

/** Focuses an element if the focused one was removed with its screen, so that keys continue to work. */
export function useFocusAfterNavigation(element: RefObject<HTMLElement | null>): void {
  const { hasNavigated } = useViewer();
  useLayoutEffect(() => {
    // A page that just opened, or that does not have the focus, must not take it.
    if (hasNavigated && document.hasFocus() && document.activeElement === document.body) {
      element.current?.focus({ preventScroll: true });
    }
  }, []);
}
