import { useState } from 'preact/hooks';
import type { MessageView } from '../../protocol/traceRpc.ts';
import { count, counted, prettyJson } from '../ui/format.ts';

/** Characters of a message that are shown before one asks for the rest. */
const folded = 4_000;

/** A message of a call as text. */
export function MessageCard({ message }: { readonly message: MessageView }) {
  return (
    <article class={`message message-${authorClass(message.author)}`} aria-label={`Message ${message.index}`}>
      <MessageHeading message={message} />
      {message.text !== '' && <LongText text={message.text} />}
      {message.truncated && <p class="muted">The text goes on: it is too long to be shown whole.</p>}
      {message.toolCalls !== null && <ToolCalls json={message.toolCalls} />}
    </article>
  );
}

/** Role, author and tokens of a message. */
export function MessageHeading({ message }: { readonly message: MessageView }) {
  const { role, author, toolCallId, tokens, trainableTokens } = message;
  return (
    <div class="message-heading">
      <span class="role">{role}</span>
      <span class="author">by {author}</span>
      {toolCallId !== null && <span class="mono muted">{toolCallId}</span>}
      <span class="message-tokens">
        {counted(tokens, 'token')}
        {trainableTokens > 0 && `, ${count(trainableTokens)} trained`}
      </span>
    </div>
  );
}

export function authorClass(author: MessageView['author']): 'env' | 'llm' | 'frozen' {
  return author === 'llm(do_not_train)' ? 'frozen' : author;
}

function LongText({ text }: { readonly text: string }) {
  const [whole, setWhole] = useState(false);
  const shown = whole ? text : text.slice(0, folded);
  return (
    <>
      <p class="text-block">{shown}</p>
      {shown.length < text.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {count(text.length)} characters
        </button>
      )}
    </>
  );
}

/** Tool calls as they are written in code; what is no such list is shown as it is. */
function ToolCalls({ json }: { readonly json: string }) {
  return (
    <pre class="tool-calls" aria-label="Tool calls">
      {describeToolCalls(json)}
    </pre>
  );
}

function describeToolCalls(json: string): string {
  const calls: unknown = parsed(json);
  if (!Array.isArray(calls)) return prettyJson(json);
  const lines = calls.map(describeToolCall);
  return lines.includes(undefined) ? prettyJson(json) : lines.join('\n');
}

function describeToolCall(call: unknown): string | undefined {
  if (!isRecord(call) || !isRecord(call['function'])) return undefined;
  const { name, arguments: given } = call['function'];
  if (typeof name !== 'string') return undefined;
  return `${name}(${typeof given === 'string' ? given : JSON.stringify(given)})`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined; // shown as it was sent
  }
}
