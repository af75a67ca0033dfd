/** What a page lets people read, and which of it is English although the page is in Chinese. */
import type { Page } from 'playwright-core';
import type { ScriptedTrace } from './scriptedTrace.ts';

/** The visible texts of a page, and what is said of its visible elements in their attributes. */
export function readablesOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const parent = node.parentElement;
      if (parent?.checkVisibility() === true && parent.closest('script') === null) {
        found.push(node.textContent ?? '');
      }
    }
    for (const element of document.querySelectorAll('[title], [aria-label], [placeholder]')) {
      if (!element.checkVisibility()) continue;
      for (const name of ['title', 'aria-label', 'placeholder']) found.push(element.getAttribute(name) ?? '');
    }
    return found.map((text) => text.trim()).filter((text) => text !== '');
  });
}

/** Has every text that a trace answers with from now on collected. */
export function collectAnswers(trace: ScriptedTrace): ReadonlySet<string> {
  const texts = new Set<string>();
  const answer = trace.answer.bind(trace);
  trace.answer = async (request) => {
    const result = await answer(request);
    // Line by line and word by word as well: long texts are shown in parts.
    for (const text of stringsIn(result)) {
      for (const part of [text, ...text.split('\n'), ...text.split(/[^\p{L}\p{N}_]+/u)])
        texts.add(part.trim());
    }
    return result;
  };
  return texts;
}

export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'boolean') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => [name, ...stringsIn(part)]);
}

/** What the field, the keyboard and the units write so in Chinese too. */
const international = new Set(
  'AgentJet token ID LLM JSON YAML Aa kB MB Esc Enter Page Home End Alt Tab nats reward agent solver trains no timeline_compare_level ignore_tools fix_retokenization_drift'.split(
    ' ',
  ),
);

/** Texts without a Chinese character and with a word that is neither of the trace nor international. */
export function englishOf(texts: readonly string[], ofTrace: ReadonlySet<string>): string[] {
  const isKnown = (word: string): boolean => ofTrace.has(word) || international.has(word);
  return texts
    .filter((text) => !/\p{Script=Han}/u.test(text) && !ofTrace.has(text))
    .filter((text) => (text.match(/[\p{L}_][\p{L}\p{N}_]+/gu) ?? []).some((word) => !isKnown(word)));
}
