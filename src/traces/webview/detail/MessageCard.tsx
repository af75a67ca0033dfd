import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { FoundText, MessageView } from '../../core/protocol/episodeRpc.ts';
import { LongText, MarkedText, PlainBlock, type MessageSource } from '../message/LongText.tsx';
import { Markdown } from '../message/Markdown.tsx';
import { splitReasoning } from '../message/reasoning.ts';
import { ToolCallList } from '../message/ToolCallList.tsx';
import { parseJson } from '../../core/shallowJson.ts';
import { splitToolResults, type ToolCallLinks } from '../message/toolCalls.ts';
import { count, countedTokens, prettyJson } from '../../../base/core/format.ts';
import { CopyButton } from '../../../base/webview/ui/CopyButton.tsx';

export type TextMode = 'markdown' | 'text';

export interface CardProps {
  readonly source: MessageSource;
  readonly message: MessageView;
  readonly reading: TextMode;
  readonly ties: ToolCallLinks;
  /** The match that is shown, in this or another message; undefined: none. */
  readonly found: FoundText | undefined;
  readonly onShow: (message: number) => void;
  /** Goes to the tokens of the message; undefined: they are not available. */
  readonly onTokens: ((message: MessageView) => void) | undefined;
  readonly active: number;
}

export function MessageCard(props: CardProps) {
  const { source, message, reading, ties, onShow, onTokens, active } = props;
  const found = props.found?.message === message.index ? props.found : undefined;
  const [own, setOwn] = useState<TextMode>();
  const shown = own ?? reading;
  const { index, author, role, toolCalls } = message;
  const other = shown === 'text' ? 'markdown' : 'text';
  return (
    <article
      class={`message message-${authorClass(author)}`}
      data-message={index}
      tabIndex={index === active ? 0 : -1}
      aria-label={l10n.t('Message {0}, {1}', index, role)}
    >
      <MessageHeading message={message} sentBack={source.conversation.kind === 'call' && author === 'env'}>
        <Askers message={message} ties={ties} onShow={onShow} />
        <span class="message-actions">
          {onTokens && (
            <button
              type="button"
              class="link"
              aria-label={l10n.t('Tokens of message {0}', index)}
              onClick={() => onTokens(message)}
            >
              {l10n.t('Tokens')}
            </button>
          )}
          <button type="button" class="link" aria-pressed={shown === 'text'} onClick={() => setOwn(other)}>
            {l10n.t('As text')}
          </button>
          <CopyButton text={message.text} what={l10n.t('Copy message {0}', index)} />
        </span>
      </MessageHeading>
      {message.text !== '' && (
        <LongText
          source={source}
          message={message}
          found={found?.field === 'text' ? found : undefined}
          draw={(text) => <Body message={message} text={text} reading={shown} />}
        />
      )}
      {toolCalls !== null && found?.field === 'toolCalls' && (
        <MarkedText text={toolCalls} at={found.at} length={found.length} />
      )}
      {toolCalls !== null && found?.field !== 'toolCalls' && (
        <ToolCallList json={toolCalls} answers={ties.answers.get(index) ?? []} onShow={onShow} />
      )}
    </article>
  );
}

interface BodyProps {
  readonly message: MessageView;
  readonly text: string;
  readonly reading: TextMode;
}

function Body({ message, text, reading }: BodyProps) {
  if (reading === 'text') return <PlainBlock text={text} />;
  if (message.role === 'tool') return <ToolResults text={text} />;
  const thought = message.role === 'assistant' ? splitReasoning(text) : undefined;
  if (thought === undefined) return <Markdown text={text} />;
  return (
    <>
      <details class="reasoning">
        <summary>
          {thought.closed
            ? l10n.t('Reasoning, {0} characters', count(thought.reasoning.length))
            : l10n.t('Unfinished reasoning, {0} characters', count(thought.reasoning.length))}
        </summary>
        <Markdown text={thought.reasoning} />
      </details>
      {thought.rest.trim() !== '' && <Markdown text={thought.rest} />}
    </>
  );
}

/** Tool results are data, not prose. Consecutive results, which training sees as one message, are shown separately. */
function ToolResults({ text }: { readonly text: string }) {
  return (
    <>
      {splitToolResults(text).map((result, index) => {
        const value = parseJson(result);
        const isData = typeof value === 'object' && value !== null;
        return <PlainBlock key={index} text={isData ? prettyJson(result) : result} />;
      })}
    </>
  );
}

function Askers({ message, ties, onShow }: Pick<CardProps, 'message' | 'ties' | 'onShow'>) {
  return (
    <>
      {ties.callers.get(message.index)?.map((asker, index) => (
        <button key={index} type="button" class="link" onClick={() => onShow(asker.message)}>
          {l10n.t('answers {0} of message {1}', asker.name, asker.message)}
        </button>
      ))}
    </>
  );
}

interface HeadingProps {
  readonly message: MessageView;
  /** True for a message of a request, where a message of the assistant may be one that the model wrote earlier. */
  readonly sentBack?: boolean;
  readonly children?: ComponentChildren;
}

export function MessageHeading({ message, sentBack = false, children }: HeadingProps) {
  const { index, role, author, toolCallId, tokens, trainableTokens } = message;
  return (
    <div class="message-heading">
      <span class="muted message-index">{index}</span>
      <span class="role">{role}</span>
      {!(sentBack && role === 'assistant') && <span class="author">{l10n.t('by {0}', author)}</span>}
      {toolCallId !== null && <span class="mono muted">{toolCallId}</span>}
      <span class="message-tokens">
        {trainableTokens > 0
          ? l10n.t('{0}, {1} trained', countedTokens(tokens), count(trainableTokens))
          : countedTokens(tokens)}
      </span>
      {children}
    </div>
  );
}

export function authorClass(author: MessageView['author']): 'env' | 'llm' | 'frozen' {
  return author === 'llm(do_not_train)' ? 'frozen' : author;
}
