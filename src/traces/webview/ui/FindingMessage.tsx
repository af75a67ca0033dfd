import { titleOf } from './findingTitles.ts';
import { InlineCode } from './InlineCode.tsx';
import { language } from '../../../base/core/format.ts';

/** The message is in English, as on the command line. In other languages its translated title is shown first. */
export function FindingMessage({ code, message }: { readonly code: string; readonly message: string }) {
  const title = language === 'en' ? undefined : titleOf(code);
  return (
    <>
      {title !== undefined && <strong class="finding-title">{title}</strong>}{' '}
      <bdi>
        <InlineCode text={message} />
      </bdi>{' '}
      <span class="finding-code mono">{code}</span>
    </>
  );
}
