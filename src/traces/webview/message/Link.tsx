import type { ComponentChildren } from 'preact';
import { PlainText } from './PlainText.tsx';
import { webAddress } from './webAddress.ts';

/**
 * The only component that renders addresses from a trace. Web addresses become links. In an editor, VS Code opens them
 * after asking; a browser opens a separate tab without a reference to this one. Other addresses stay text.
 */
export function Link({
  address,
  children,
}: {
  readonly address: string;
  readonly children: ComponentChildren;
}) {
  const web = webAddress(address);
  if (web === undefined) {
    return (
      <span>
        {children}{' '}
        <span class="mono muted">
          (<PlainText text={address} />)
        </span>
      </span>
    );
  }
  return (
    <a class="web-link" href={web} target="_blank" rel="noopener noreferrer" title={web}>
      {children}
    </a>
  );
}
