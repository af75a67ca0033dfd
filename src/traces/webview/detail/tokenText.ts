import * as l10n from '@vscode/l10n';
import { hiddenCharacter } from './tokenLayout.ts';

/** Returns a text as JSON, with codes for invisible characters. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(hiddenCharacters, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return `\\u{${code}}`;
  });
}

const hiddenCharacters = new RegExp(hiddenCharacter.source, 'gu');

/** Returns a probability such as `12.3 %`. Very small ones have more digits. */
export function chance(probability: number): string {
  const percent = probability * 100;
  return l10n.t('{0} %', percent >= 0.1 ? percent.toFixed(1) : percent.toPrecision(2));
}
