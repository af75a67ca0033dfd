interface Props {
  readonly name: string;
  readonly on: boolean;
  readonly onPress: () => void;
}

/** A button of a segmented control, which selects one of several views. */
export function Segment({ name, on, onPress }: Props) {
  return (
    <button type="button" class="segment" aria-pressed={on} onClick={onPress}>
      {name}
    </button>
  );
}
