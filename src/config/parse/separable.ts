import type { ConfigDocument } from './document.ts';

/**
 * The documents whose entries can be read again one by one: nothing is shared through anchors, no error reaches beyond
 * the entry it is in, and no directive changes how the text is read.
 */
const separable = new WeakSet<ConfigDocument>();

export function rememberSeparable(document: ConfigDocument): void {
  if (!/^(?:\ufeff|%)/m.test(document.text)) separable.add(document);
}

export function isSeparable(document: ConfigDocument): boolean {
  return separable.has(document);
}
