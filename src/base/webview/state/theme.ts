/**
 * Reads colors of the page's theme, in CSS syntax for a canvas.
 *
 * @param parent the element whose custom properties name the colors
 * @param read called with a function that returns the color of a custom property
 */
export function readColors<T>(parent: HTMLElement, read: (colorOf: (property: string) => string) => T): T {
  const probe = document.createElement('span');
  probe.hidden = true;
  // With forced colors, the style sheets name system colors themselves.
  probe.style.setProperty('forced-color-adjust', 'none');
  parent.append(probe);
  const colors = read((property) => {
    probe.style.color = `var(--${property})`;
    return getComputedStyle(probe).color;
  });
  probe.remove();
  return colors;
}

/** Calls the listener when the editor or the system changes its colors. */
export function onThemeChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  const attributes = { attributes: true, attributeFilter: ['class', 'style', 'data-vscode-theme-id'] };
  observer.observe(document.documentElement, attributes);
  observer.observe(document.body, attributes);
  const queries = ['(prefers-color-scheme: dark)', '(prefers-contrast: more)', '(forced-colors: active)'].map(
    (query) => window.matchMedia(query),
  );
  for (const query of queries) query.addEventListener('change', listener);
  return () => {
    observer.disconnect();
    for (const query of queries) query.removeEventListener('change', listener);
  };
}
