import { pythonText, resolvePlain } from '../scalar.ts';
import type { ScalarPart } from '../value.ts';

/**
 * A scalar on one line, such that PyYAML and OmegaConf read the same value and type back. Floats have a dot, as PyYAML
 * alone takes `1e-06` for a text.
 */
export function yamlScalar({ type, value }: Pick<ScalarPart, 'type' | 'value'>): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value === 'number') return type === 'integer' ? integerText(value) : floatText(value);
  return yamlText(value);
}

/** A text or a key: plain where that reads back as this text, else in double quotes. */
export function yamlText(text: string): string {
  return isPlain(text) ? text : quoted(text);
}

/** Lines of a literal block, and its header; undefined for a text that is better off in quotes. */
export function literalBlock(
  text: string,
): { readonly header: string; readonly lines: readonly string[] } | undefined {
  if (!text.includes('\n') || /^[\s]|[ \t](?:\n|$)|[^\P{C}\n]|[\u2028\u2029]|\{\{/u.test(text))
    return undefined;
  const trailing = /\n*$/.exec(text)?.[0].length ?? 0;
  const header = trailing === 0 ? '|-' : trailing === 1 ? '|' : '|+';
  const body = trailing === 0 ? text : text.slice(0, -1);
  return { header, lines: body.split('\n') };
}

function integerText(value: number): string {
  return Number.isInteger(value) ? BigInt(value).toString() : floatText(value);
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  return pythonText({ type: 'float', value }).replace(/^(-?\d+)(e)/, '$1.0$2');
}

/** Texts that some reader takes for something else: dates, `=`, `<<`, marks of documents. */
const elsewhere = /^(?:\d{4}-\d|=$|<<$|---|\.\.\.|[yYnN]$)/;
const plainForm = /^[\p{L}\p{N}_./~$(+][^\p{C}\p{Zl}\p{Zp}]*$/u;

function isPlain(text: string): boolean {
  if (!plainForm.test(text) || elsewhere.test(text)) return false;
  if (/: |:$| #|\s$|\{\{|[^\x20-\x7e\p{L}\p{N}\p{P}\p{S}]/u.test(text)) return false;
  return resolvePlain(text).type === 'string';
}

function quoted(text: string): string {
  const escaped = JSON.stringify(text).replace(/[^\P{C}]|[\u2028\u2029\u00a0]/gu, (sign) => {
    const point = sign.codePointAt(0) ?? 0;
    return point > 0xffff
      ? `\\U${point.toString(16).padStart(8, '0')}`
      : `\\u${point.toString(16).padStart(4, '0')}`;
  });
  // A template's placeholder is looked for in quotes, too.
  return escaped.replaceAll('{{', '{\\u007b');
}
