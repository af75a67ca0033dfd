import type { ComponentChildren } from 'preact';
import { PlainText } from './PlainText.tsx';
import { webAddress } from './webAddress.ts';

/**
 * The one door for addresses that a trace has. Those of the web become links: the editor opens them, after asking; a
 * browser in a tab of its own that knows nothing of this one. Any other is text.
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
