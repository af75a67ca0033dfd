import type { Page } from 'playwright-core';

/** The most useful parts come first, because failures show only the start of a long text. */
const parts = Object.entries({
  status: '.part.statusbar .statusbar-item',
  toasts: '.notification-toast',
  tabs: '.tab',
  active: '.tab.active',
  console: '.repl .monaco-list-row',
  sidebar: '.part.sidebar .monaco-list-row',
  pane: '.editor-group-container.active > .editor-container',
  lenses: '.codelens-decoration',
  input: '.quick-input-list .monaco-list-row',
  dialog: '.monaco-dialog-box',
});

/** Describes what the window shows and which element has the focus, for failures on machines without a screen. */
export async function describeWindow(page: Page): Promise<string> {
  const [focus, ...shown] = await Promise.all([
    describeFocus(page),
    ...parts.map(async ([name, selector]) => {
      const texts = await page.locator(selector).filter({ visible: true }).allInnerTexts();
      return `${name} "${texts.join(' | ').replace(/\s+/g, ' ').slice(0, 300)}"`;
    }),
  ]);
  return [focus, ...shown].join(', ');
}

/** Describes the focused element of the window and, where a webview has the focus, the one inside the webview. */
async function describeFocus(page: Page): Promise<string> {
  const focused = await Promise.all(
    page.frames().map((frame) =>
      frame
        .evaluate(() => {
          if (!document.hasFocus()) return undefined;
          const names: string[] = [];
          for (
            let element = document.activeElement;
            element !== null && names.length < 4;
            element = element.parentElement
          ) {
            names.push([element.localName, ...element.classList].join('.'));
          }
          return names.reverse().join(' > ');
        })
        .catch(() => undefined),
    ),
  );
  return `focus "${focused.filter((name) => name !== undefined).join(' » ')}"`;
}
