import type { Page } from 'playwright-core';

/** What of a page should not be there: elements and attributes that run or load, and text that leaves its place. */
export function escapes(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const name = (element: Element): string => `${element.tagName.toLowerCase()}.${element.classList.value}`;

    const forbidden = [
      'script:not([nonce]):not(#agentjet-boot)',
      'iframe, object, embed, base, frame, applet, portal, marquee, video, audio, style:not(head > style:only-of-type)',
      'form[action], [formaction], meta[http-equiv=refresh], link:not([rel=stylesheet]):not([rel=icon])',
      'animate, foreignObject, math',
    ].flatMap((selector) =>
      [...document.querySelectorAll(selector)].map((found) => `there is ${name(found)}`),
    );

    const attributes = [...document.querySelectorAll('*')].flatMap((element) =>
      [...element.attributes].flatMap(({ name: attribute, value }) => {
        const runs = attribute.startsWith('on') || attribute === 'srcdoc' || attribute === 'xlink:href';
        const leads = ['href', 'src', 'srcset', 'data', 'poster', 'background'].includes(attribute);
        const isOwn = element.matches('script[nonce], link');
        const isLink =
          (element.matches('a[target=_blank][rel~=noopener]') && /^https?:\/\//.test(value)) ||
          /^#episode-\d+$/.test(value);
        const isRaster = element.tagName === 'IMG' && /^data:image\/(png|jpeg|gif|webp)[;,]/.test(value);
        return runs || (leads && !isOwn && !isLink && !isRaster)
          ? [`${name(element)} has ${attribute}=${value.slice(0, 80)}`]
          : [];
      }),
    );

    interface Style {
      readonly display: string;
      readonly isIsolated: boolean;
      readonly isClipped: boolean;
    }
    const styles = new Map<Element, Style>();
    /** Read once: of what is folded away it is worked out anew each time. */
    const styleOf = (element: Element): Style => {
      const known = styles.get(element);
      if (known !== undefined) return known;
      const { display, unicodeBidi, overflowX } = getComputedStyle(element);
      const isIsolated = /isolate|plaintext/.test(unicodeBidi);
      const style = { display, isIsolated, isClipped: overflowX !== 'visible' };
      styles.set(element, style);
      return style;
    };

    /** The block that lays out an inline text. */
    const blockOf = (from: Element): Element => {
      let at = from;
      while (at.parentElement && styleOf(at).display.startsWith('inline')) {
        if (styleOf(at).display !== 'inline') return at;
        at = at.parentElement;
      }
      return at;
    };
    const isIsolated = (from: Element, text: string): boolean => {
      const block = blockOf(from);
      for (let at: Element | null = from; at && at !== block; at = at.parentElement) {
        if (styleOf(at).isIsolated) return true;
      }
      return block.textContent.trim() === text.trim();
    };
    /** Whether what reaches out of an element between two is not drawn. */
    const isClipped = (from: Element, to: Element): boolean => {
      for (let at: Element | null = from; at; at = at.parentElement) {
        if (styleOf(at).isClipped) return true;
        if (at === to) return false;
      }
      return false;
    };
    const main = document.getElementById('agentjet-viewer') ?? document.body;
    const cellOf = (element: Element): Element | null =>
      element.closest('[role=gridcell], [role=row], [role=option]:not(.token), .stat, button');
    const placed: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      const text = node.nodeValue ?? '';
      if (!parent || text.trim() === '' || parent.matches('script, .visually-hidden')) continue;
      if (/[\u202a-\u202e\u2066-\u2069]/.test(text) && !isIsolated(parent, text)) {
        placed.push(`bidi in ${name(parent)} in ${name(blockOf(parent))} reaches its neighbours`);
      }
      if (!parent.checkVisibility()) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const { right, left, top, bottom, width } = range.getBoundingClientRect();
      if (width === 0) continue;
      if ((right > window.innerWidth + 1 || left < -1) && !isClipped(parent, main)) {
        placed.push(`text of ${name(parent)} reaches beyond the page`);
      }
      const cell = cellOf(parent);
      const box = cell?.getBoundingClientRect();
      if (!cell || !box || isClipped(parent, cell)) continue;
      if (right > box.right + 1 || left < box.left - 1 || top < box.top - 1 || bottom > box.bottom + 1) {
        placed.push(`text of ${name(parent)} reaches beyond ${name(cell)}`);
      }
    }
    const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
    const ran = Reflect.get(globalThis, 'hostile') as unknown;
    return [
      ...forbidden,
      ...attributes,
      ...new Set(placed),
      ...(wide ? ['the page is wider than its window'] : []),
      ...(ran === undefined ? [] : [`script ran: ${JSON.stringify(ran)}`]),
    ];
  });
}
