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

/** @param isOver checked before each window; once it returns true, the result is undefined */
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
    parts.push(formats[form].of(view));
    from += view.ids.length;
  }
  return isOver() ? undefined : formats[form].join(parts, key);
}

interface Format {
  readonly of: (view: TokensView) => string;
  readonly join: (parts: readonly string[], timeline: TimelineOf) => string;
}

export const formats: Readonly<Record<CopyForm, Format>> = {
  text: { of: ({ texts }) => texts.join(''), join: (parts) => parts.join('') },
  ids: { of: ({ ids }) => ids.join(', '), join: (parts) => `[${parts.join(', ')}]` },
  json: {
    of: (view) => view.ids.map((_, at) => `  ${JSON.stringify(tokenJson(view, at))}`).join(',\n'),
    join: (parts, { episode, timeline }) =>
      `{"episode": ${episode}, "timeline": ${timeline}, "tokens": [\n${parts.join(',\n')}\n]}`,
  },
};

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
    ...(view.trainer && {
      trainerLogprob: view.trainer.logprobs[at],
      ratio: view.trainer.ratios[at],
      kl: view.trainer.kls[at],
    }),
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
