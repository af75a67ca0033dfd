import * as l10n from '@vscode/l10n';
import type { ExcludedMessage, SentPart } from '../../core/protocol/episodeRpc.ts';
import { count, prettyJson } from '../../../base/core/format.ts';
import { Link } from './Link.tsx';
import { Markdown } from './Markdown.tsx';
import { PlainText } from './PlainText.tsx';
import { StoredImage } from './StoredImage.tsx';

/** A message of a request that training excludes, as it was sent. */
export function ExcludedCard({ message: { role, parts } }: { readonly message: ExcludedMessage }) {
  return (
    <article
      class="message message-left-out"
      aria-label={l10n.t('Message that training excludes, {0}', role)}
    >
      <div class="message-heading">
        <span class="role">{role}</span>
        <span class="badge">{l10n.t('excluded from training')}</span>
      </div>
      {parts.map((part, index) => (
        <div key={index} class="sent-part">
          <Part part={part} />
        </div>
      ))}
    </article>
  );
}

function Part({ part }: { readonly part: SentPart }) {
  switch (part.kind) {
    case 'text':
      return (
        <>
          <Markdown text={part.text} />
          {part.length > part.text.length && (
            <p class="muted">{l10n.t('The text continues. It has {0} characters.', count(part.length))}</p>
          )}
        </>
      );
    case 'data':
      return <StoredImage part={part} />;
    case 'address':
      return <Link address={part.address}>{l10n.t('external image, not loaded')}</Link>;
    case 'other':
      return (
        <pre class="tool-calls">
          <PlainText text={prettyJson(part.json)} />
        </pre>
      );
  }
}
