import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Conversation, FoundText, MessageView } from '../../core/protocol/episodeRpc.ts';
import { largestWindow } from '../../core/protocol/traceRpc.ts';
import { useAnswer, useViewer } from '../state/viewer.ts';
import { count } from '../../../base/core/format.ts';
import { Pager } from '../ui/Pager.tsx';
import { Failure, Loading } from '../../../base/webview/ui/Notices.tsx';
import { PlainText } from './PlainText.tsx';

const folded = 4_000;

export interface MessageSource {
  readonly episode: number;
  readonly conversation: Conversation;
}

interface Props {
  readonly source: MessageSource;
  readonly message: MessageView;
  readonly found: FoundText | undefined;
  /** Renders a text of at most one response. */
  readonly draw: (text: string) => ComponentChildren;
}

/** A message's text: its beginning, or on demand all of it. A very long text is shown in parts. */
export function LongText({ source, message, found, draw }: Props) {
  const [whole, setWhole] = useState(false);
  const { text, length } = message;
  if (found !== undefined) return <FoundPart source={source} message={message} found={found} />;
  if (whole && length > largestWindow.text) return <Parts source={source} message={message} />;
  if (whole && message.truncated) return <Whole source={source} message={message} draw={draw} />;
  if (whole || length <= folded) return <>{draw(text)}</>;
  return (
    <>
      {draw(text.slice(0, folded))}
      <button type="button" onClick={() => setWhole(true)}>
        {length > largestWindow.text
          ? l10n.t('Read all {0} characters in parts', count(length))
          : l10n.t('Show all {0} characters', count(length))}
      </button>
    </>
  );
}

function useText({ episode, conversation }: MessageSource, message: number, from: number) {
  const { trace } = useViewer();
  const limit = largestWindow.text;
  return useAnswer('text', { trace, episode, conversation, message, from, limit });
}

function Whole({ source, message, draw }: Omit<Props, 'found'>) {
  const { value, error, retry } = useText(source, message.index, 0);
  if (error) return <Failure report={error} retry={retry} />;
  return <>{draw(value?.text ?? message.text)}</>;
}

interface PartProps {
  readonly source: MessageSource;
  readonly message: MessageView;
}

/** Shows one part of a very long text at a time, so that the page never holds more. */
function Parts({ source, message }: PartProps) {
  const [from, setFrom] = useState(0);
  return (
    <>
      <PartBar length={message.length} from={from} onMove={setFrom} />
      <Part source={source} message={message} from={from} />
    </>
  );
}

function FoundPart({ source, message, found }: PartProps & { readonly found: FoundText }) {
  const own = found.at - (found.at % largestWindow.text);
  const [moved, setMoved] = useState<{ readonly by: FoundText; readonly from: number }>();
  const from = moved?.by === found ? moved.from : own;
  return (
    <>
      {message.length > largestWindow.text && (
        <PartBar length={message.length} from={from} onMove={(next) => setMoved({ by: found, from: next })} />
      )}
      <Part source={source} message={message} from={from} found={found} />
    </>
  );
}

function Part({
  source,
  message,
  from,
  found,
}: PartProps & { readonly from: number; readonly found?: FoundText }) {
  const { value, error, retry } = useText(source, message.index, from);
  if (error) return <Failure report={error} retry={retry} />;
  if (value === undefined) return <Loading>{l10n.t('Loading the text…')}</Loading>;
  if (found?.field !== 'text') return <PlainBlock text={value.text} />;
  return <MarkedText text={value.text} at={found.at - value.from} length={found.length} />;
}

export function PlainBlock({ text }: { readonly text: string }) {
  return (
    <p class="text-block">
      <PlainText text={text} />
    </p>
  );
}

/** A text with a highlighted match, which is scrolled into view. */
export function MarkedText({
  text,
  at,
  length,
}: {
  readonly text: string;
  readonly at: number;
  readonly length: number;
}) {
  const mark = useRef<HTMLElement>(null);
  useLayoutEffect(() => mark.current?.scrollIntoView({ block: 'center' }), [at, length]);
  const isHere = at >= 0 && at < text.length;
  if (!isHere) return <PlainBlock text={text} />;
  return (
    <p class="text-block">
      <PlainText text={text.slice(0, at)} />
      <mark ref={mark}>{text.slice(at, at + length)}</mark>
      <PlainText text={text.slice(at + length)} />
    </p>
  );
}

interface PartBarProps {
  readonly length: number;
  readonly from: number;
  readonly onMove: (from: number) => void;
}

function PartBar({ length, from, onMove }: PartBarProps) {
  const step = largestWindow.text;
  const end = Math.min(from + step, length);
  return (
    <Pager
      class="part-bar"
      label={l10n.t('Part of the text')}
      text={l10n.t('Characters {0} to {1} of {2}', count(from + 1), count(end), count(length))}
      from={from}
      last={Math.floor((length - 1) / step) * step}
      step={step}
      earlier={{ text: l10n.t('Earlier') }}
      later={{ text: l10n.t('Later') }}
      onMove={onMove}
    />
  );
}
