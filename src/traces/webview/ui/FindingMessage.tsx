import { titleOf } from './findingTitles.ts';
import { language } from '../../../base/webview/ui/format.ts';

interface Props {
  readonly code: string;
  readonly message: string;
}

/** What was found. Its message is English, as on the command line: in another language its title says first what it is about. */
export function FindingMessage({ code, message }: Props) {
  const title = language === 'en' ? undefined : titleOf(code);
  return (
    <>
      {title !== undefined && <strong class="finding-title">{title}</strong>} <bdi>{message}</bdi>{' '}
      <span class="finding-code mono">{code}</span>
    </>
  );
}
