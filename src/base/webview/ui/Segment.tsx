interface Props {
  readonly name: string;
  readonly on: boolean;
  readonly onPress: () => void;
}

/** One of a few ways to show the same, beside the others. */
export function Segment({ name, on, onPress }: Props) {
  return (
    <button type="button" class="segment" aria-pressed={on} onClick={onPress}>
      {name}
    </button>
  );
}
