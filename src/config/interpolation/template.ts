import type { ScalarPart } from '../value.ts';
import { parseText, type SyntaxFailure, type Template } from './grammar.ts';

/** Values are never changed, and those of unchanged files and sections live on. */
const templates = new WeakMap<ScalarPart, Template | SyntaxFailure>();

/** The text of a value with interpolations, read once. */
export function templateOf(scalar: ScalarPart): Template | SyntaxFailure {
  const known = templates.get(scalar);
  if (known !== undefined) return known;
  const template = parseText(String(scalar.value));
  templates.set(scalar, template);
  return template;
}
