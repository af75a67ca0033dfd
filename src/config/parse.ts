import { inOrder, type ConfigDocument } from './parse/document.ts';
import { readText } from './parse/readText.ts';
import { rememberSeparable } from './parse/separable.ts';
import { LineMap } from './text.ts';

export { isBroken, type ConfigDocument, type ParseProblem } from './parse/document.ts';

/** Reads a text whatever is in it: what cannot be read is reported and left out. Never throws. */
export function parseConfig(text: string): ConfigDocument {
  const { root, problems, separable } = readText(text);
  const document = { text, lines: new LineMap(text), root, problems: inOrder(problems) };
  if (separable) rememberSeparable(document);
  return document;
}
