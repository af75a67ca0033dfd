import type { ComponentChildren } from 'preact';

export function Stat({
  name,
  note,
  children,
}: {
  readonly name: string;
  readonly note?: string | undefined;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="stat">
      <dt>{name}</dt>
      <dd>
        {children}
        {note !== undefined && <span class="stat-note"> {note}</span>}
      </dd>
    </div>
  );
}

export function Fact({
  name,
  title,
  children,
}: {
  readonly name: string;
  readonly title?: string | undefined;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd title={title}>{children}</dd>
    </div>
  );
}

/** The status of a run or an episode as a colored dot and a word. */
export function Status({ kind, word }: { readonly kind: string; readonly word: string }) {
  return (
    <span class={`status status-${kind}`} role="status">
      <span class="status-dot" aria-hidden="true" />
      {word}
    </span>
  );
}

interface SegmentProps {
  readonly name: string;
  readonly on: boolean;
  readonly onPress: () => void;
}

/** A button of a segmented control, which selects one of several views. */
export function Segment({ name, on, onPress }: SegmentProps) {
  return (
    <button type="button" class="segment" aria-pressed={on} onClick={onPress}>
      {name}
    </button>
  );
}
