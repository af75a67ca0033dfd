import { isCollection, isNode, isScalar, visit, type Document, type YAMLError } from 'yaml';
import { lacksEnd } from '../yamlProblems.ts';

type Unended = NonNullable<ReturnType<typeof lacksEnd>>;

/**
 * Finds where what has no end begins: the parser tells of it where it stops to look, which may be pages below. Gives
 * undefined for what is wrong otherwise.
 */
export function beginnings(document: Document): (error: YAMLError) => YAMLError['pos'] | undefined {
  let known: ReadonlyMap<string, number> | undefined;
  return ({ message, pos }) => {
    const what = lacksEnd(message);
    if (what === undefined) return undefined;
    known ??= beginningsByEnd(document);
    const start = known.get(`${what} ${pos[0]}`);
    return start === undefined ? undefined : [start, start + 1];
  };
}

/** Of several that end at one place, the innermost. */
function beginningsByEnd(document: Document): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  visit(document, (_, node) => {
    if (!isNode(node) || !node.range) return;
    const what = kindOf(node);
    if (what !== undefined) found.set(`${what} ${node.range[1]}`, node.range[0]);
  });
  return found;
}

function kindOf(node: unknown): Unended | undefined {
  if (isScalar(node)) return node.type?.startsWith('QUOTE') === true ? 'quote' : undefined;
  return isCollection(node) && node.flow === true ? 'bracket' : undefined;
}
