import * as l10n from '@vscode/l10n';
import { IconButton } from '../../../base/webview/ui/Icon.tsx';

interface Props {
  readonly disabled?: boolean;
  readonly onStep: (direction: 1 | -1) => void;
}

export function FindSteps({ disabled = false, onStep }: Props) {
  return (
    <>
      <IconButton icon="up" name={l10n.t('Previous match')} disabled={disabled} onPress={() => onStep(-1)} />
      <IconButton icon="down" name={l10n.t('Next match')} disabled={disabled} onPress={() => onStep(1)} />
    </>
  );
}
