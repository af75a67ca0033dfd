import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import type { TimelineView } from '../../core/protocol/episodeRpc.ts';
import { timelineRoute, type TimelineOf } from '../state/route.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { useViewer } from '../state/viewer.ts';
import { Failure } from '../../../base/webview/ui/Notices.tsx';
import { MeasuredItems } from '../../../base/webview/ui/MeasuredItems.tsx';
import { TimelineMap } from './TimelineMap.tsx';
import { tokenId, type Marks, TokenChunk } from './TokenChunk.tsx';
import { TokenFind, TokenGo } from './TokenFind.tsx';
import { nextLayer, type LayerScale } from './tokenLayers.ts';
import { messageAt, type TokenItem } from './tokenLayout.ts';
import { tokenAfterKey } from './tokenMoves.ts';
import { TokenCopy, TokenTools } from './TokenTools.tsx';
import { TokenTooltip, tokenOf, tooltipId } from './TokenTooltip.tsx';
import { useTokens, type Tokens } from './useTokens.ts';
import type { TokensView } from '../../core/protocol/tokenRpc.ts';
import { MessageHeading } from './MessageCard.tsx';

interface Props {
  readonly of: TimelineOf;
  readonly timeline: TimelineView;
  /** The token to start at; null: the last position. */
  readonly token: number | null;
}

/** Only tokens near the visible ones are loaded. The server provides the others for searching and copying. */
export function TokenList({ of, timeline: view, token }: Props) {
  const { navigate } = useViewer();
  const tokens = useTokens({ of, view, token });
  const [hasFocus, setHasFocus] = useState(false);
  const [bar, setBar] = useState<Bar>(null);
  const { slice, error, retry } = tokens.window;
  const { episode, timeline, setting = null } = of;
  const scale = { advantage: view.advantage, clip: view.row.training?.clip ?? null };
  const read = (message: number) => navigate(timelineRoute(episode, timeline, null, { setting, message }));
  useShortcuts(l10n.t('Tokens'), [
    {
      keys: ['m'],
      what: l10n.t('Show the message of the current token'),
      run: () => read(messageAt(view.messages, tokens.active ?? tokens.shown.first)),
    },
  ]);
  return (
    <>
      {error && <Failure report={error} retry={retry} />}
      <TokenBars view={view} tokens={tokens} bar={bar} onBar={setBar} />
      <TimelineMap
        strip={tokens.strip}
        layer={tokens.layer}
        scale={scale}
        total={view.row.tokens}
        shown={tokens.shown}
        onPick={tokens.pick}
      />
      <ListBox
        tokens={tokens}
        scale={scale}
        hasFocus={hasFocus}
        onFocus={setHasFocus}
        onFind={() => setBar('find')}
        onRead={read}
      />
      <TokenTooltip
        list={tokens.list}
        of={of}
        tokens={slice?.view}
        messages={view.messages}
        clip={scale.clip}
        focused={hasFocus ? tokens.active : null}
      />
    </>
  );
}

type Bar = 'find' | 'go' | null;

interface BarsProps {
  readonly view: TimelineView;
  readonly tokens: Tokens;
  readonly bar: Bar;
  readonly onBar: (bar: Bar) => void;
}

