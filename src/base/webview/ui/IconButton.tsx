import { Icon, type IconName } from './Icon.tsx';

interface Props {
  readonly icon: IconName;
  /** What it does, for who does not see the sign. */
  readonly name: string;
  /** What pointing at it tells; absent: its name. */
  readonly title?: string;
  readonly disabled?: boolean;
  readonly onPress: () => void;
}

/** A button that shows a sign alone. */
export function IconButton({ icon, name, title = name, disabled = false, onPress }: Props) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={name}
      title={title}
      disabled={disabled}
      onClick={onPress}
    >
      <Icon name={icon} />
    </button>
  );
}
