import type { ScalarPart } from '../value.ts';
import { parseText, type SyntaxFailure, type Template } from './grammar.ts';

/** Values are immutable, and those of the bundled defaults live on. */
const templates = new WeakMap<ScalarPart, Template | SyntaxFailure>();

/** Parses the text of a value with interpolations, once. */
export function templateOf(scalar: ScalarPart): Template | SyntaxFailure {
  const known = templates.get(scalar);
  if (known !== undefined) return known;
  const template = parseText(String(scalar.value));
  templates.set(scalar, template);
  return template;
}
