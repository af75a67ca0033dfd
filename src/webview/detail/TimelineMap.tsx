import { useMemo } from 'preact/hooks';
import type { MessageView } from '../../protocol/traceRpc.ts';

interface Props {
  readonly messages: readonly MessageView[];
  /** Tokens in view, `end` excluded. */
  readonly shown: { readonly first: number; readonly end: number };
  readonly onPick: (token: number) => void;
}

/**
 * The whole timeline in one line: who wrote how much, what is trained, what is in view. A click goes there; it is a
 * shortcut of the pointer's, the list itself is the way of the keyboard.
 */
export function TimelineMap({ messages, shown, onPick }: Props) {
  const last = messages.at(-1);
  const total = last === undefined ? 0 : last.firstToken + last.tokens;
  if (total === 0) return null;
  const pick = (event: MouseEvent & { readonly currentTarget: SVGSVGElement }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    onPick(Math.min(Math.floor(((event.clientX - left) / width) * total), total - 1));
  };
  return (
    <svg
      class="timeline-map"
      viewBox={`0 0 ${total} 16`}
      preserveAspectRatio="none"
      aria-hidden="true"
      onClick={pick}
    >
      <Messages messages={messages} />
      <rect
        class="map-shown"
        x={shown.first}
        y="0.5"
        width={Math.max(shown.end - shown.first, 1)}
        height="15"
      />
    </svg>
  );
}

/** One path for all messages of a kind: there may be thousands of them. */
function Messages({ messages }: { readonly messages: readonly MessageView[] }) {
  const [others, frozen, trained] = useMemo(() => {
    const isFrozen = ({ author }: MessageView) => author === 'llm(do_not_train)';
    return [
      bars(messages.filter((message) => !isFrozen(message)).map(extent)),
      bars(messages.filter(isFrozen).map(extent)),
      bars(messages.map(trainedExtent)),
    ];
  }, [messages]);
  return (
    <>
      <path class="map-message" d={others} />
      <path class="map-message map-frozen" d={frozen} />
      <path class="map-trained" d={trained} />
    </>
  );
}

interface Extent {
  readonly start: number;
  readonly length: number;
}

function extent({ firstToken, tokens }: MessageView): Extent {
  return { start: firstToken, length: tokens };
}

/** Replies are trained from somewhere to their end: the few tokens after it are too narrow to be seen. */
function trainedExtent({ firstToken, tokens, trainableTokens }: MessageView): Extent {
  return { start: firstToken + tokens - trainableTokens, length: trainableTokens };
}

function bars(extents: readonly Extent[]): string {
  return extents
    .filter(({ length }) => length > 0)
    .map(({ start, length }) => `M${start} 3h${length}v10h-${length}z`)
    .join('');
}
