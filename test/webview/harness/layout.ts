/** What a person sees at once of a page that has too little room. */
import type { Page } from 'playwright-core';

/** Pairs of blocks that stand beside or below each other and yet cover each other. */
export function overlaps(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const blocks = [
      '.breadcrumbs, .screen, .episode-header, .run-header, .report, .episodes, .lanes-section, .split',
      '.split > *',
      '.detail > *',
      '.timeline-detail > *',
      '.title-line > *',
      '.stats > *',
    ];
    const name = (element: Element) => `${element.tagName} ${element.classList.value}`;
    return blocks.flatMap((selector) => {
      const drawn = [...document.querySelectorAll(selector)].filter(
        (element) => getComputedStyle(element).position === 'static' && element.getClientRects().length > 0,
      );
      return drawn.flatMap((one, index) =>
        drawn.slice(index + 1).flatMap((other) => {
          if (one.contains(other)) return [];
          const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
          const covers =
            Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
          return covers ? [`${name(one)} and ${name(other)}`] : [];
        }),
      );
    });
  });
}

/** Whether the page as a whole is wider than its window. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('.screen, .detail')].some(
      (element) => element.scrollWidth > element.clientWidth,
    ),
  );
}