function TokenBars({ view, tokens, bar, onBar }: BarsProps) {
  const { layer, onLayer, chosen, searcher, active, shown, list, strip } = tokens;
  const close = () => {
    onBar(null);
    searcher.clear();
    list.current?.focus();
  };
  const go = (token: number) => {
    // The focus would make the first visible token the current one.
    close();
    tokens.go(token);
  };
  const clear = () => {
    chosen.clear();
    list.current?.focus();
  };
  const commands = { onFind: () => onBar('find'), onGo: () => onBar('go'), onChoose: chosen.all };
  useShortcuts(l10n.t('Tokens'), [
    { keys: ['f', 'Ctrl+F'], what: l10n.t('Find in the tokens'), run: commands.onFind },
    { keys: ['g'], what: l10n.t('Go to a token by its position'), run: commands.onGo },
    { keys: ['c'], what: l10n.t('Switch the meaning of the colors'), run: () => onLayer(nextLayer(layer)) },
    { keys: ['a', 'Ctrl+A'], what: l10n.t('Select all tokens to copy them'), run: chosen.all },
    { keys: ['Shift+ArrowRight', 'Shift+ArrowDown'], what: l10n.t('Select tokens') },
    { keys: ['Ctrl+C'], what: l10n.t('Copy the text of the selected tokens') },
    { keys: ['Escape'], what: l10n.t('Clear the selection') },
    { keys: ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'], what: l10n.t('Move to another token') },
    { keys: ['Home', 'End', 'PageUp', 'PageDown'], what: l10n.t('First, last, and large steps') },
  ]);
  return (
    <>
      <TokenTools layer={layer} onLayer={onLayer} timeline={view} strip={strip} {...commands} />
      {bar === 'find' && (
        <TokenFind
          search={searcher.search}
          onSearch={(wanted) => searcher.start(wanted, active ?? shown.first)}
          onStep={searcher.step}
          onClose={close}
        />
      )}
      {bar === 'go' && <TokenGo total={view.row.tokens} onGo={go} onClose={close} />}
      {chosen.range && (
        <TokenCopy
          chosen={chosen.range}
          announcement={chosen.announcement}
          onCopy={chosen.copy}
          onClear={clear}
        />
      )}
    </>
  );
}

interface ListBoxProps {
  readonly tokens: Tokens;
  readonly scale: LayerScale;
  readonly hasFocus: boolean;
  readonly onFocus: (has: boolean) => void;
  readonly onFind: () => void;
  /** Goes to a message in its conversation. Called when its heading is clicked. */
  readonly onRead: (message: number) => void;
}

function ListBox({ tokens, scale, hasFocus, onFocus, onFind, onRead }: ListBoxProps) {
  const { active, chosen, shown, layer, searcher, list, follower, virtualizer, items, window } = tokens;
  const marks: Marks = {
    layer,
    scale,
    active,
    chosen: chosen.range,
    ...searcher.near(shown.first, shown.end),
  };
  return (
    <div
      class="tokens"
      role="listbox"
      aria-label={l10n.t('Tokens')}
      aria-multiselectable="true"
      aria-activedescendant={active === null ? undefined : tokenId(active)}
      aria-describedby={hasFocus ? tooltipId : undefined}
      data-layer={layer}
      tabIndex={0}
      ref={list}
      onKeyDown={(event) => onKeyDown(event, tokens, onFind)}
      onCopy={(event) => chosen.onCopy(event, active)}
      onFocus={() => {
        onFocus(true);
        if (active === null) tokens.setActive(shown.first);
      }}
      onBlur={() => onFocus(false)}
      onWheel={() => follower.release()}
      onPointerDown={() => follower.release()}
      onClick={(event) => onClick(event, tokens)}
    >
      <MeasuredItems virtualizer={virtualizer} role="presentation" classOf={() => 'token-item'}>
        {(index) => <Item item={items[index]} view={window.slice?.view} marks={marks} onRead={onRead} />}
      </MeasuredItems>
    </div>
  );
}

function onKeyDown(event: KeyboardEvent, tokens: Tokens, onFind: () => void): void {
  const { active, chosen, shown, total, follower } = tokens;
  follower.release();
  if (event.ctrlKey || event.metaKey) {
    const command = { a: chosen.all, f: onFind }[event.key];
    if (command === undefined) return;
    event.preventDefault();
    command();
    return;
  }
  if (event.key === 'Escape') chosen.clear();
  const from = active ?? shown.first;
  const target = event.altKey ? undefined : tokenAfterKey(event.key, from, total - 1);
  if (target === undefined) return;
  event.preventDefault();
  if (event.shiftKey) chosen.extend(from, target);
  else chosen.clear();
  tokens.go(target);
}

function onClick(event: MouseEvent, { active, chosen, shown, setActive }: Tokens): void {
  const token = tokenOf(event.target);
  if (token === null) return;
  if (event.shiftKey) chosen.extend(active ?? shown.first, token);
  else chosen.clear();
  setActive(token);
}

interface ItemProps {
  readonly item: TokenItem | undefined;
  readonly view: TokensView | undefined;
  readonly marks: Marks;
  readonly onRead: (message: number) => void;
}

function Item({ item, view, marks, onRead }: ItemProps) {
  if (item === undefined) return null;
  if (item.kind === 'tokens')
    return <TokenChunk from={item.from} end={item.end} tokens={view} marks={marks} />;
  return (
    // A list box must not contain a button. The key `m` does the same.
    <div
      class="token-heading"
      title={l10n.t('Show this message in the conversation (M)')}
      onClick={() => onRead(item.message.index)}
    >
      <MessageHeading message={item.message} />
    </div>
  );
}
