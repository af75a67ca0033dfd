import type { Node } from '../node.ts';
import type { LinedText, Span } from '../text.ts';

/** A YAML text as far as it can be read: `root` is undefined when the text holds no value at all. */
export interface ConfigDocument extends LinedText {
  readonly root: Node | undefined;
  /** In the order of the text. */
  readonly problems: readonly ParseProblem[];
}

export interface ParseProblem {
  readonly rule: 'yaml-syntax' | 'duplicate-key' | 'alias' | 'yaml-tag';
  readonly severity: 'error' | 'warning';
  readonly span: Span;
  readonly message: string;
}

/** Whether the text could not be read as a whole, so that what seems to be missing may be there. */
export function isBroken({ problems }: ConfigDocument): boolean {
  return problems.some((problem) => problem.severity === 'error');
}

/** By place; those of one place in an order that does not depend on how they were found. */
export function inOrder(problems: readonly ParseProblem[]): ParseProblem[] {
  const rank = ({ rule }: ParseProblem): number => ruleOrder.indexOf(rule);
  return problems.toSorted(
    (a, b) => a.span.start - b.span.start || rank(a) - rank(b) || a.span.end - b.span.end,
  );
}

const ruleOrder: readonly ParseProblem['rule'][] = ['yaml-syntax', 'alias', 'yaml-tag', 'duplicate-key'];
