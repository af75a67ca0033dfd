import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { MessageView } from '../../core/protocol/episodeRpc.ts';
import type { TokensView, TokenDetail } from '../../core/protocol/tokenRpc.ts';
import { LatestRequest, type Outcome } from '../../../base/webview/state/latestRequest.ts';
import { useViewer } from '../state/viewer.ts';
import { count, logprob } from '../../../base/core/format.ts';
import { keyOf, type TimelineOf } from './timelineOf.ts';
import { tokenId } from './TokenChunk.tsx';
import { chance, quoted } from './tokenText.ts';

export const tooltipId = 'token-tooltip';

/** The distance between a token and its tooltip, in pixels. */
const gap = 6;

interface Props {
  /** The list of tokens. */
  readonly list: RefObject<HTMLElement | null>;
  readonly of: TimelineOf;
  readonly tokens: TokensView | undefined;
  readonly messages: readonly MessageView[];
  /** The token with the keyboard focus; null: the list does not have the focus. */
  readonly focused: number | null;
}

/** The details of the token under the pointer, or of the focused token. Escape hides them. */
export function TokenTooltip({ list, of, tokens, messages, focused }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const hovered = useHovered(list);
  const [hidden, setHidden] = useState<number | null>(null);
  const position = hovered ?? focused;

  useLayoutEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && setHidden(position);
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [position]);
  useLayoutEffect(() => setHidden(null), [position]);
  useLayoutEffect(() => {
    const token = position === null ? null : document.getElementById(tokenId(position));
    if (box.current && token) route(box.current, token);
  });

  const at = position === null || !tokens ? -1 : position - tokens.from;
  const known = position !== null && tokens?.texts[at] !== undefined && hidden !== position;
  const detail = useDetail(of, known ? position : null);
  if (position === null || tokens === undefined || !known) return null;
  return (
    <div class="tooltip" role="tooltip" id={tooltipId} ref={box}>
      <TokenFacts tokens={tokens} at={at} position={position} messages={messages} />
      {detail && <TokenMore detail={detail} />}
    </div>
  );
}

/** Loads the details of a token; undefined while they are loading. Only the newest token is requested. */
function useDetail(of: TimelineOf, token: number | null): TokenDetail | undefined {
  const { client, trace, version } = useViewer();
  const [outcome, setOutcome] = useState<Outcome<TokenDetail>>();
  const requests = useMemo(() => new LatestRequest<TokenDetail>(setOutcome), []);
  useEffect(() => () => requests.dispose(), []);
  const key = `${keyOf(of)} ${token}`;
  useEffect(() => {
    if (token !== null) requests.run(key, () => client.ask('token', { trace, ...of, token }));
  }, [key, version]);
  return outcome?.key === key && 'value' in outcome ? outcome.value : undefined;
}

interface FactsProps {
  readonly tokens: TokensView;
  readonly at: number;
  readonly position: number;
  readonly messages: readonly MessageView[];
}

/** The details that were loaded with the tokens. */
function TokenFacts({ tokens, at, position, messages }: FactsProps) {
  const text = tokens.texts[at] ?? '';
  const value = tokens.logprobs[at] ?? null;
  const entropy = tokens.entropies[at] ?? null;
  return (
    <>
      <code class="tooltip-text">{text === '' ? l10n.t('part of a character') : quoted(text)}</code>
      <dl>
        <Line name={l10n.t('id')} value={String(tokens.ids[at])} />
        <Line name={l10n.t('logprob')} value={value === null ? l10n.t('no logprob') : logprob(value)} />
        {value !== null && <Line name={l10n.t('probability')} value={chance(Math.exp(value))} />}
        {entropy !== null && (
          <Line name={l10n.t('entropy')} value={l10n.t('at least {0} nats', entropy.toFixed(3))} />
        )}
        <Line
          name={l10n.t('loss')}
          value={tokens.lossMask[at] === 1 ? l10n.t('trained') : l10n.t('not trained')}
        />
        <Line name={l10n.t('author')} value={authorOf(messages, tokens, at)} />
        {tokens.special[at] && <Line name={l10n.t('kind')} value={l10n.t('special token')} />}
        <Line name={l10n.t('position')} value={count(position)} />
      </dl>
    </>
  );
}

function TokenMore({ detail }: { readonly detail: TokenDetail }) {
  const { bytes, message, inMessage, call, rank, alternatives, drift } = detail;
  return (
    <>
      <dl>
        <Line name={l10n.t('bytes')} value={bytes.map(hex).join(' ')} />
        <Line name={l10n.t('message')} value={l10n.t('{0}, its token {1}', message, count(inMessage))} />
        {call && (
          <Line
            name={l10n.t('call')}
            value={
              call.how === 'made'
                ? l10n.t('generated by call {0}', call.call)
                : l10n.t('first sent by {0}', call.call)
            }
          />
        )}
        {alternatives.length > 0 && (
          <Line
            name={l10n.t('rank')}
            value={
              rank === null
                ? l10n.t('not among the {0} most likely', alternatives.length)
                : l10n.t('{0} of {1} alternatives', rank, alternatives.length)
            }
          />
        )}
        {drift && (
          <Line
            name={l10n.t('drift')}
            value={l10n.t('the chat template has {0} ({1})', quoted(drift.text), drift.ids.join(' '))}
          />
        )}
      </dl>
      {alternatives.length > 0 && (
        <ol class="alternatives" aria-label={l10n.t('Most likely tokens')}>
          {alternatives.slice(0, mostShown).map(({ id, text, logprob: value }, route) => (
            <li key={route} class={route + 1 === rank ? 'chosen-one' : ''}>
              <code>{id === null ? l10n.t('unknown token') : quoted(text)}</code>
              <span>{chance(Math.exp(value))}</span>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

/** The maximum number of alternatives that are shown. */
const mostShown = 10;

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

function Line({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Returns the author of a token, with the message's role where the author writes messages. */
function authorOf(messages: readonly MessageView[], tokens: TokensView, at: number): string {
  const author = tokens.authors[at] ?? 'template';
  const role = messages[tokens.messages[at] ?? -1]?.role;
  if (author === 'template')
    return role === undefined ? l10n.t('chat template') : l10n.t('chat template, around {0}', role);
  return role === undefined ? author : `${author} (${role})`;
}

/** Returns the token under the pointer. */
function useHovered(list: RefObject<HTMLElement | null>): number | null {
  const [hovered, setHovered] = useState<number | null>(null);
  useLayoutEffect(() => {
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

/** Returns the position of the token that an event happened on. */
export function tokenOf(target: EventTarget | null): number | null {
  const token = target instanceof Element ? target.closest<HTMLElement>('[data-token]') : null;
  return token ? Number(token.dataset['token']) : null;
}

/** Places the tooltip below the token, or above it if there is no room, but always inside the page. */
function route(box: HTMLElement, token: HTMLElement): void {
  const [anchor] = token.getClientRects();
  if (!anchor) return;
  const { width, height } = box.getBoundingClientRect();
  const below = anchor.bottom + gap + height <= window.innerHeight;
  const left = Math.max(gap, Math.min(anchor.left, window.innerWidth - width - gap));
  box.style.left = `${left}px`;
  box.style.top = `${below ? anchor.bottom + gap : anchor.top - gap - height}px`;
}
