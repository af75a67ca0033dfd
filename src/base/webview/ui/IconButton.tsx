import { Icon, type IconName } from './Icon.tsx';

interface Props {
  readonly icon: IconName;
  /** The accessible name: what the button does. */
  readonly name: string;
  /** The tooltip; absent: the name. */
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
