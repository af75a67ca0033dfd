import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { IconButton } from './Icon.tsx';

interface Props {
  readonly class: string;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ class: name, title, onClose, children }: Props) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog class={name} aria-labelledby={id} ref={dialog} onClose={onClose}>
      <div class="title-line">
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" name={l10n.t('Close')} onPress={() => dialog.current?.close()} />
      </div>
      {children}
    </dialog>
  );
}
