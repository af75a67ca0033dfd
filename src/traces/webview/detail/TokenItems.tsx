import * as l10n from '@vscode/l10n';
import type { TokensView } from '../../core/protocol/tokenRpc.ts';
import type { useVirtualizer } from '../../../base/webview/ui/useVirtualizer.ts';
import { MessageHeading } from './MessageCard.tsx';
import { TokenChunk, type Marks } from './TokenChunk.tsx';
import type { TokenItem } from './tokenLayout.ts';

interface Props {
  readonly virtualizer: ReturnType<typeof useVirtualizer<HTMLDivElement>>;
  readonly items: readonly TokenItem[];
  readonly tokens: TokensView | undefined;
  readonly marks: Marks;
  /** Called with the message whose heading was clicked. */
  readonly onRead: (message: number) => void;
}

/** The visible headings and chunks of tokens of the list. */
export function TokenItems({ virtualizer, items, ...rest }: Props) {
  return (
    <div class="token-items" role="presentation" style={{ height: `${virtualizer.getTotalSize()}px` }}>
      {virtualizer.getVirtualItems().map(({ index, key, start }) => (
        <div
          key={key}
          class="token-item"
          role="presentation"
          data-index={index}
          ref={(element) => virtualizer.measureElement(element)}
          style={{ transform: `translateY(${start}px)` }}
        >
          <Item item={items[index]} {...rest} />
        </div>
      ))}
    </div>
  );
}

interface ItemProps extends Omit<Props, 'virtualizer' | 'items'> {
  readonly item: TokenItem | undefined;
}

function Item({ item, tokens, marks, onRead }: ItemProps) {
  if (item === undefined) return null;
  if (item.kind === 'tokens')
    return <TokenChunk from={item.from} end={item.end} tokens={tokens} marks={marks} />;
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
