import { sourceSpans } from '../interpolation/references.ts';
import type { Node } from '../node.ts';
import type { ConfigDocument } from '../parse.ts';
import type { ConfigProblem, LocatedProblem } from '../finding.ts';
import type { Span } from '../text.ts';

/** Gives problems in one file their exact places there; those in other files keep the line of the value. */
export function withSpans(
  problems: readonly LocatedProblem[],
  file: string,
  document: ConfigDocument,
): ConfigProblem[] {
  let starts: ReadonlyMap<number, Node> | undefined;
  return problems.map(({ inside, ...problem }) => {
    const { location } = problem;
    if (location?.file !== file || location.line === undefined || problem.span !== undefined) return problem;
    const line = document.lines.line(location.line - 1);
    starts ??= nodesByStart(document.root);
    const node = starts.get(line.start + (location.column ?? 1) - 1);
    const span = node && spanOf(node, inside, document);
    return span ? { ...problem, location: document.lines.location(file, span.start), span } : problem;
  });
}

function spanOf(node: Node, inside: Span | undefined, document: ConfigDocument): Span {
  return inside !== undefined && node.kind === 'scalar' ? sourceSpans(document, node)(inside) : node.span;
}

/** A value and the first one within it may start together: the outer one is meant, unless it is a single value. */
function nodesByStart(root: Node | undefined): ReadonlyMap<number, Node> {
  const starts = new Map<number, Node>();
  const visit = (node: Node): void => {
    if (!starts.has(node.span.start)) starts.set(node.span.start, node);
    if (node.kind === 'sequence') node.items.forEach(visit);
    if (node.kind === 'mapping') for (const { value } of node.entries) visit(value);
  };
  if (root !== undefined) visit(root);
  return starts;
}
