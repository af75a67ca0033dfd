import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { MessageView, TokensView } from '../../protocol/traceRpc.ts';
import { count, logprob } from '../ui/format.ts';
import { tokenId } from './TokenChunk.tsx';

export const tooltipId = 'token-tooltip';

/** Pixels between a token and what is told of it. */
const gap = 6;

interface Props {
  /** The list of tokens. */
  readonly list: RefObject<HTMLElement | null>;
  readonly tokens: TokensView | undefined;
  readonly messages: readonly MessageView[];
  /** The token that the keyboard is on; null: the list has no focus. */
  readonly focused: number | null;
}

/** What is known of the token below the pointer, or else of the one that the keyboard is on. Escape hides it. */
export function TokenTooltip({ list, tokens, messages, focused }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const hovered = useHovered(list);
  const [hidden, setHidden] = useState<number | null>(null);
  const position = hovered ?? focused;

  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && setHidden(position);
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [position]);
  useEffect(() => setHidden(null), [position]);
  useLayoutEffect(() => {
    const token = position === null ? null : document.getElementById(tokenId(position));
    if (box.current && token) place(box.current, token);
  });

  const at = position === null || !tokens ? -1 : position - tokens.from;
  const text = tokens?.texts[at];
  if (position === null || tokens === undefined || text === undefined || hidden === position) return null;
  return (
    <div class="tooltip" role="tooltip" id={tooltipId} ref={box}>
      <code class="tooltip-text">{text === '' ? 'part of a character' : JSON.stringify(text)}</code>
      <dl>
        <Line name="id" value={String(tokens.ids[at])} />
        <Line name="logprob" value={logprob(tokens.logprobs[at] ?? null)} />
        <Line name="loss" value={tokens.lossMask[at] === 1 ? 'trained' : 'not trained'} />
        <Line name="author" value={authorOf(messages, tokens.messages[at])} />
        <Line name="position" value={count(position)} />
        {tokens.special[at] && <Line name="kind" value="special token" />}
      </dl>
    </div>
  );
}

function Line({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function authorOf(messages: readonly MessageView[], index: number | undefined): string {
  const message = messages.find((candidate) => candidate.index === index);
  return message === undefined ? 'unknown' : `${message.author} (${message.role})`;
}

/** The token below the pointer. */
function useHovered(list: RefObject<HTMLElement | null>): number | null {
  const [hovered, setHovered] = useState<number | null>(null);
  useEffect(() => {
    const element = list.current;
    if (!element) return;
    const onOver = ({ target }: Event) => setHovered(tokenOf(target));
    const onLeave = () => setHovered(null);
    element.addEventListener('pointerover', onOver);
    element.addEventListener('pointerleave', onLeave);
    element.addEventListener('scroll', onLeave);
    return () => {
      element.removeEventListener('pointerover', onOver);
      element.removeEventListener('pointerleave', onLeave);
      element.removeEventListener('scroll', onLeave);
    };
  }, [list.current]);
  return hovered;
}

/** Position of the token that an event happened on. */
export function tokenOf(target: EventTarget | null): number | null {
  const token = target instanceof Element ? target.closest<HTMLElement>('[data-token]') : null;
  return token ? Number(token.dataset['token']) : null;
}

/** Below the token, or above it where there is no room; never outside of the page. */
function place(box: HTMLElement, token: HTMLElement): void {
  const [anchor] = token.getClientRects();
  if (!anchor) return;
  const { width, height } = box.getBoundingClientRect();
  const below = anchor.bottom + gap + height <= window.innerHeight;
  const left = Math.max(gap, Math.min(anchor.left, window.innerWidth - width - gap));
  box.style.left = `${left}px`;
  box.style.top = `${below ? anchor.bottom + gap : anchor.top - gap - height}px`;
}
