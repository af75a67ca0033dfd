import { largestWindow } from '../../core/protocol/traceRpc.ts';
import type { TraceClient } from '../../core/methods.ts';
import type { TokensView } from '../../core/protocol/tokenRpc.ts';
import type { TimelineOf } from '../state/route.ts';
import type { TokenRange } from './tokenRange.ts';

export const copyForms = ['text', 'ids', 'json'] as const;
export type CopyForm = (typeof copyForms)[number];

export interface TimelineKey extends TimelineOf {
  readonly trace: string;
}

/**
 * Returns the text of tokens to copy. Tokens that the page has not loaded are requested window by window.
 *
 * @param isOver checked before each window; once it returns true, the result is undefined
 */
export async function readTokenText(
  client: TraceClient,
  key: TimelineKey,
  range: TokenRange,
  { form, isOver }: { readonly form: CopyForm; readonly isOver: () => boolean },
): Promise<string | undefined> {
  const parts: string[] = [];
  for (let from = range.from; from < range.end;) {
    if (isOver()) return undefined;
    const limit = Math.min(range.end - from, largestWindow.tokens);
    const view = await client.ask('tokens', { ...key, from, limit });
    if (view.ids.length === 0) break;
    parts.push(formatted(view, form));
    from += view.ids.length;
  }
  return isOver() ? undefined : joined(parts, form, key);
}

export function formatted(view: TokensView, form: CopyForm): string {
  switch (form) {
    case 'text':
      return view.texts.join('');
    case 'ids':
      return view.ids.join(', ');
    case 'json':
      return view.ids.map((_, at) => `  ${JSON.stringify(tokenJson(view, at))}`).join(',\n');
  }
}

export function joined(parts: readonly string[], form: CopyForm, key: Omit<TimelineKey, 'trace'>): string {
  switch (form) {
    case 'text':
      return parts.join('');
    case 'ids':
      return `[${parts.join(', ')}]`;
    case 'json': {
      const { episode, timeline } = key;
      return `{"episode": ${episode}, "timeline": ${timeline}, "tokens": [\n${parts.join(',\n')}\n]}`;
    }
  }
}

function tokenJson(view: TokensView, at: number): Readonly<Record<string, unknown>> {
  return {
    position: view.from + at,
    id: view.ids[at],
    text: view.texts[at],
    special: view.special[at],
    message: view.messages[at],
    author: view.authors[at],
    lossMask: view.lossMask[at],
    logprob: view.logprobs[at],
  };
}

/** Returns the tokens that are selected with the pointer in a list of tokens; undefined: none. */
export function selectedRange(selection: Selection | null, list: Element): TokenRange | undefined {
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0);
  if (!list.contains(range.commonAncestorContainer)) return undefined;
  const touched = [...list.querySelectorAll<HTMLElement>('[data-token]')]
    .filter((token) => selection.containsNode(token, true))
    .map((token) => Number(token.dataset['token']));
  if (touched.length === 0) return undefined;
  return { from: Math.min(...touched), end: Math.max(...touched) + 1 };
}
