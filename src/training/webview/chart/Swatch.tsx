import { usePage } from '../page.ts';
import { colorOf, dashOf } from './theme.ts';

export function Swatch({ run }: { readonly run: number }) {
  const { theme } = usePage();
  return (
    <svg class="swatch" viewBox="0 0 22 8" aria-hidden="true" focusable="false">
      <path d="M0 4h22" stroke={colorOf(theme, run)} stroke-dasharray={dashOf(theme, run).join(' ')} />
    </svg>
  );
}
