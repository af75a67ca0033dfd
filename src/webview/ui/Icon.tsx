/** Small signs, drawn in the colour of the text around them. They only repeat what words beside them say. */
const shapes = {
  check: 'M3 8.5l3.2 3.2L13 4.8',
  cross: 'M4 4l8 8M12 4l-8 8',
  warning: 'M8 2.2L14.6 13.6H1.4zM8 6.4v3.4M8 11.4v.6',
  back: 'M7 3.5L2.5 8 7 12.5M3 8h10.5',
  chevron: 'M6 3.5L10.5 8 6 12.5',
  up: 'M3.5 10L8 5.5 12.5 10',
  down: 'M3.5 6L8 10.5 12.5 6',
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
