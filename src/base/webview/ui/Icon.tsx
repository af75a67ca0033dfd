/** Small icons in the color of the surrounding text. They only repeat the words next to them. */
const shapes = {
  filter: 'M2 3.5h12L9.5 8.8v4.4l-3-1.6V8.8z',
  compare: 'M2 3h5v10H2zM9 3h5v10H9zM3.8 6h1.4M3.8 8.5h1.4M10.8 6h1.4',
  check: 'M3 8.5l3.2 3.2L13 4.8',
  cross: 'M4 4l8 8M12 4l-8 8',
  warning: 'M8 2.2L14.6 13.6H1.4zM8 6.4v3.4M8 11.4v.6',
  back: 'M7 3.5L2.5 8 7 12.5M3 8h10.5',
  forward: 'M9 3.5L13.5 8 9 12.5M13 8H2.5',
  keyboard: 'M1.5 4h13v8h-13zM4 6.5h.1M6.7 6.5h.1M9.3 6.5h.1M12 6.5h.1M4.5 9.5h7',
  chevron: 'M6 3.5L10.5 8 6 12.5',
  up: 'M3.5 10L8 5.5 12.5 10',
  down: 'M3.5 6L8 10.5 12.5 6',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  code: 'M5.5 4L1.5 8l4 4M10.5 4l4 4-4 4',
  bug: 'M5 6.5h6v4a3 3 0 01-6 0zM6 6.5a2 2 0 014 0M2 9.5h3M11 9.5h3M2.5 5L5 7M13.5 5L11 7M2.5 14L5 12M13.5 14L11 12',
  latest: 'M8 2v8.5M4 7l4 4 4-4M3 13.8h10',
  search: 'M7 11.5a4.5 4.5 0 100-9 4.5 4.5 0 000 9zM10.3 10.3L14 14',
  close: 'M4 4l8 8M12 4l-8 8',
  zoomIn: 'M7 12.2A5.2 5.2 0 107 1.8a5.2 5.2 0 000 10.4zM10.8 10.8l3.7 3.7M4.6 7h4.8M7 4.6v4.8',
  zoomOut: 'M7 12.2A5.2 5.2 0 107 1.8a5.2 5.2 0 000 10.4zM10.8 10.8l3.7 3.7M4.6 7h4.8',
  fit: 'M1.8 3v10M14.2 3v10M4.5 8h7M6.5 5.5L4 8l2.5 2.5M9.5 5.5L12 8l-2.5 2.5',
  question:
    'M8 14.2A6.2 6.2 0 108 1.8a6.2 6.2 0 000 12.4zM6.1 6.3a1.9 1.9 0 113 1.5C8.4 8.3 8 8.7 8 9.4M8 11.4v.4',
  columns: 'M2 3h12v10H2zM6 3v10M10 3v10M2 6h12',
  info: 'M8 14.2A6.2 6.2 0 108 1.8a6.2 6.2 0 000 12.4zM8 7.2v4M8 4.8v.6',
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={shapes[name]} />
    </svg>
  );
}

interface Props {
  readonly icon: IconName;
  /** The accessible name: what the button does. */
  readonly name: string;
  /** The tooltip; absent: the name. */
  readonly title?: string;
  readonly disabled?: boolean;
  readonly onPress: () => void;
}

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
