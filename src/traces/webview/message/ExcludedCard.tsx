import * as l10n from '@vscode/l10n';
import { useEffect, useState } from 'preact/hooks';
import { type ExcludedMessage, type SentPart, largestBinary } from '../../core/protocol/episodeRpc.ts';
import { count, prettyJson } from '../../../base/core/format.ts';
import { Link } from './Link.tsx';
import { Markdown } from './Markdown.tsx';
import { PlainText, DataChip } from './PlainText.tsx';
import { type ErrorReport, toReport } from '../../../base/core/errors.ts';
import type { TraceClient } from '../../core/methods.ts';
import { useViewer } from '../state/viewer.ts';
import { Failure, Loading } from '../../../base/webview/ui/Notices.tsx';
import { byteSize, isRaster, largestImage } from './rasters.ts';
import { Thumbnail } from './Thumbnail.tsx';

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

interface Props {
  readonly part: Extract<SentPart, { readonly kind: 'data' }>;
}

/** Data of a message: an image as a thumbnail, loaded in parts, or the type and size of other data. */
function StoredImage({ part }: Props) {
  const { type, size } = part;
  const isShown = isRaster(type) && byteSize(size) <= largestImage;
  if (isShown) return <Fetched key={part.hash} part={part} />;
  return (
    <span>
      <DataChip type={type} size={byteSize(size)} />
      {isRaster(type) && <span class="muted"> {l10n.t('too large to show')}</span>}
    </span>
  );
}

function Fetched({ part: { hash, type } }: Props) {
  const { client, trace } = useViewer();
  const [base64, setBase64] = useState<string>();
  const [error, setError] = useState<ErrorReport>();
  useEffect(() => {
    let isGone = false;
    fetched(client, trace, hash, () => isGone).then(
      (whole) => !isGone && setBase64(whole),
      (reason: unknown) => !isGone && setError(toReport(reason, 'viewer/request')),
    );
    return () => (isGone = true);
  }, []);
  if (error !== undefined) return <Failure report={error} />;
  if (base64 === undefined) return <Loading>{l10n.t('Loading the image…')}</Loading>;
  return <Thumbnail raster={{ type, base64 }} name="" />;
}

/** Loads all parts, one after another, until the request is canceled. */
async function fetched(
  client: TraceClient,
  trace: string,
  hash: number,
  isGone: () => boolean,
): Promise<string> {
  let base64 = '';
  for (;;) {
    const window = await client.ask('binary', { trace, hash, from: base64.length, limit: largestBinary });
    base64 += window.base64;
    if (isGone() || window.base64 === '' || base64.length >= window.length) return base64;
  }
}
