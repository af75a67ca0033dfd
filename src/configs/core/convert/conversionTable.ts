import { parseTree, type Node as JsonNode } from 'jsonc-parser';
import type { PythonNumber } from '../../../base/core/pythonNumbers.ts';
import { compileExpression } from './expression.ts';

/** One line of the launcher's conversion table. */
export interface ConversionRule {
  /** The key of the backbone's configuration; whatever was typed there is replaced. */
  readonly target: string;
  /** A path of the config, or a Python expression of paths in parentheses. */
  readonly expression: string;
  /** The paths in the expression, in its order. */
  readonly sources: readonly string[];
  /** The effect of a null: `copied` like any value, or `skipped`. Otherwise the launcher stops at it. */
  readonly whenNull?: 'copied' | 'skipped' | undefined;
  /**
   * Computes the expression from the values of `sources`, as Python does. Undefined where the rule copies a value.
   *
   * @throws Refusal where Python raises
   */
  readonly compute?: (...values: PythonNumber[]) => PythonNumber;
}

/** A conversion table of AgentJet's package. */
export interface ConversionTable {
  readonly file: string;
  readonly rules: readonly ConversionRule[];
}

/**
 * Reads a `config_auto_convertion_*.jsonc`: paths of the config, or expressions in parentheses, with the target or the
 * targets of each. Undefined if it is not such a table, so that the built-in one is used.
 */
export function readConversionTable(
  text: string,
  file: string,
  whenNull?: ConversionRule['whenNull'],
): ConversionTable | undefined {
  const { children = [], type } = parseTree(text, [], { allowTrailingComma: true }) ?? {};
  if (type !== 'object') return undefined;
  const rules = children.flatMap(({ children: [key, value] = [] }) => {
    const source: unknown = key?.value;
    return typeof source === 'string'
      ? targetsOf(value).map((target) => ({ ...ruleOf(source, target), whenNull }))
      : [];
  });
  return rules.length === 0 ? undefined : { file, rules };
}

function targetsOf(value: JsonNode | undefined): string[] {
  const items = value?.type === 'array' ? (value.children ?? []) : [value];
  return items.map((item): unknown => item?.value).filter((target) => typeof target === 'string');
}

/** Makes the rule of a line. A source in parentheses is a Python expression. */
export function ruleOf(source: string, target: string): ConversionRule {
  if (!source.startsWith('(')) return { target, expression: source, sources: [source] };
  return { target, expression: source, ...compileExpression(source) };
}
