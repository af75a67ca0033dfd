import * as l10n from '@vscode/l10n';
import { CopyButton } from '../../../base/webview/ui/CopyButton.tsx';
import { PlainText } from './PlainText.tsx';

interface Props {
  readonly code: string;
  /** Empty: the language is unknown. */
  readonly language: string;
}

export function CodeBlock({ code, language }: Props) {
  return (
    <div class="code-block">
      <div class="code-block-bar">
        <span class="muted">{language}</span>
        <CopyButton text={code} what={l10n.t('Copy the code')} />
      </div>
      {/* The focus allows scrolling by keyboard. */}
      <pre
        tabIndex={0}
        aria-label={language === '' ? l10n.t('Code') : l10n.t('Code, {0}', language)}
        role="group"
      >
        <code>
          <PlainText text={code} />
        </code>
      </pre>
    </div>
  );
}
