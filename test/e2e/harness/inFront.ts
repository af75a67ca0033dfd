import type { Page } from 'playwright-core';

const parts = Object.entries({
  tabs: '.tab',
  active: '.tab.active',
  pane: '.editor-group-container.active > .editor-container',
  sidebar: '.part.sidebar .monaco-list-row',
  lenses: '.codelens-decoration',
  status: '.part.statusbar .statusbar-item',
  toasts: '.notification-toast',
  input: '.quick-input-list .monaco-list-row',
  dialog: '.monaco-dialog-box',
});

/** What the window shows, for failures on machines whose pictures nobody sees. */
export async function inFront(page: Page): Promise<string> {
  const told = await Promise.all(
    parts.map(async ([name, selector]) => {
      const shown = await page.locator(selector).filter({ visible: true }).allInnerTexts();
      return `${name} "${shown.join(' | ').replace(/\s+/g, ' ').slice(0, 300)}"`;
    }),
  );
  return told.join(', ');
}
