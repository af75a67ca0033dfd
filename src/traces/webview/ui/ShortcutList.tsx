import * as l10n from '@vscode/l10n';
import { useContext, useEffect, useRef } from 'preact/hooks';
import { ShortcutsContext } from '../state/shortcuts.ts';
import { IconButton } from '../../../base/webview/ui/IconButton.tsx';

/** A dialog with all shortcuts of the page. */
export function ShortcutList({ onClose }: { readonly onClose: () => void }) {
  const shortcuts = useContext(ShortcutsContext);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog class="shortcuts" aria-labelledby="shortcuts-title" ref={dialog} onClose={onClose}>
      <div class="title-line">
        <h2 id="shortcuts-title">{l10n.t('Keyboard shortcuts')}</h2>
        <IconButton icon="close" name={l10n.t('Close')} onPress={() => dialog.current?.close()} />
      </div>
      {shortcuts.list().map(({ title, shortcuts: listed }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl>
            {listed.map(({ keys, what }) => (
              <div key={what}>
                <dt>
                  {keys.map((one) => (
                    <kbd key={one}>{keyName(one)}</kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </dialog>
  );
}

/** Returns the usual name of a key. */
function keyName(keys: string): string {
  return keys
    .split('+')
    .map((key) => signs[key] ?? key)
    .join('+');
}

const signs: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
  PageUp: 'Page ↑',
  PageDown: 'Page ↓',
};
